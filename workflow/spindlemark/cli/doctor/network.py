"""Checks of networks: what this kernel offers, and whether the declared cards may be used. They change nothing."""

import os
import platform
import re
from functools import cache
from pathlib import Path

from spindlemark.cli.doctor.row import Row
from spindlemark.config import NicTestbed, Registry
from spindlemark.testbeds import kernel_modules, network_cards

SYMBOLS, TUN, NAMESPACE = Path("/proc/kallsyms"), Path("/dev/net/tun"), Path("/proc/self/ns/net")
# Module -> a function of the driver: the kernel lists it if the driver is built in or loaded.
DRIVERS = {"veth": "veth_xmit", "sch_tbf": "tbf_enqueue", "sch_netem": "netem_enqueue"}


def rows(registry: Registry) -> list[Row]:
    """One row each for the link, limited rates, and delay and loss, and one per declared pair of cards."""
    return [
        link(),
        rates(),
        delay_and_loss(),
        *(
            _cards(name, testbed)
            for name, testbed in sorted(registry.testbeds.items())
            if isinstance(testbed, NicTestbed)
        ),
    ]


def link(namespace: Path = NAMESPACE) -> Row:
    """Whether two network namespaces can be connected."""
    what = "network: link"
    if not namespace.exists():
        return Row(what, False, "the kernel has no network namespaces", "measure network families with another kernel")
    if not _has("veth"):
        return Row(
            what,
            False,
            "the kernel has no veth driver",
            "run: modprobe veth; or install the kernel package with that driver",
        )
    return Row(what, True, "namespaces and virtual cards")


def rates() -> Row:
    """Whether rates can be limited."""
    limited = _has("sch_tbf")
    return Row(
        "network: rates",
        limited,
        "limited by tbf, checked before each repetition" if limited else "the kernel has no sch_tbf",
        "" if limited else "its experiments are not measured; install the kernel package with sch_tbf",
    )


def delay_and_loss(tun: Path = TUN) -> Row:
    """The program that delays and drops packets: the kernel, or a process in user space."""
    what = "network: delay and loss"
    if _has("sch_netem"):
        return Row(what, True, "by the kernel (netem)")
    if not tun.exists():
        return Row(
            what, False, f"the kernel has no netem, and {tun} is absent", "run: modprobe sch_netem; or: modprobe tun"
        )
    if not os.access(tun, os.R_OK | os.W_OK):
        return Row(what, False, f"the kernel has no netem, and {tun} may not be used", "measure as root")
    return Row(what, True, "by a program between two TUN devices, since this kernel has no netem")


def _cards(name: str, declared: NicTestbed) -> Row:
    what = f"network cards: {name}"
    for card in (declared.server, declared.client):
        if reason := network_cards.problem(card):
            return Row(what, False, f"{card.interface}: {reason}", "docs/network.md lists which cards are refused")
    return Row(what, True, f"{declared.server.interface} and {declared.client.interface} can be used")


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
