"""Publishing: the site online is whole at any time, loses nothing, keeps its releases, and no link is followed."""

import gzip
import os
import signal
import subprocess
import sys

import pytest

import online_site
from online_place import KINDS, Place
from online_site import ADDRESS
from spindlemark.core.errors import UserError, WorkflowError
from spindlemark.site.deploy import dead_links, frozen_files
from spindlemark.site.deploy.folder_target import PARTIAL, Folder


@pytest.fixture(params=KINDS)
def place(request, tmp_path) -> Place:
    return Place(tmp_path, request.param)


_COMPRESSED = gzip.compress(b"{}" * 99, mtime=0)  # names of tests must be the same in each process


@pytest.fixture
def folder(tmp_path) -> Place:
    return Place(tmp_path, "folder")


def test_a_release_is_added_and_nothing_is_taken_away(place):
    site = place.site("one")
    assert set(place.publish(site).new) == {p.relative_to(site).as_posix() for p in site.rglob("*") if p.is_file()}
    first = place.content()
    assert not (again := place.publish(site)).new and not again.changed and again.compared == 4
    place.spoil("CNAME", "pages.example\n")
    online_site.freeze(place.releases, "2026.11")
    later = place.site("two")
    next((later / "records").glob("??/*.gz")).unlink()
    change = place.publish(later)
    assert ("2026.11", 7, 0, 0) in change.rows() and change.kept == 2
    now = place.content()
    assert now.keys() >= first.keys() and now["CNAME"] == b"pages.example\n"
    assert {p: d for p, d in now.items() if p.startswith("2026.10/") and "html" not in p} == {
        p: d for p, d in first.items() if p.startswith("2026.10/") and "html" not in p
    }
    assert b"two" in now["index.html"] and b"two" in now["2026.10/index.html"]


