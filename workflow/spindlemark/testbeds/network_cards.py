"""Real network cards: which ones may be used, and how their state is restored after they were in a namespace.

A card is refused if its MAC address is not the declared one, if the user did not consent, if it has an IP address or a
route (especially the default route), or if it is up: then this machine uses it. Its state is noted before it is changed,
so that it is restored after a crash too. The kernel itself moves a real card back when its namespace is removed.
"""

import fcntl
import json
import os
import re
import socket
import struct
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from spindlemark.config import NicTestbed
from spindlemark.config.testbeds import Card
from spindlemark.core import private_files
from spindlemark.core.errors import UserError
from spindlemark.core.process.command import execute
from spindlemark.core.record import Scalar
from spindlemark.testbeds import retry, shaping

_NET, _ETHERNET = Path("/sys/class/net"), "1"
_OWNERS = ("brport", "master", "bridge", "bonding")
_FEATURES = {"tcp-segmentation-offload": "tso", "generic-segmentation-offload": "gso", "generic-receive-offload": "gro"}
_SIOCGIFFLAGS, _IFF_UP = 0x8913, 1
_SPEED, _EEE = re.compile(r"\b(\d+)base\S+"), re.compile(r"EEE status: (.+)")


def problem(card: Card) -> str | None:
    """Say why the card must not be used; None when it may be used."""
    folder = _NET / card.interface
    if not folder.exists():
        return "there is no such card"
    if _read(folder / "type") != _ETHERNET or (folder / "phy80211").exists():
        return "it is not an Ethernet card"
    if _read(folder / "address") != card.mac:
        return f"its address is {_read(folder / 'address')}, and {card.mac} was declared: it is another card"
    if card.take != card.mac:
        return "the user did not consent to its use: `take` is not its address"
    if owners := [name for name in _OWNERS if (folder / name).exists()]:
        return f"it is part of another device of this machine ({owners[0]})"
    if stacked := [entry.name for entry in folder.glob("upper_*")]:
        return f"another device of this machine uses it ({stacked[0].removeprefix('upper_')})"
    if found := _listed("address", card):
        return f"it has the address {found[0]}"
    if found := _listed("route", card):
        return f"a route leads through it: {found[0]}"
    return "it is up, so this machine uses it" if _flags(card.interface) & _IFF_UP else None


def require(name: str, declared: NicTestbed) -> None:
    """Raise UserError naming card and reason where one must not be used."""
    for side in ("server", "client"):
        card = getattr(declared, side)
        if reason := problem(card):
            raise UserError(
                f"config/testbeds/{name}.yaml: {side}: {card.interface} is refused: {reason}; nothing was changed",
                "name two cards that this machine does not use; see docs/network.md",
            )


def note(name: str, declared: NicTestbed) -> None:
    """Note the state of both cards before anything is changed."""
    private_files.write_note(
        _note(name), {card.interface: _present(card) for card in (declared.server, declared.client)}
    )


def move_back(name: str, folder: Path) -> None:
    """Move noted cards out of the namespaces of `folder`."""
    for interface in private_files.read_note(_note(name)):
        for path in folder.glob("*"):
            execute(
                [
                    *shaping.in_namespace(path),
                    "ip",
                    "link",
                    "set",
                    "dev",
                    interface,
                    "netns",
                    f"/proc/{os.getpid()}/ns/net",
                ],
                shaping.LIMIT_SECONDS,
                stoppable=False,
            )


def restore(name: str) -> None:
    """Restore the noted settings of the cards. After a crash the kernel may need a moment to move a card back.

    Raises UserError when a card does not come back within a minute, and again at each call until it is back.
    """
    for interface, was in private_files.read_note(_note(name)).items():
        retry.until(
            partial(_has_address, interface, was["mac"]),
            f"{interface}: the card has not come back from its namespace",
        )
        for words in _restoring(interface, was):
            execute(words, shaping.LIMIT_SECONDS, stoppable=False)  # a card may not support all of them
    private_files.remove_note(_note(name))


def facts(card: Card) -> dict[str, Scalar]:
    """Facts of a card: driver, vendor and model numbers, highest speed, and energy efficient Ethernet."""
    folder = _NET / card.interface
    driver = folder / "device" / "driver"
    speeds = _SPEED.findall(_output(["ethtool", card.interface]))
    return {
        "driver": driver.resolve().name if driver.exists() else None,
        "vendor": _read(folder / "device" / "vendor"),
        "model": _read(folder / "device" / "device"),
        "fastest_mbit": max(map(int, speeds)) if speeds else None,
        "eee": energy(card.interface),
    }


def _has_address(interface: str, mac: str) -> bool:
    return _read(_NET / interface / "address") == mac


def largest_mtu(card: Card) -> int:
    """Bytes of the largest packet that the card accepts."""
    reported = json.loads(_output(["ip", "-d", "-j", "link", "show", "dev", card.interface]) or "[{}]")[0]
    return reported.get("max_mtu") or int(_read(_NET / card.interface / "mtu") or 0)


def energy(interface: str, words: list[str] | None = None) -> str | None:
    """The state that `ethtool --show-eee` reports: enabled, disabled, not supported; None where it reports none."""
    found = _EEE.search(_output([*(words or []), "ethtool", "--show-eee", interface]))
    return found[1].strip() if found else None


def _present(card: Card) -> dict[str, Scalar]:
    printed = _output(["ethtool", "-k", card.interface])
    features = {short: bool(re.search(rf"^\s*{long}: on", printed, re.MULTILINE)) for long, short in _FEATURES.items()}
    folder = _NET / card.interface
    return {
        "mac": card.mac,
        "mtu": _read(folder / "mtu"),
        "queue": _read(folder / "tx_queue_len"),
        "eee": energy(card.interface),
        **features,
    }


def _restoring(interface: str, was: dict[str, Scalar]) -> Iterator[list[str]]:
    yield ["ip", "link", "set", "dev", interface, "down", "mtu", str(was["mtu"]), "txqueuelen", str(was["queue"])]
    yield ["tc", "qdisc", "delete", "dev", interface, "root"]
    yield [
        "ethtool",
        "-K",
        interface,
        *(word for short in _FEATURES.values() for word in (short, "on" if was[short] else "off")),
    ]
    if (eee := str(was["eee"] or "")).startswith(("enabled", "disabled")):
        yield ["ethtool", "--set-eee", interface, "eee", "on" if eee.startswith("enabled") else "off"]


def _listed(what: str, card: Card) -> list[str]:
    """Addresses of a card, or routes through it."""
    words = ["show", "table", "all", "dev"] if what == "route" else ["show", "dev"]
    found = []
    for family in ("-4", "-6"):
        entries = json.loads(_output(["ip", "-j", family, what, *words, card.interface]) or "[]")
        found += (
            [each["dst"] for each in entries if each.get("dst")]
            if what == "route"
            else [address["local"] for each in entries for address in each.get("addr_info", ())]
        )
    return found


def _flags(interface: str) -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        return struct.unpack_from(
            "H", fcntl.ioctl(control, _SIOCGIFFLAGS, struct.pack("16s16x", interface.encode())), 16
        )[0]


def _output(words: list[str]) -> str:
    return execute(words, shaping.LIMIT_SECONDS).stdout


def _read(file: Path) -> str | None:
    with suppress(OSError):
        return file.read_text().strip()
    return None


def _note(name: str) -> str:
    return f"cards-{name}"
