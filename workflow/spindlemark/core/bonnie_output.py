"""Output of bonnie++ 2: its tests, their metrics, and the CSV."""

from dataclasses import dataclass
from typing import Any

from spindlemark.core.outcome import Failed

FORMAT = "1.98"
KIB = 1024
TOO_FAST = "+++++"
# The tests in the order in which they run and appear in the CSV; the first five count KiB, the others operations.
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
_UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0}


@dataclass(frozen=True)
class Result:
    """`values`: metric -> value in B/s, 1/s or s. `too_fast`: tests below half a second, for which bonnie++ prints no rate."""

    values: dict[str, float]
    too_fast: list[str]
    tests: dict[str, dict[str, int]]


def rate(test: str) -> str:
    """The metric of a test's rate."""
    return f"{test}_bytes_per_second" if test in _BYTES else f"{test}_per_second"


def rate_unit(test: str) -> str:
    """The unit of a test's rate."""
    return "B/s" if test in _BYTES else "1/s"


def latency(test: str) -> str:
    """The metric of a test's longest latency."""
    return f"{test}_latency_longest_seconds"


def parse(printed: dict[str, Any]) -> Result:
    """Read the CSV at the end of the output; raises Failed if it is missing or has another format.

    `printed` is the attachment of a record: `text`, the output, and `tests`, the device's counters of each test.
    """
    line = printed["text"].strip().splitlines()[-1] if printed["text"].strip() else ""
    fields = line.split(",")
    if fields[0] != FORMAT or len(fields) != _LATENCIES + len(TESTS):
        raise Failed(f"bonnie++ printed no CSV of format {FORMAT}: {line[:200] or 'the output is empty'}")
    values, too_fast = {}, []
    for number, test in enumerate(TESTS):
        first = _LARGE + 2 * number if number < 6 else _SMALL + 2 * (number - 6)
        if fields[first] == TOO_FAST:
            too_fast.append(test)
        elif fields[first]:
            values[rate(test)] = float(fields[first]) * (KIB if test in _BYTES else 1)
        if fields[_LATENCIES + number]:
            values[latency(test)] = _seconds(fields[_LATENCIES + number])
    tests = {TESTS[t["test"]]: {k: v for k, v in t.items() if k != "test"} for t in printed["tests"]}
    return Result(values, too_fast, tests)


def _seconds(text: str) -> float:
    """Seconds of a latency, for example 26842us, 171ms or 3s."""
    number = text.rstrip("ums")
    return round(float(number) * _UNITS[text[len(number) :]], 9)
