"""The HDF5 editor on real files, with the package's tools as witnesses."""

import errno
import json
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path

import h5py
import numpy as np
import pytest

from spindlemark.core import durability
from spindlemark.core.durability import Durability
from spindlemark.core.errors import UserError
from spindlemark.core.process import programs
from spindlemark.families.hdf5_edit.editor import alone, atomicity, commands, copying, onion, worker

EVERY = """
CREATE /g/b {H5T_STD_B16BE (2) DATA {1, 0xff}};
CREATE /g/v {H5T_STRING {STRSIZE H5T_VARIABLE; CSET H5T_CSET_UTF8;} (2) DATA {"ä", "x y"}};
CREATE /g/f {H5T_STRING {STRSIZE 5} DATA {"abc"}};
CREATE /d/a {H5T_ARRAY {[2][2] H5T_IEEE_F32LE} (1) DATA {1, 2, 3, 4.5}};
CREATE /d/h {H5T_IEEE_F16LE DATA {1.5}};
CREATE /d/n {H5T_NATIVE_INT DATA {-7}};
MODIFY /d/n {DATA {8}};
MODIFY /g/v {DATA {"q", "r"}};
MODIFY /g/y {H5T_STD_U64BE DATA {18446744073709551615}};
COPY /g/v /d/v2;
COPY /d/a /g/a2;
RENAME /d/h hh;
DELETE /x;
"""
WRONG = "CREATE /one {H5T_STD_I8LE DATA {1}};\nCREATE /two {H5T_STD_I8LE DATA {2}};\nDELETE /absent;\n"
EDITOR = Path(sys.executable).with_name("spindlemark-h5edit")
PROMISES = [
    ("no", "none"),
    *((level, backup) for level in ("yes", "inc") for backup in ("copy", "range", "aside", "onion")),
]


@pytest.fixture(params=durability.LIBVERS)
def file(tmp_path, request):
    """A file with a group, a chunked dataset and attributes, once in each format."""
    path = tmp_path / "media.h5"
    with h5py.File(path, "w", libver=request.param) as made:
        made.create_dataset("d", data=np.arange(50_000), chunks=(1000,))
        made.attrs["x"] = 1
        made.create_group("g").attrs["y"] = "text"
    return path


def said(*words, code=0):
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == code, done
    return done.stdout + done.stderr


def test_paths_are_relative_to_the_folder_of_the_call(file, monkeypatch):
    monkeypatch.chdir(file.parent)
    Path("edits").write_text("RENAME /x z;\n")
    said(EDITOR, file.name, "-c", "edits")
    assert 'ATTRIBUTE "z"' in dump(file)


def dump(path):
    return said("h5dump", "-A", path).partition("\n")[2]


def values(path):
    said("h5dump", "-d", "/d", "-b", "LE", "-o", path.with_suffix(".values"), path)
    found = path.with_suffix(".values").read_bytes()
    path.with_suffix(".values").unlink()
    return found


def edited(path, content, level, backup, **how):
    atomicity.edit(path, commands.parse(content, "edits"), Durability(level, backup, **how))


@pytest.mark.parametrize(("level", "backup"), PROMISES)
def test_every_way_does_every_command_and_leaves_nothing(file, level, backup):
    before = values(file)
    edited(file, EVERY, level, backup, sync=level == "inc")
    assert {p.name for p in file.parent.iterdir()} == {"media.h5"} | (
        {"media.h5.onion"} if backup == "onion" else set()
    )
    if backup == "onion":
        assert 'ATTRIBUTE "x"' in dump(file), "the file below its history is as it was"
        onion.export(file, file)
    seen = dump(file)
    assert 'ATTRIBUTE "x"' not in seen and 'ATTRIBUTE "hh"' in seen and "18446744073709551615" in seen
    assert seen.count("4.5 ]") == 2 and seen.count('"q"') == seen.count('"r"') == 2 and "H5T_STD_B16BE" in seen
    assert values(file) == before


