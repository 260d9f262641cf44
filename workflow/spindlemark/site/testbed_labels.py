"""Testbeds on pages: name, order and warnings."""

from typing import Any

from spindlemark.analysis.findings.emulation import emulated, virtual
from spindlemark.analysis.findings.model import Findings, Group
from spindlemark.core.record import Scalar

Page = dict[str, Any]
PLACES = {"loop": 1, "ram": 2, "nic": 3, "link": 4}
EMULATED = "emulated: only the order is meaningful"
# Results of virtual network cards say nothing about physical networks, so every page with them carries this warning.
VIRTUAL_NETWORK = "no physical network"


def mark(conditions: dict[str, Scalar]) -> str:
    """The warning to show wherever a testbed is named; empty for most."""
    return EMULATED if emulated(conditions) else VIRTUAL_NETWORK if conditions.get("device.kind") == "link" else ""


def of_group(group: Group) -> Page:
    """A group's testbed as pages show it: name, kernel, and its warning as `mark`."""
    return {
        "name": group.testbed,
        "emulated": emulated(group.conditions),
        "virtual": virtual(group.conditions),
        "kernel": str(group.conditions.get("kernel", "")),
        "mark": mark(group.conditions),
    }


def order(findings: Findings) -> list[str]:
    """Every testbed: disks first, then files on disk and in memory, networks, virtual machines, and emulated ones last."""
    places: dict[str, tuple] = {}
    for g in findings.groups:
        kind = str(g.conditions.get("device.kind"))
        places.setdefault(g.testbed, (emulated(g.conditions), virtual(g.conditions), PLACES.get(kind, 0)))
    return sorted(places, key=lambda name: places[name])
