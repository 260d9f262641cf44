"""bonnie++ 2: one call as a command of a step, each of its tests on cold caches, and its CSV read.

The options are those that source 001 used (-b: an fsync after each file made or deleted, and at the end of each test of
the large file), and a file that need not be larger than memory, since caches are dropped between the tests.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spindlemark.core.outcome import Failed
from spindlemark.core.paths import ROOT
from spindlemark.core.process import programs
from spindlemark.harness import bonnie_cold
from spindlemark.harness.repetition import Repetition

TOOL = "bonnie++"
PACKAGE = "bonnie++"
FORMAT = "1.98"
KIB = 1024
TOO_FAST = "+++++"
# The tests in the order in which they run and stand in the CSV; the first five count KiB, the others operations.
TESTS = (
    "sequential_write_char",
    "sequential_write",
    "sequential_rewrite",
    "sequential_read_char",
    "sequential_read",
    "seeks",
    "sequential_create",
    "sequential_stat",
    "sequential_delete",
    "random_create",
    "random_stat",
    "random_delete",
)
_BYTES = TESTS[:5]
# Columns of the CSV: rates of the large file, rates of the small files, longest latencies of all.
_LARGE, _SMALL, _LATENCIES = 9, 26, 38
# An end by a signal is not one of its own exit codes.
_EXIT_CODES = range(256)
_UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0}


@dataclass(frozen=True)
class Result:
    """`values`: by metric, in B/s, 1/s and s. `too_fast`: tests under half a second, of which bonnie++ gives no rate."""

    values: dict[str, float]
    too_fast: list[str]
    tests: dict[str, dict[str, int]]


def run(repetition: Repetition, arguments: Sequence[str | Path], limit_seconds: float, attach: str) -> Result:
    """Run `bonnie++ ARGUMENTS` as a command of the present step.

    All that it printed, and what the device read and wrote in each test, is kept in the record's attachments as `attach`.
    Raises Unsupported when bonnie++ is not there, and Failed with its last words when it ends badly or not in time.
    """
    repetition.need_tools([TOOL], PACKAGE)
    said: dict[str, Any] = {"text": "", "tests": []}
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
            said = json.loads(written)
            repetition.attachments[attach] = said | {"text": said["text"].replace(f"{ROOT}/", "")}
    if done.exit_code != 0:
        raise Failed(f"{attach}: {TOOL} ended with exit code {done.exit_code}: {' '.join(done.stderr.split()[-20:])}")
    return parsed(said)


def _python() -> list[str]:
    """Return the command of the running interpreter and its modules: in a virtual machine they are in memory."""
    reported = {key: os.environ[key] for key in ("PYTHONHOME", "PYTHONPLATLIBDIR", programs.ONLY) if key in os.environ}
    reported["PYTHONPATH"] = str(Path(programs.__file__).parents[3])
    return ["env", *(f"{key}={value}" for key, value in reported.items()), *programs.PYTHON, "-S"]


def rate(test: str) -> str:
    """The metric of a test's rate."""
    return f"{test}_bytes_per_second" if test in _BYTES else f"{test}_per_second"


def rate_unit(test: str) -> str:
    """The unit of a test's rate."""
    return "B/s" if test in _BYTES else "1/s"


def latency(test: str) -> str:
    """The metric of a test's longest latency."""
    return f"{test}_latency_longest_seconds"


def parsed(said: dict[str, Any]) -> Result:
    """Read the CSV at the end of what bonnie++ printed; raises Failed when it is not there or of another format."""
    line = said["text"].strip().splitlines()[-1] if said["text"].strip() else ""
    fields = line.split(",")
    if fields[0] != FORMAT or len(fields) != _LATENCIES + len(TESTS):
        raise Failed(f"bonnie++ printed no CSV of format {FORMAT}: {line[:200] or 'it said nothing'}")
    values, too_fast = {}, []
    for number, test in enumerate(TESTS):
        first = _LARGE + 2 * number if number < 6 else _SMALL + 2 * (number - 6)
        if fields[first] == TOO_FAST:
            too_fast.append(test)
        elif fields[first]:
            values[rate(test)] = float(fields[first]) * (KIB if test in _BYTES else 1)
        if fields[_LATENCIES + number]:
            values[latency(test)] = _seconds(fields[_LATENCIES + number])
    tests = {TESTS[t["test"]]: {k: v for k, v in t.items() if k != "test"} for t in said["tests"]}
    return Result(values, too_fast, tests)


def _seconds(text: str) -> float:
    """Seconds of a latency as 26842us, 171ms or 3s."""
    number = text.rstrip("ums")
    return round(float(number) * _UNITS[text[len(number) :]], 9)
