"""Damaged HDF5 files, histories and command files: the editor never hangs, loses what it promised, or writes elsewhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from fuzzing import SEED, TIMES
from spindlemark.core.errors import UserError
from spindlemark.families.hdf5_edit.editor import atomicity, command_line

CASES = {"files": 200, "commands": 200, "histories": 100}
PROGRAM = Path(__file__).with_name("edits.py")


@pytest.mark.parametrize("kind", CASES)
def test_an_edit_ends_in_words_and_keeps_its_promise(kind, tmp_path):
    done = subprocess.run(
        [sys.executable, PROGRAM, kind, SEED, str(CASES[kind] * TIMES), tmp_path],
        capture_output=True,
        text=True,
        errors="replace",
        timeout=600 * TIMES,
        check=False,
    )
    cases = re.findall(r"^case (\d+)$", done.stdout, re.MULTILINE)
    assert done.returncode == 0, f"seed {SEED}, at case {cases[-1] if cases else 'none'}:\n{done.stderr[-4000:]}"
    assert len(cases) == CASES[kind] * TIMES


def test_a_crash_of_the_library_is_told(tmp_path, monkeypatch):
    file = tmp_path / "damaged.h5"
    monkeypatch.setattr(sys, "argv", ["spindlemark-h5edit", str(file), "-c", "edits"])
    monkeypatch.setattr(command_line.programs, "PYTHON", ("sh", "-c", "kill -SEGV $$"))
    with pytest.raises(UserError, match="ended by SIGSEGV: HDF5's library crashes on damaged files\n  look at it"):
        command_line._main()
    atomicity.backup_of(file).touch()
    with pytest.raises(UserError, match=r"the file as it was is .*/\.damaged\.h5\.bck"):
        command_line._main()
    monkeypatch.setattr(command_line.programs, "PYTHON", ("sh", "-c", "while :; do :; done"))
    monkeypatch.setattr(command_line, "LIMIT_SECONDS", 0.2)
    with pytest.raises(UserError, match="no end within 0.2 s"):
        command_line._main()
