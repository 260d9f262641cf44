"""Nonsense for everything that is read: never a traceback, a hang or a crash."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from fuzzing import SEED, TIMES

# SPINDLEMARK_FUZZ_TIMES=4 tries four times as many.
CASES = {"declarations": 150, "records": 150, "notes": 60, "arguments": 150}
PROGRAM = Path(__file__).with_name("cases.py")
LONGEST_SECONDS = 600


@pytest.fixture(scope="module")
def started():
    """All kinds side by side."""
    words = {kind: [sys.executable, PROGRAM, kind, SEED, str(count * TIMES)] for kind, count in CASES.items()}
    running = {
        kind: subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        for kind, argv in words.items()
    }
    yield running
    for process in running.values():
        process.kill()
        process.communicate()


@pytest.mark.parametrize("kind", CASES)
def test_nonsense_is_refused_in_words(started, kind):
    said, _ = started[kind].communicate(timeout=LONGEST_SECONDS * TIMES)
    cases = re.findall(r"^case (\d+)$", said, re.MULTILINE)
    told = re.sub(r"^case \d+\n", "", said, flags=re.MULTILINE)[-4000:]
    assert started[kind].returncode == 0, f"seed {SEED}, at case {cases[-1] if cases else 'none'}:\n{told}"
    assert len(cases) == CASES[kind] * TIMES
