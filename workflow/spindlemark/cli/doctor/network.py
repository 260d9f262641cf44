"""Networks between namespaces: what of them this kernel has, and whether declared cards would be taken. Only looks."""

import os
import platform
import re
from functools import cache
from pathlib import Path

from spindlemark.cli.doctor.row import Row
from spindlemark.config import NicTestbed, Registry
from spindlemark.testbeds import kernel_modules, network_cards

SYMBOLS, TUN, NAMESPACE = Path("/proc/kallsyms"), Path("/dev/net/tun"), Path("/proc/self/ns/net")
# A function of each driver, which the kernel lists where it is built in or loaded, and the driver's name as a module.
DRIVERS = {"veth": "veth_xmit", "sch_tbf": "tbf_enqueue", "sch_netem": "netem_enqueue"}


def rows(registry: Registry) -> list[Row]:
    """One row each for the link, held rates and disturbed packets, and one per declared pair of cards."""
    return [
        link(),
        rates(),
        disturbed(),
        *(
            _cards(name, testbed)
            for name, testbed in sorted(registry.testbeds.items())
            if isinstance(testbed, NicTestbed)
        ),
    ]


def link(namespace: Path = NAMESPACE) -> Row:
    """Whether two network namespaces can be joined."""
    what = "network: link"
    if not namespace.exists():
        return Row(
            what, False, "the kernel has no network namespaces", "measure families of networks on another kernel"
        )
    if not _has("veth"):
        return Row(
            what,
            False,
            "the kernel has no veth driver",
            "load it, or install the kernel package that brings it: modprobe veth",
        )
    return Row(what, True, "namespaces, virtual cards")


def rates() -> Row:
    """Whether rates can be held."""
    held = _has("sch_tbf")
    return Row(
        "network: rates",
        held,
        "held by tbf, proved before each repetition" if held else "the kernel has no sch_tbf",
        "" if held else "its experiments will not be measured; install the kernel package that brings sch_tbf",
    )


def disturbed(tun: Path = TUN) -> Row:
    """Who delays and loses packets."""
    what = "network: delay and loss"
    if _has("sch_netem"):
        return Row(what, True, "by the kernel (netem)")
    if not tun.exists():
        return Row(what, False, f"the kernel has no netem, and {tun} is absent", "modprobe sch_netem, or modprobe tun")
    if not os.access(tun, os.R_OK | os.W_OK):
        return Row(what, False, f"the kernel has no netem, and {tun} may not be used", "measure as root")
    return Row(what, True, "by a program between two TUN devices: this kernel has no netem")


def _cards(name: str, declared: NicTestbed) -> Row:
    what = f"network cards: {name}"
    for card in (declared.server, declared.client):
        if reason := network_cards.complaint(card):
            return Row(what, False, f"{card.interface}: {reason}", "see docs/network.md for what is refused")
    return Row(what, True, f"{declared.server.interface} and {declared.client.interface} would be taken")


def _has(module: str) -> bool:
    return bool(re.search(rf" {DRIVERS[module]}\b", _symbols())) or module in kernel_modules.modules(
        Path("/lib/modules") / platform.release()
    )


@cache
def _symbols() -> str:
    try:
        return SYMBOLS.read_text()
    except OSError:
        return ""