@pytest.mark.parametrize(("level", "backup"), PROMISES)
def test_a_wrong_command_leaves_what_the_level_promises(file, level, backup):
    before = dump(file)
    with pytest.raises(UserError, match=r"edits: line 3, column 1: there is no attribute /absent"):
        edited(file, WRONG, level, backup)
    if backup == "onion" and onion.history(file).exists():
        onion.export(file, file)
        onion.history(file).unlink()
    assert sorted(p.name for p in file.parent.iterdir()) == ["media.h5"]
    seen = dump(file)
    assert (seen == before) == (level == "yes")
    assert ('ATTRIBUTE "one"' in seen and 'ATTRIBUTE "two"' in seen) == (level != "yes")


def test_the_command_says_what_it_took_and_what_is_wrong(file):
    edits = file.parent / "edits.txt"
    edits.write_text("CREATE /one {H5T_STD_I8LE DATA {1}};")
    took = json.loads(said(EDITOR, file, "-c", edits, "--atomic", "inc", "--json", "--space"))
    assert took["commands"] == 1 and took["elapsed_seconds"] > 0 and took["largest_bytes"] >= 0
    for words, why in (
        (["-c", edits], "there is an attribute /one already"),
        (["-c", "absent"], "absent: no such file"),
        (["-c", edits, "--atomic", "no", "--backup", "copy"], "level no cannot use backup 'copy'"),
        ([], "no commands: -c is missing"),
        (["--unlock"], "there is nothing to unlock"),
    ):
        told = said(EDITOR, file, *words, code=2)
        assert told.startswith("spindlemark: error: ") and why in told and "Traceback" not in told


def test_a_backup_that_was_left_is_not_overwritten(file):
    atomicity.backup_of(file).write_text("what somebody may need")
    with pytest.raises(UserError, match="an edit has not ended"):
        edited(file, EVERY, "yes", "copy")
    assert atomicity.backup_of(file).read_text() == "what somebody may need"


def test_what_lies_in_the_way_is_told_by_its_name(file):
    edits, short = file.parent / "edits", file.parent / "short"
    edits.write_text("DELETE /x;")
    short.write_bytes(b"123")
    atomicity.aside_of(file).mkdir()
    os.mkfifo(onion.history(file))
    for words, why in (
        (["-c", str(edits), "--backup", "onion"], r"media\.h5\.onion: is not a regular file"),
        (["-c", str(edits), "--acknowledge", str(short)], "short: mmap length is greater"),
        (["-c", str(edits), "--acknowledge", str(edits) + "x"], "editsx: No such file"),
        (["-c", str(edits)], r"\.media\.h5\.new: Is a directory"),
    ):
        with pytest.raises(UserError, match=why):
            worker.main([str(file), *words])
    with pytest.raises(UserError, match=r"short\.onion: there is no such history"):
        worker.main([str(short), "--export", "out.h5"])


@pytest.mark.parametrize("backup", ["copy", "aside", "onion"])
def test_a_file_that_another_program_writes_is_left_to_it(file, backup):
    edits = file.parent / "edits"
    edits.write_text("DELETE /x;")
    with h5py.File(file, "r+", locking=True) as other:
        with pytest.raises(UserError, match="another program has it open"):
            worker.main([str(file), "-c", str(edits), "--backup", backup])
        other.attrs["later"] = 1
    assert 'ATTRIBUTE "later"' in dump(file)
    assert {p.name for p in file.parent.iterdir()} == {"edits", "media.h5"}


