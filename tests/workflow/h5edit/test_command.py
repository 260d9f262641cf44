"""The editor's command: its words, its export, and what it refuses."""

import errno
import json
import os
from pathlib import Path

import h5py
import pytest

from h5_edits import EDITOR, dump, edited, said
from spindlemark.core.errors import UserError
from spindlemark.families.hdf5_edit.editor import atomicity, onion, worker


def test_paths_are_relative_to_the_folder_of_the_call(file, monkeypatch):
    monkeypatch.chdir(file.parent)
    Path("edits").write_text("RENAME /x z;\n")
    said(EDITOR, file.name, "-c", "edits")
    assert 'ATTRIBUTE "z"' in dump(file)


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
