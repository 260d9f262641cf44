"""Testbeds: what kind each is, which comes first for readers, and which only show orders of magnitude."""

from typing import Any

from spindlemark.analysis.findings.emulation import emulated, virtual
from spindlemark.analysis.findings.model import Findings, Group
from spindlemark.core.record import Scalar

Page = dict[str, Any]
PLACES = {"loop": 1, "ram": 2, "nic": 3, "link": 4}
EMULATED = "emulated: orders, not seconds"
# A pair of virtual cards is no network that anybody has: every page of its results says what it cannot tell.
NO_WIRE = "no wire, no switch, no card"


def mark(conditions: dict[str, Scalar]) -> str:
    """What a reader must know of a testbed wherever it is named; empty for most."""
    return EMULATED if emulated(conditions) else NO_WIRE if conditions.get("device.kind") == "link" else ""


def of_group(group: Group) -> Page:
    """A group's testbed as pages show it: name, kernel, and the mark that it needs."""
    return {
        "name": group.testbed,
        "emulated": emulated(group.conditions),
        "virtual": virtual(group.conditions),
        "kernel": str(group.conditions.get("kernel", "")),
        "mark": mark(group.conditions),
    }


def order(findings: Findings) -> list[str]:
    """Every testbed: disks first, then loop files, on disk and in memory, then networks, virtual machines, emulated ones last."""
    places: dict[str, tuple] = {}
    for g in findings.groups:
        kind = str(g.conditions.get("device.kind"))
        places.setdefault(g.testbed, (emulated(g.conditions), virtual(g.conditions), PLACES.get(kind, 0)))
    return sorted(places, key=lambda name: places[name])
