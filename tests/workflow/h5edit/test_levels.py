"""Each way of editing an HDF5 file: what it does, and what it leaves of a file that it may not edit."""

import os
import signal
from contextlib import suppress
from functools import partial

import h5py
import pytest

from h5_edits import EVERY, dump, edited, values
from spindlemark.core.errors import UserError
from spindlemark.core.process import programs
from spindlemark.families.hdf5_edit.editor import atomicity, copying, onion, worker

WRONG = "CREATE /one {H5T_STD_I8LE DATA {1}};\nCREATE /two {H5T_STD_I8LE DATA {2}};\nDELETE /absent;\n"
PROMISES = [
    ("no", "none"),
    *((level, backup) for level in ("yes", "inc") for backup in ("copy", "range", "aside", "onion")),
]


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


@pytest.mark.parametrize("dimensions", ["[65536][65536][65536][65536]", "[2147483647][2]", "[268435456]"])
def test_an_array_type_beyond_what_a_file_holds_is_refused(file, dimensions):
    before = file.read_bytes()
    with pytest.raises(UserError, match="line 1, column 14: .*elements of more than 2147483647 bytes"):
        edited(file, f"CREATE /big {{H5T_ARRAY {{{dimensions} H5T_IEEE_F64LE}} (0) DATA {{}}}};", "yes", "aside")
    assert file.read_bytes() == before


def test_a_backup_that_was_left_is_not_overwritten(file):
    atomicity.backup_of(file).write_text("what somebody may need")
    with pytest.raises(UserError, match="an edit has not ended"):
        edited(file, EVERY, "yes", "copy")
    assert atomicity.backup_of(file).read_text() == "what somebody may need"


def test_no_reflink_is_told(file):
    with pytest.raises(copying.NoReflinkError, match="shares no blocks"):
        edited(file, EVERY, "yes", "reflink")


def test_what_root_edits_stays_its_owners(file, needs_root):
    os.chown(file, 65534, 65534)
    edited(file, "DELETE /x;", "yes", "aside")
    assert (file.stat().st_uid, file.stat().st_gid) == (65534, 65534)
