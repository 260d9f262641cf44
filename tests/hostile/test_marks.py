"""What is taken away is what this program made, wherever its copy lies, whatever it is called by now."""

import json
import os
import shutil
from pathlib import Path

import pytest

from disks import MIB, call, freed
from spindlemark import config
from spindlemark.core import private_files
from spindlemark.core.errors import UserError
from spindlemark.core.process.command import execute
from spindlemark.testbeds import image, kernel, loop, mark

SIZE = 24 * MIB


def declared_in(folder: Path) -> config.LoopTestbed:
    return config.LoopTestbed(
        description="",
        kind="loop",
        directory=str(folder),
        direct_io=False,
        scheduler="none",
        source_directory="/dev/shm",
        busy_bound=0.1,
    )


@pytest.fixture
def declared(tmp_path):
    return declared_in(tmp_path)


@pytest.fixture
def open_image(testbed, declared, tmp_path):
    """The testbed's image, attached as a repetition does it; its process ended then without a word."""
    file = image.make(tmp_path, testbed, SIZE)
    node = loop._attached(testbed, file, False, lambda argv: execute(argv, 60))
    yield file, node
    if (left := kernel.loop_of(node.name)) and left.backing.is_relative_to(tmp_path):
        call("losetup", "--detach", node)
    loop.clean(testbed, declared)


@pytest.fixture
def btrfs(tmp_path, needs_root):
    """A filesystem that makes snapshots."""
    if "btrfs" not in Path("/proc/filesystems").read_text() or not shutil.which("mkfs.btrfs"):
        pytest.skip("there is no btrfs here")
    file, point = tmp_path / "btrfs.img", tmp_path / "btrfs"
    point.mkdir()
    with file.open("wb") as new:
        new.truncate(400 * MIB)
    call("mkfs.btrfs", "-q", file)
    call("mount", "-o", "loop", file, point)
    yield point
    call("umount", point)


def test_a_snapshot_that_its_owner_has_mounted_stays(btrfs, testbed, tmp_path, attached):
    call("btrfs", "subvolume", "create", btrfs / "bed")
    declared = declared_in(btrfs / "bed")
    file = image.make(btrfs / "bed", testbed, SIZE)
    ours = attached(file)
    call("mkfs.ext4", "-q", ours)
    call("btrfs", "subvolume", "snapshot", btrfs / "bed", btrfs / "kept")
    copy = btrfs / "kept" / file.name
    assert copy.stat().st_ino == file.stat().st_ino and os.getxattr(copy, mark.NAME) == os.getxattr(file, mark.NAME)
    theirs, point = attached(copy), tmp_path / "point"
    point.mkdir()
    call("mount", "-o", "ro", theirs, point)
    try:
        loop.clean(testbed, declared)
        loop.clean(testbed, declared_in(btrfs / "kept"))
        assert point.is_mount() and kernel.loop_of(theirs.name).backing == copy and copy.exists()
        assert freed(ours.name, file) and not file.exists()
        assert "another file" in image.problem(copy, testbed)
    finally:
        call("umount", point)


def test_a_copy_under_the_same_number_in_another_folder(testbed, tmp_path, needs_root):
    """The same file, seen in another place."""
    (tmp_path / "bed").mkdir()
    (tmp_path / "other").mkdir()
    file = image.make(tmp_path / "bed", testbed, SIZE)
    os.link(file, tmp_path / "other" / file.name)
    assert f"was made as {file}" in image.problem(tmp_path / "other" / file.name, testbed)
    loop.clean(testbed, declared_in(tmp_path / "other"))
    assert (tmp_path / "other" / file.name).exists()
    loop.clean(testbed, declared_in(tmp_path / "bed"))
    assert not file.exists()


def test_another_project_s_image_of_the_same_testbed_stays_attached(testbed, tmp_path, attached):
    (tmp_path / "theirs").mkdir()
    file = image.make(tmp_path / "theirs", testbed, SIZE)
    node = attached(file)
    loop.clean(testbed, declared_in(tmp_path / "ours"))
    assert kernel.loop_of(node.name).backing == file
    loop.clean(testbed, declared_in(tmp_path / "theirs"))
    assert freed(node.name, tmp_path) and not file.exists()


def test_an_image_renamed_while_in_use_is_detached_and_kept(open_image, testbed, declared, tmp_path):
    file, node = open_image
    file.rename(tmp_path / "renamed")
    loop.clean(testbed, declared)
    assert freed(node.name, tmp_path) and (tmp_path / "renamed").stat().st_size == SIZE


def test_an_image_deleted_while_in_use_is_detached(open_image, testbed, declared, tmp_path):
    file, node = open_image
    file.unlink()
    loop.clean(testbed, declared)
    assert freed(node.name, tmp_path)


def test_a_file_that_got_the_number_of_our_image_stays_attached(testbed, declared, tmp_path, attached):
    """The image is gone, the note of it is not, and a user's new file has its number."""
    theirs = tmp_path / "films.raw"
    theirs.write_bytes(os.urandom(SIZE))
    found, node = theirs.stat(), attached(theirs)
    private_files.write_note(
        loop._note(testbed), {"device": found.st_dev, "inode": found.st_ino, "loop": node.name, "sequence": 0}
    )
    loop.clean(testbed, declared)
    assert kernel.loop_of(node.name).backing == theirs


def test_an_image_of_an_earlier_start_is_removed_and_its_number_never_detached(
    testbed, declared, tmp_path, attached, monkeypatch
):
    monkeypatch.setattr(private_files, "boot", lambda: "earlier")
    file = image.make(tmp_path, testbed, SIZE)
    said = json.loads(os.getxattr(file, mark.NAME))
    os.setxattr(file, mark.NAME, json.dumps(said | {"device": said["device"] + 1}).encode())
    monkeypatch.undo()
    node = attached(file)
    assert "before the last boot" in image.problem(file, testbed)
    loop.clean(testbed, declared)
    assert kernel.loop_of(node.name) is not None and not file.exists()


def test_an_image_of_an_earlier_version_is_left_and_told(testbed, declared, tmp_path, attached):
    file = image.path_of(tmp_path, testbed)
    file.write_bytes(bytes(MIB))
    os.setxattr(file, mark.NAME, json.dumps({"testbed": testbed, "inode": file.stat().st_ino, "created": 1}).encode())
    node = attached(file)
    loop.clean(testbed, declared)
    assert kernel.loop_of(node.name).backing == file
    with pytest.raises(UserError, match="in the way: .*mark of an earlier version") as told:
        image.make(tmp_path, testbed, MIB)
    assert "move it away" in told.value.remedy
