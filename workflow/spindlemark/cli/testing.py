"""The test suite in two processes: most tests of devices take turns in one, all the others run in the other."""

import os
import sys
import tempfile
from collections.abc import Sequence

from rich.console import Console

from spindlemark.cli import progress
from spindlemark.core import private_files
from spindlemark.core.paths import ROOT
from spindlemark.core.process import programs

DEVICES = ("hostile", "workflow")
CLUSTER = ("sshd", "munged", "slurmctld-wlm", "slurmd-wlm", "sbatch")  # hosts that tests start for themselves
# Go with the others, so that both end at about the same time: each has images of its own or none, and needs no measured project.
BESIDE = tuple(f"tests/workflow/test_{name}.py" for name in ("driver_stops", "foreign_family", "full_disk", "vm"))
# There is one lock for the whole machine, and two processes that measure on it would wait for each other for minutes.
# What a test measures means nothing: each process sees a folder of its own where the lock and root's notes lie.
_APART = (
    "unshare",
    "--mount",
    "--propagation=slave",
    "--",
    "sh",
    "-ec",
    'mkdir -p "$0"; mount -t tmpfs -o mode=755 spindlemark-tests "$0"; exec "$@"',
    str(private_files.RUN),
)


def run(words: Sequence[str]) -> int:
    """Run pytest with `words`, or the whole suite without any. Returns the exit code, 0 when everything passed."""
    if words:
        return programs.run(_pytest(words), cwd=ROOT, stdin=None).returncode
    folders = sorted(path.name for path in (ROOT / "tests").iterdir() if any(path.rglob("test_*.py")))
    devices = [*(f"tests/{name}" for name in DEVICES), *(f"--ignore={path}" for path in BESIDE)]
    others = [*(f"tests/{name}" for name in folders if name not in DEVICES), *BESIDE]
    with tempfile.TemporaryFile() as output:
        beside = programs.start(_pytest(others), cwd=ROOT, stdin=None, stdout=output, stderr=programs.STDOUT)
        try:
            first = programs.run(_pytest(devices), cwd=ROOT, stdin=None).returncode
            with progress.telling(Console(), "testing what needs no device"):
                second = beside.wait()
        except BaseException:
            beside.terminate()
            beside.wait()
            raise
        output.seek(0)
        sys.stdout.write(output.read().decode("utf-8", "replace"))
        sys.stdout.flush()
    return first or second


def _pytest(words: Sequence[str]) -> list[str]:
    return [*(_APART if os.geteuid() == 0 else ()), *programs.PYTHON, "-m", "pytest", *words]
