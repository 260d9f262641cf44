"""Testbeds on pages: name, order and warnings."""

from functools import cache
from typing import Any

from spindlemark.analysis.findings.emulation import emulated, virtual
from spindlemark.analysis.findings.model import Findings, Group
from spindlemark.config import Testbed, read_yaml
from spindlemark.core.paths import CONFIG
from spindlemark.core.record import Scalar

Page = dict[str, Any]
PLACES = {"loop": 1, "disk_model": 2, "ram": 3, "nic": 4, "link": 5}
EMULATED = "emulated: only the order is meaningful"
# Results of virtual network cards say nothing about physical networks, so every page with them carries this warning.
VIRTUAL_NETWORK = "no physical network"
MODELLED_DISK = "model of a hard disk, not a real one"
_MARKS = {"link": VIRTUAL_NETWORK, "disk_model": MODELLED_DISK}


@cache
def _titles() -> dict[str, str]:
    """Testbed -> its title, as declared now: releases were frozen without titles."""
    return {
        path.stem: title
        for path in sorted((CONFIG / "testbeds").glob("*.yaml"))
        if (title := read_yaml(path, Testbed).title)
    }


def title(testbed: str) -> str:
    """The name of a testbed on pages."""
    return _titles().get(testbed, testbed)


def mark(conditions: dict[str, Scalar]) -> str:
    """The warning to show wherever a testbed is named; empty for most."""
    if emulated(conditions):
        return EMULATED
    return _MARKS.get(str(conditions.get("device.kind")), "")


def of_group(group: Group) -> Page:
    """A group's testbed as pages show it: name, title, kernel, and its warning as `mark`."""
    return {
        "name": group.testbed,
        "title": title(group.testbed),
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