@pytest.mark.parametrize("where", ["here", "online", "not here", "the site"])
def test_a_release_is_never_replaced(place, where):
    place.publish()
    folder = place.releases / "2026.10"
    if where == "here":
        (folder / "measurements.parquet").write_text("value\nbetter\n")
        online_site.describe(folder, "2026.10")
    elif where == "online":
        place.spoil("2026.10/download/measurements.parquet", "value\nbetter\n")
    elif where == "not here":
        online_site.freeze(place.releases, "2026.11")
        place.publish()
        for path in sorted((place.releases / "2026.11").rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        (place.releases / "2026.11").rmdir()
    before, site = place.content(), place.site("new words")
    if where == "the site":
        (site / "2026.10/download/README.md").write_text("other")
    with pytest.raises(UserError, match="2026.1[01].*(differs from( the)? release|not in this clone)"):
        place.publish(site)
    assert place.content() == before


@pytest.mark.parametrize(
    "files",
    [
        {"index.html": "<h1>My cats</h1>"},
        {"notes.txt": ""},
        {"versions.json": '{"generator": "spindlemark"}'},
        {
            "versions.json": '{"generator": "spindlemark", "format": 1, "versions": []}',
            "index.html": "<h1>My cats</h1>",
        },
        {"versions.json": '{"generator": "spindlemark", "format": 1, "versions": [{"version": "../.."}]}'},
    ],
)
def test_what_is_somebody_elses_is_refused(folder, files):
    folder.folder.mkdir()
    for name, text in files.items():
        folder.spoil(name, text)
    with pytest.raises(UserError, match="is not a site of this program"):
        folder.publish()
    assert {name: data.decode() for name, data in folder.content().items()} == files


@pytest.mark.parametrize("path", ["2026.10", "2026.10/download/README.md", "index.html", "2026.11", PARTIAL])
def test_no_link_in_a_folder_is_followed(folder, path):
    outside = folder.root / "outside"
    outside.mkdir()
    (outside / "README.md").write_text("mine")
    folder.publish()
    online_site.freeze(folder.releases, "2026.11")
    link = folder.folder / path
    if link.exists():
        link.rename(folder.root / "moved")
    link.symlink_to(outside / "README.md" if path.endswith((".md", ".html")) else outside)
    with pytest.raises(UserError):
        folder.publish()
    assert [p.name for p in outside.iterdir()] == ["README.md"] and (outside / "README.md").read_text() == "mine"


BLOCKS = {
    "pipe": lambda p: os.mkfifo(p),
    "empty folder": lambda p: p.mkdir(),
    "empty folder in it": lambda p: (p / "a/b").mkdir(parents=True),
    "folder with a file": lambda p: (p.mkdir(), (p / "a").touch()),
    "link": lambda p: p.symlink_to("/dev/zero"),
}


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("path", ["feed.xml", "2026.11/index.html", "2026.11/download/manifest.json"])
def test_what_stands_in_the_way_is_named_and_nothing_is_written(folder, block, path):
    folder.publish()
    online_site.freeze(folder.releases, "2026.11")
    (folder.folder / path).unlink(missing_ok=True)
    (folder.folder / path).parent.mkdir(exist_ok=True, parents=True)
    BLOCKS[block](folder.folder / path)
    before = folder.content()
    with pytest.raises(UserError, match=rf"{path}.*blocks the path of a file"):
        folder.publish(folder.site("new words"))
    assert folder.content() == before


def test_empty_folders_are_left_and_filled(folder):
    folder.folder.mkdir()
    for path in ("lost+found", "2026.10/download", ".well-known/a"):
        (folder.folder / path).mkdir(parents=True)
    change = folder.publish()
    assert change.kept == 0 and (folder.folder / "2026.10/download/README.md").is_file()
    assert (folder.folder / "lost+found").is_dir() and (folder.folder / ".well-known/a").is_dir()
    assert folder.publish(folder.site("again")).changed


def test_a_full_disk_leaves_what_stands_there(folder, needs_root):
    folder.folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", folder.folder], check=True)
    try:
        folder.publish()
        before, site = folder.content(), folder.site("new")
        (site / "2026.10/large.bin").write_bytes(os.urandom(1 << 20))
        with pytest.raises(UserError, match="the disk is full"):
            folder.publish(site)
        assert folder.content() == before and not (folder.folder / PARTIAL).exists()
    finally:
        subprocess.run(["umount", folder.folder], check=True)


KILLED = """
import os, shutil, signal, sys
from pathlib import Path
from spindlemark.site.deploy import deployment
from spindlemark.site.deploy.folder_target import Folder
site, releases, address, module, name, left = *map(Path, sys.argv[2:4]), *sys.argv[4:7], int(sys.argv[7])
target = Folder(Path(sys.argv[1]))
change = deployment.plan(site, target, releases, address)
module = {"os": os, "shutil": shutil}[module]
done = getattr(module, name)
def killed(*words, **how):
    global left
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    left -= 1
    return done(*words, **how)
setattr(module, name, killed)
deployment.put(change, target, releases)
"""


@pytest.mark.parametrize("at", ["shutil copyfileobj 10", "os rename 0", "os rename 1", "os rename 20", "os rename 24"])
def test_a_kill_leaves_the_site_whole(folder, at):
    """Killed while it writes aside, before and after the first rename, in their midst and before the last."""
    old, new = folder.site("old"), folder.site("new")
    for site, words in ((old, "old"), (new, "new")):
        for n in range(23):
            (site / f"2026.10/page-{n}.html").write_text(f'{online_site.HEAD}{words}<a href="index.html">first</a>')
    folder.publish(old)
    whole = {
        words: {p.relative_to(site).as_posix(): p.read_bytes() for p in site.rglob("*") if p.is_file()}
        for words, site in (("old", old), ("new", new))
    }
    process = subprocess.run(
        [sys.executable, "-P", "-c", KILLED, folder.folder, new, folder.releases, ADDRESS, *at.split()], check=False
    )
    assert process.returncode == -signal.SIGKILL
    now = {path: data for path, data in folder.content().items() if not path.startswith(PARTIAL)}
    assert now.keys() == whole["old"].keys()
    assert all(data in (whole["old"][path], whole["new"][path]) for path, data in now.items())
    assert not [line for line in dead_links.dead(folder.folder, ADDRESS) if PARTIAL not in line]
    folder.publish(new)
    assert folder.content() == whole["new"]


def test_a_place_that_can_be_no_folder_is_told_before_anything_is_built(tmp_path):
    (tmp_path / "file").touch()
    for place, why in (("file", "is not a folder"), ("nosuch/site", "there is no folder")):
        with pytest.raises(UserError, match=why):
            Folder(tmp_path / place)


def test_dead_links_stop_it(folder):
    site = folder.site('<a href="../2026.09/">older</a>')
    with pytest.raises(WorkflowError, match="dead links, for example 2026.10/index.html: ../2026.09/: does not exist"):
        folder.publish(site)
    assert not folder.folder.exists()


@pytest.mark.parametrize(
    ("page", "text", "told"),
    [
        ("404.html", '<a href="versions/">x</a>', "is relative"),
        ("404.html", '<a href="/versions.json">x</a>', "leads out of"),
        ("2026.10/index.html", '<a href="/2026.10/">x</a>', "leads out of"),
        ("2026.10/index.html", f'<meta content="{ADDRESS}gone/">', "does not exist"),
        ("2026.10/index.html", '<a href="../index.html#part">x</a>', "has an unknown fragment"),
        ("feed.xml", f"<id>{ADDRESS}2026.09/</id>", "does not exist"),
        ("robots.txt", f"Sitemap: {ADDRESS}map.xml", "does not exist"),
    ],
)
def test_a_link_check_knows_the_base(folder, page, text, told):
    site = folder.site()
    assert dead_links.dead(site, ADDRESS) == []
    (site / page).write_text(text)
    assert any(line.startswith(page) and told in line for line in dead_links.dead(site, ADDRESS))


def test_frozen_files_are_found_where_the_site_has_them(folder):
    site = folder.site()
    places = [f.place for f in frozen_files.files(folder.releases / "2026.10")]
    assert len(places) == 4 and all((site / place).is_file() for place in places)


@pytest.mark.parametrize("content", [b"", b"no archive", _COMPRESSED, _COMPRESSED[:-20]])
def test_a_damaged_pack_of_records_is_not_deployed(folder, content):
    site = folder.site("one")
    next((site / "records").glob("??/*.gz")).write_bytes(content)
    with pytest.raises(UserError, match=r"\.json\.gz: differs from the release"):
        folder.publish(site)
    assert folder.content() == {}