@pytest.mark.parametrize("file", ["latest"], indirect=True)
@pytest.mark.parametrize(("level", "backup"), PROMISES)
def test_what_several_editors_confirm_at_once_is_there(file, level, backup):
    """Four editors, ten rounds, each with attributes of its own; an edit may be refused, but no confirmed one is lost."""
    confirmed = file.parent / "confirmed"
    begin = os.pipe()

    def editor(who):
        signal.alarm(120)  # one that hangs fails
        os.close(begin[1])
        os.read(begin[0], 1)  # all begin together, when the other end is closed
        for turn in range(10):
            names = [f"e{who}_{turn}_{n}" for n in range(3)]
            edits = "".join(f"CREATE /{name} {{H5T_STD_I8LE DATA {{1}}}};\n" for name in names)
            with suppress(UserError):
                edited(file, edits, level, backup, sync=False)
                with confirmed.open("a") as said:
                    said.write("\n".join(names) + "\n")
        return 0

    children = [programs.run_in_copy(partial(editor, who)) for who in range(4)]
    for end in begin:
        os.close(end)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
    names = set(confirmed.read_text().split())
    if backup == "onion":
        worker.main([str(file), "--export", str(file.parent / "out.h5")])
        file = file.parent / "out.h5"
    with h5py.File(file) as found:
        assert names <= set(found.attrs) and len(names) >= 30
    assert not list(file.parent.glob(".*"))


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


@pytest.mark.parametrize("dimensions", ["[65536][65536][65536][65536]", "[2147483647][2]", "[268435456]"])
def test_an_array_type_beyond_what_a_file_holds_is_refused(file, dimensions):
    before = file.read_bytes()
    with pytest.raises(UserError, match="line 1, column 14: .*elements of more than 2147483647 bytes"):
        edited(file, f"CREATE /big {{H5T_ARRAY {{{dimensions} H5T_IEEE_F64LE}} (0) DATA {{}}}};", "yes", "aside")
    assert file.read_bytes() == before


def test_an_export_replaces_no_pipe_and_neither_the_file_nor_its_history(file):
    edited(file, "DELETE /x;", "yes", "onion")
    before = {path.name: path.read_bytes() for path in (file, onion.history(file))}
    pipe, link, second = (file.parent / name for name in ("pipe", "link", "second"))
    os.mkfifo(pipe)
    link.symlink_to(file)
    os.link(file, second)
    for target, why in (
        (pipe, "not a regular file"),
        (link, "not a regular file"),
        (file.parent, "not a regular file"),
        (file, "the edited file"),
        (second, "the edited file"),
        (onion.history(file), "its history"),
        (file.parent / ("x" * 300), "File name too long"),
    ):
        with pytest.raises(UserError, match=why):
            worker.main([str(file), "--export", str(target)])
    assert {path.name: path.read_bytes() for path in (file, onion.history(file))} == before


def test_an_export_that_fails_leaves_what_was_there(file, monkeypatch):
    edited(file, "DELETE /x;", "yes", "onion")
    target = file.parent / "out.h5"
    target.write_text("earlier")

    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device", str(target))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(UserError, match="No space left"):
            worker.main([str(file), "--export", str(target)])
    assert target.read_text() == "earlier" and not list(file.parent.glob(".out*"))
    worker.main([str(file), "--export", str(target)])
    assert "/x" not in dump(target) and h5py.is_hdf5(target)


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


def test_what_root_edits_stays_its_owners(file, needs_root):
    os.chown(file, 65534, 65534)
    edited(file, "DELETE /x;", "yes", "aside")
    assert (file.stat().st_uid, file.stat().st_gid) == (65534, 65534)


def test_a_locked_history_is_refused_and_opened_by_its_tool(file):
    edited(file, "DELETE /x;", "yes", "onion")
    history = onion.history(file)
    whole = history.read_bytes()
    locked = whole[:5] + bytes([whole[5] | 1]) + whole[6:36]
    history.write_bytes(locked + onion.fletcher32(locked).to_bytes(4, "little") + whole[40:])
    with pytest.raises(UserError, match="left it locked"):
        edited(file, "DELETE /g/y;", "yes", "onion")
    assert worker.main([str(file), "--unlock"]) == 0
    assert history.read_bytes() == whole, "the checksum of an open history is the library's own"
    edited(file, "DELETE /g/y;", "yes", "onion")


def test_no_reflink_is_told(file):
    with pytest.raises(copying.NoReflinkError, match="shares no blocks"):
        edited(file, EVERY, "yes", "reflink")


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
