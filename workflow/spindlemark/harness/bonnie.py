"""bonnie++ 2: one call as a command of a step, with cold caches for each of its tests.

The options are those that study 001 used (-b: an fsync after each file made or deleted, and at the end of each test of
the large file), and a file that need not be larger than memory, since caches are dropped between the tests.
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from spindlemark.core import bonnie_output
from spindlemark.core.bonnie_output import Result
from spindlemark.core.outcome import Failed
from spindlemark.core.paths import ROOT
from spindlemark.core.process import programs
from spindlemark.harness import bonnie_cold
from spindlemark.harness.repetition import Repetition

TOOL = "bonnie++"
PACKAGE = "bonnie++"
# An end by a signal is not one of its own exit codes.
_EXIT_CODES = range(256)


def run(repetition: Repetition, arguments: Sequence[str | Path], limit_seconds: float, attach: str) -> Result:
    """Run `bonnie++ ARGUMENTS` as a command of the present step.

    All that it printed, and what the device read and wrote in each test, is kept in the record's attachments as `attach`.
    Raises Unsupported when bonnie++ is not there, and Failed with its last words when it ends badly or not in time.
    """
    repetition.need_tools([TOOL], PACKAGE)
    printed: dict[str, Any] = {"text": "", "tests": []}
    with os.fdopen(os.memfd_create("bonnie"), "rb") as memory:
        output = f"/proc/{os.getpid()}/fd/{memory.fileno()}"
        done = repetition.run(
            [
                *_python(),
                "-m",
                bonnie_cold.__name__,
                repetition.testbed.counters()["device"],
                output,
                TOOL,
                "-q",
                "-yp",
                *arguments,
            ],
            limit_seconds,
            _EXIT_CODES,
        )
        if written := memory.read():
            printed = json.loads(written)
            repetition.attachments[attach] = printed | {"text": printed["text"].replace(f"{ROOT}/", "")}
    if done.exit_code != 0:
        raise Failed(f"{attach}: {TOOL} ended with exit code {done.exit_code}: {' '.join(done.stderr.split()[-20:])}")
    return bonnie_output.parse(printed)


def _python() -> list[str]:
    """Return the command of the running interpreter and its modules: in a virtual machine they are in memory."""
    reported = {key: os.environ[key] for key in ("PYTHONHOME", "PYTHONPLATLIBDIR", programs.ONLY) if key in os.environ}
    reported["PYTHONPATH"] = str(Path(programs.__file__).parents[3])
    return ["env", *(f"{key}={value}" for key, value in reported.items()), *programs.PYTHON, "-S"]
