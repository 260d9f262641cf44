"""What root wrote in somebody's folder is given to them, and nothing beside it."""

import os

import pytest

from spindlemark.core.ownership import give_back
from spindlemark.testbeds import mark

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="giving files away needs root")
SOMEBODY = 65534


@pytest.fixture
def clone(tmp_path):
    root = tmp_path / "clone"
    (root / "data" / "raw").mkdir(parents=True)
    (root / "data" / "raw" / "rep-1.json").touch()
    os.link(root / "data" / "raw" / "rep-1.json", root / "data" / "copy.json")
    os.chown(root, SOMEBODY, SOMEBODY)
    return root


def owners(root):
    return {path.lstat().st_uid for path in (root, *root.rglob("*"))}


def test_everything_below_is_theirs(clone):
    (clone / "link").symlink_to("nowhere")
    give_back(clone)
    assert owners(clone) == {SOMEBODY}


def test_what_lies_elsewhere_stays(clone, tmp_path):
    """A link, or a second name of a file of root's, does not give that file away."""
    secret = tmp_path / "secret"
    secret.touch()
    (clone / "link").symlink_to(secret)
    os.link(secret, clone / "name")
    (clone / "folder").symlink_to(tmp_path)
    give_back(clone)
    assert secret.stat().st_uid == 0 and tmp_path.stat().st_uid == 0
    assert (clone / "link").lstat().st_uid == SOMEBODY


def test_in_a_clone_of_roots_nothing_changes(clone):
    os.chown(clone, 0, 0)
    os.chown(clone / "data", SOMEBODY, SOMEBODY)
    give_back(clone)
    assert (clone / "data").stat().st_uid == SOMEBODY


def test_what_carries_our_mark_stays(clone):
    """An image behind a device, and the folder of a virtual machine with all that is in it."""
    image, machine = clone / "spindlemark-loop.img", clone / "vm-test"
    image.touch()
    machine.mkdir()
    (machine / "sources").touch()
    for path in (image, machine):
        descriptor = os.open(path, os.O_RDONLY)
        mark.put(descriptor, path, "test")
        os.close(descriptor)
    give_back(clone)
    assert {path.stat().st_uid for path in (image, machine, machine / "sources")} == {0}


def test_a_folder_that_is_exchanged_meanwhile_gives_nothing_outside_away(clone, tmp_path, monkeypatch):
    """The names of a file with several names were found; then its folder becomes a link to root's own."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "rep-1.json").touch()
    os.link(outside / "rep-1.json", outside / "second")
    (clone / "data" / "copy.json").rename(clone / "data" / "raw" / "second")
    walked = os.fwalk

    def exchanging(root, **how):
        yield from walked(root, **how)
        raw = clone / "data" / "raw"
        if not raw.is_symlink():
            raw.rename(clone / "data" / "away")
            raw.symlink_to(outside)

    monkeypatch.setattr(os, "fwalk", exchanging)
    give_back(clone)
    assert (clone / "data" / "raw").is_symlink()
    assert {path.stat().st_uid for path in (outside, *outside.iterdir())} == {0}


def test_a_file_that_is_exchanged_for_another_ones_name_stays(clone, tmp_path, monkeypatch):
    """As many names as were counted, but of another file."""
    secret = tmp_path / "secret"
    secret.touch()
    walked = os.fwalk

    def exchanging(root, **how):
        yield from walked(root, **how)
        name = clone / "data" / "copy.json"
        name.unlink()
        os.link(secret, name)

    monkeypatch.setattr(os, "fwalk", exchanging)
    give_back(clone)
    assert secret.stat().st_uid == 0


def at_opening(monkeypatch, name, exchange):
    """Call `exchange` once, after `name` was found and before it is opened."""
    opened, left = os.open, [exchange]

    def opening(path, flags, *rest, **how):
        if path == name and flags & os.O_PATH and left:
            left.pop()()
        return opened(path, flags, *rest, **how)

    monkeypatch.setattr(os, "open", opening)
    return left


@pytest.mark.parametrize("names", [1, 2])
def test_a_file_that_is_exchanged_just_before_it_is_opened_stays(clone, tmp_path, monkeypatch, names):
    """The other file has as many names as the one that was found."""
    target, secret = clone / "data" / "copy.json", tmp_path / "secret"
    secret.touch()
    os.link(secret, tmp_path / "second")
    if names == 1:
        (clone / "data" / "raw" / "rep-1.json").unlink()
        secret.unlink()
    left = at_opening(monkeypatch, target.name, lambda: (tmp_path / "second").replace(target))
    give_back(clone)
    assert not left and target.stat().st_uid == 0


def test_a_file_that_is_renamed_during_the_count_has_no_more_names(clone, tmp_path, monkeypatch):
    """One name here, seen at two places, and one outside."""
    secret = tmp_path / "secret"
    (clone / "data" / "raw" / "rep-1.json").rename(secret)
    walked, left = os.fwalk, [clone / "data" / "raw" / "renamed.json"]

    def renaming(root, **how):
        for found in walked(root, **how):
            yield found
            if found[0] == str(clone / "data") and left:
                (clone / "data" / "copy.json").rename(left.pop())

    monkeypatch.setattr(os, "fwalk", renaming)
    give_back(clone)
    assert not left and secret.stat().st_uid == 0
