"""Edits that are killed, stopped, or run out of space: the file is as it was, or as the level promises."""

import os
import re
import signal
import subprocess
import sys

import h5py
import numpy as np
import pytest

from h5_edits import EDITOR, EVERY, dump, edited, said
from spindlemark.core.durability import Durability
from spindlemark.core.errors import UserError
from spindlemark.families.hdf5_edit.editor import alone, atomicity, commands, onion, worker

EDIT = """
import sys
from pathlib import Path
from spindlemark.core.durability import Durability
from spindlemark.core.errors import UserError
from spindlemark.families.hdf5_edit.editor import atomicity, commands
file, edits, level, backup = sys.argv[1:]
try:
    atomicity.edit(Path(file), commands.read(Path(edits)), Durability(level, backup))
except UserError as error:
    sys.exit(2)
"""


@pytest.mark.parametrize("file", ["latest"], indirect=True)
@pytest.mark.parametrize("level", ["yes", "inc"])
def test_an_edit_that_is_killed_while_it_copies_changes_nothing_and_the_next_one_works(file, level):
    before = file.read_bytes()
    half = f"""
import os, signal
from spindlemark.families.hdf5_edit.editor import copying
def die(source, target):
    os.write(target, os.read(source, 1000))
    os.kill(os.getpid(), signal.SIGKILL)
copying.WAYS = dict.fromkeys(copying.WAYS, die)
{EDIT}"""
    edits = file.parent / "edits"
    edits.write_text("CREATE /late {H5T_STD_I8LE DATA {1}};")
    killed = subprocess.run([sys.executable, "-P", "-c", half, file, edits, level, "aside"], timeout=60, check=False)
    assert killed.returncode == -signal.SIGKILL and atomicity.aside_of(file).stat().st_size == 1000
    assert file.read_bytes() == before
    edited(file, edits.read_text(), level, "aside")
    assert 'ATTRIBUTE "late"' in dump(file) and not atomicity.aside_of(file).exists()


def test_an_edit_waits_for_another_one_and_gives_up_with_words(file, monkeypatch):
    monkeypatch.setattr(alone, "WAIT_SECONDS", 0.2)
    with alone.only_edit(file.parent), pytest.raises(UserError, match="another edit of a file in it has not ended"):
        edited(file, "DELETE /x;", "yes", "aside")
    edited(file, "DELETE /x;", "yes", "aside")


@pytest.mark.parametrize("backup", ["copy", "aside", "onion"])
def test_an_edit_that_is_stopped_takes_back_what_it_began(file, backup):
    before, asked = file.read_bytes(), iter(range(2))

    def go_on():
        if next(asked, None) is None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        atomicity.edit(file, commands.parse(EVERY, "edits"), Durability("yes", backup), atomicity.Watch(go_on=go_on))
    assert file.read_bytes() == before and [p.name for p in file.parent.iterdir()] == ["media.h5"]


@pytest.mark.parametrize("file", ["latest"], indirect=True)
def test_the_command_says_what_a_file_is_that_it_stopped_to_edit(file):
    edits = file.parent / "edits"
    edits.write_text("".join(f"CREATE /a{n} {{H5T_STD_I8LE DATA {{1}}}};" for n in range(20_000)))
    edit = subprocess.Popen([EDITOR, file, "-c", edits], stderr=subprocess.PIPE, text=True)
    while not atomicity.aside_of(file).exists():
        assert edit.poll() is None
    edit.send_signal(signal.SIGINT)
    assert edit.communicate(timeout=60) == (None, f"stopped. {file}: it holds all of the commands, or none\n")
    assert edit.returncode == 130 and {p.name for p in file.parent.iterdir()} == {"edits", "media.h5"}


@pytest.mark.parametrize(
    ("backup", "room"),
    [
        ("copy", 0),
        ("onion", 0),
        *((backup, room) for room in (100, 410) for backup in ("copy", "range", "aside", "onion")),
    ],
)
@pytest.mark.parametrize("level", ["yes", "inc"])
def test_a_disk_that_fills_leaves_the_file(tmp_path, small_disk, level, backup, room):
    """`room` in KiB for a file of 400 KiB: nothing of a copy, a part of it, or all of it and not what is edited then."""
    path, filler, edits = small_disk / "media.h5", small_disk / "filler", tmp_path / "edits"
    with h5py.File(path, "w", libver="latest") as made:
        made.create_dataset("d", data=np.arange(50_000), chunks=(1000,))
    edits.write_text("".join(f'CREATE /{name} {{H5T_STRING {{STRSIZE 60000}} DATA {{"x"}}}};\n' for name in "abcdef"))
    before, free = path.read_bytes(), os.statvfs(small_disk)
    with filler.open("wb") as out:
        os.posix_fallocate(out.fileno(), 0, free.f_bavail * free.f_bsize - (room << 10))
    code, told = in_a_child([str(path), "-c", str(edits), "--atomic", level, "--backup", backup])
    assert code == 2, told
    filler.unlink()
    if done := re.search(r"as after command (\d)", told):
        assert (level, backup) == ("inc", "onion")
        onion.export(path, tmp_path / "revision.h5")
        with h5py.File(tmp_path / "revision.h5") as revision:
            assert sorted(revision.attrs) == list("abcdef"[: int(done[1])])
        onion.history(path).unlink()
    assert path.read_bytes() == before and [p.name for p in small_disk.iterdir()] == ["media.h5"]


def in_a_child(words):
    """An edit's exit code and what it said; the library keeps a file open that it could not write."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            code = worker.main(words)
        except UserError as error:
            os.write(write, str(error).encode())
            code = 2
        except BaseException as error:
            os.write(write, repr(error).encode())
            code = 1
        os._exit(code)
    os.close(write)
    with os.fdopen(read) as said:
        told = said.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), told


@pytest.fixture
def small_disk(tmp_path, needs_root):
    """A filesystem of a MiB in memory."""
    point = tmp_path / "small"
    point.mkdir()
    said("mount", "-t", "tmpfs", "-o", "size=1m", "none", point)
    yield point
    said("umount", point)
