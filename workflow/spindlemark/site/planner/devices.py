"""What each device held in tests that last: the best configuration for streams, for reading a library and for filling one."""

from typing import Any

from spindlemark.analysis.findings.model import Cell, Findings, Group
from spindlemark.analysis.format import number
from spindlemark.core import declared
from spindlemark.site import testbed_labels
from spindlemark.site.context import Context, newest

Page = dict[str, Any]
STREAMS, READ, FILL = "streams_sustained_count", "read_bytes_per_second", "copy_bytes_per_second"
LARGEST = ("video-hd", "video")  # libraries whose files are most like one long recording
LEAST = 1e9  # bytes of a library; copies of less last less than seconds, and say nothing about hours


def devices(findings: Findings, context: Context) -> list[Page]:
    """The testbeds with such tests, in order. Emulated ones have no meaningful rates.

    Rates and counts are lower ends of intervals; they are compared with the need of the chosen streams.
    """
    found = []
    for bed in context.beds:
        groups = newest(g for g in findings.groups if g.testbed == bed)
        if not groups or testbed_labels.of_group(groups[0])["emulated"]:
            continue
        own = {
            "streams": [held for g in groups if (held := _streams(g, context))],
            "read": _library(groups, READ, context),
            "fill": _library(groups, FILL, context),
        }
        if any(own.values()):
            found.append(testbed_labels.of_group(groups[0]) | own)
    return found


def lasts(group: Group) -> bool:
    """Whether the library of a group is large enough for rates."""
    return float(group.library_factors.get("total") or 0) >= LEAST


def _best(group: Group, metric: str) -> Cell | None:
    names = group.candidates or group.configurations
    cells = [cell for cell in group.cells(metric) if cell.configuration in names]
    return max(cells, key=_low, default=None)


def _low(cell: Cell) -> float:
    return cell.median if cell.low is None else cell.low


def _streams(group: Group, context: Context) -> Page | None:
    rate, cell = float(group.library_factors.get("bytes_per_second") or 0), _best(group, STREAMS)
    if not cell or not rate:
        return None
    count = number(_low(cell), "1", declared.kind(STREAMS))
    return _held(group, cell, rate, f"{count} streams of {number(rate, 'B/s')}", context)


def _library(groups: list[Group], metric: str, context: Context) -> Page | None:
    found = {g.library: g for g in groups if lasts(g)}
    group = next((found[name] for name in LARGEST if name in found and found[name].cells(metric)), None)
    cell = _best(group, metric) if group else None
    if not group or not cell:
        return None
    return _held(group, cell, 1.0, f"{number(_low(cell), 'B/s')} with {context.workload(group)}", context)


def _held(group: Group, cell: Cell, rate: float, text: str, context: Context) -> Page:
    """`rate`: bytes per second of one unit of `low`."""
    return {
        "subject": context.configuration(cell.configuration),
        "low": _low(cell),
        "rate": rate,
        "text": text,
        "path": context.groups[group.group],
    }
