"""Edits killed at each of their writes, by strace, for real; and the judge of what they leave."""

import os
import shutil
import signal
from collections import Counter

import h5py
import pytest

from spindlemark.core.outcome import Broken, Failed
from spindlemark.families.hdf5_edit.crash import kill
from spindlemark.families.hdf5_edit.crash.kill import Edit, Point
from spindlemark.families.hdf5_edit.crash.recovery_states import Known, dumped, judge
from spindlemark.families.hdf5_edit.editor import onion

COMMANDS = [
    "CREATE /a {H5T_STD_I32BE (1, 2, 3) DATA {11, 12, 21, 22, 31,32}};",
    "CREATE /g/b {H5T_IEEE_F64LE DATA {1}};",
]


@pytest.fixture(scope="module")
def editing():
    with kill.editor() as made:
        yield made


@pytest.fixture
def original(tmp_path):
    path = tmp_path / "original.h5"
    with h5py.File(path, "w", libver="earliest") as made:
        made["d"] = range(10_000)
        made.create_group("g").attrs["y"] = 1
    return path


@pytest.fixture
def parts(tmp_path):
    found = [tmp_path / f"{n}.txt" for n in range(len(COMMANDS))]
    for path, line in zip(found, COMMANDS, strict=True):
        path.write_text(line)
    (tmp_path / "all.txt").write_text("\n".join(COMMANDS))
    return found


def swept(editing, original, parts, level, backup):
    edit = Edit(
        original,
        original.with_name("edit"),
        ["-c", str(original.with_name("all.txt")), "--atomic", level, "--backup", backup],
    )
    known = Known(kill.states(editing, edit, parts, "earliest"), level, backup)
    found = kill.points(editing, edit, original.with_name("trace"))
    return edit, known, [kill.crash(editing, edit, point, known) for point in found]


@pytest.mark.parametrize(
    ("level", "backup", "fates"),
    [
        ("no", "none", {"kept", "lost"}),
        ("yes", "copy", {"kept", "by_hand"}),
        ("yes", "aside", {"kept"}),
        ("inc", "aside", {"kept"}),
        ("yes", "onion", {"kept", "by_hand"}),
    ],
)
def test_each_level_keeps_what_it_can(editing, original, parts, level, backup, fates):
    _, _, crashes = swept(editing, original, parts, level, backup)
    assert {c.found.outcome for c in crashes} == fates
    states = Counter(c.found.state for c in crashes)
    assert states["before"] and states["after"] and ("after-1-commands" in states) == (level == "inc")
    assert any(c.found.rule_loses for c in crashes) == (backup in ("none", "copy")), (
        "a half of a copy replaces a whole file"
    )
    assert {c.point.call for c in crashes} >= {"pwrite64", "fsync"}
    asked = sum(c.point.call == "ioctl" for c in crashes)
    assert asked == 1, "of one file alone Python asks whether it is a terminal, which is no write"


def test_an_edit_that_is_not_killed_is_told_from_one_that_is(editing, original, parts):
    edit, known, crashes = swept(editing, original, parts, "yes", "aside")
    assert all(crash.ended == kill.KILLED for crash in crashes)
    assert kill.crash(editing, edit, Point("pwrite64", 10_000), known).ended == 0
    assert [p.name for p in edit.folder.iterdir()] == ["file.h5"] and edit.acknowledged() == 2
    with pytest.raises(Failed, match="exit code 2"):
        kill.points(editing, Edit(original, edit.folder, ["-c", "/absent"]), original.with_name("trace"))
    parts[1].write_text(COMMANDS[0].replace("/a ", "/a/a "))
    with pytest.raises(Failed, match="1.txt: its effect is not seen"):
        kill.states(editing, edit, parts, "earliest")


def test_an_edit_that_hangs_is_ended_and_an_editor_that_is_silent_too(original, tmp_path, monkeypatch):
    (tmp_path / "never").write_text("DELETE /x;" * 1_000_000)
    with kill.editor(0.2) as made:
        assert made.plain([str(original), "-c", str(tmp_path / "never")]) == -signal.SIGALRM
        monkeypatch.setattr(kill, "GRACE_SECONDS", 0)
        os.kill(made._process.pid, signal.SIGSTOP)
        with pytest.raises(Broken, match="does not answer"):
            made.plain([])


def test_the_judge_knows_what_was_promised_and_what_lies_beside(editing, original, parts, tmp_path):
    edit, known, _ = swept(editing, original, parts, "inc", "copy")
    before, after = original.read_bytes(), edit.file
    edit.renew()
    editing.plain([str(edit.file), "-c", str(tmp_path / "all.txt")])
    whole = shutil.copyfile(after, tmp_path / "whole.h5").read_bytes()

    def found(content, acknowledged, backup=None, level="inc"):
        edit.renew()
        edit.file.write_bytes(content)
        if backup is not None:
            (edit.folder / ".file.h5.bck").write_bytes(backup)
        return judge(edit.file, Known(known.texts, level, "copy"), acknowledged, tmp_path / "work")

    assert found(before, 0) == ("before", "kept", False) and found(before, 1).outcome == "lost", (
        "an acknowledged command is gone"
    )
    assert found(whole, 2) == ("after", "kept", False) and found(whole, 0, level="inc").outcome == "lost"
    assert found(whole, 0, level="yes").outcome == "kept" and found(whole, 0, backup=whole[:100], level="yes") == (
        "after",
        "kept",
        True,
    )
    assert found(whole[:3000], 0, backup=before) == ("unreadable", "by_hand", False)
    assert found(whole[:3000], 0, backup=before[:100]) == ("unreadable", "lost", True)
    assert not (tmp_path / "work").exists() and dumped(tmp_path / "absent") is None
    edit.renew()
    onion.history(edit.file).write_bytes(b"no history")
    assert judge(edit.file, Known(known.texts, "yes", "onion"), 0, tmp_path / "work") == (
        "unreadable",
        "by_hand",
        False,
    )
