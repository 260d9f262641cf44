"""Runs of the test suite: all of it in several processes, or only the fast tests."""

import os
from collections.abc import Sequence

from spindlemark.core.paths import ROOT
from spindlemark.core.process import programs

CLUSTER = ("sshd", "munged", "slurmctld-wlm", "slurmd-wlm", "sbatch")  # tests start hosts with these programs
FAST = "not slow and not root and not browser"


def run(words: Sequence[str], fast: bool = False) -> int:
    """Run pytest with `words`, or all tests without any, and return its exit code: 0 when everything passed.

    `fast` leaves out tests that need root, a browser or minutes. Without the name of a test, or with `fast`, tests run in one
    process per processor; tests of one group stay together.
    """
    split = ["-n", str(max(2, os.cpu_count() or 1)), "--dist", "loadgroup", "--no-loadscope-reorder"]
    whole = all(word.startswith("-") for word in words)
    options = [*(split if fast or whole else ()), *(("-m", FAST) if fast else ())]
    return programs.run([*programs.PYTHON, "-m", "pytest", *options, *words], cwd=ROOT, stdin=None).returncode


def collect(words: Sequence[str]) -> int:
    """Return pytest's exit code for `words` without running a test, and print its output unless it is 0."""
    argv = [*programs.PYTHON, "-m", "pytest", "--collect-only", "-q", *words]
    done = programs.run(argv, cwd=ROOT, text=True, stdout=programs.PIPE, stderr=programs.STDOUT)
    if done.returncode:
        print(done.stdout, end="")
    return done.returncode
