"""Real network cards: who may be taken, how one is moved into a namespace, and how it is given back as it was.

A card is refused whenever anything speaks against it: another address than declared, no word that it may be taken, an
address of its own, a route (the default route above all), or that it is up: then something of this machine uses it. What
it was like is noted before it is touched, so that it is given back after a crash too. The kernel itself gives a real card
back when its namespace is gone.
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
from spindlemark.testbeds import shaping, unmounting

_NET, _ETHERNET = Path("/sys/class/net"), "1"
_OWNERS = ("brport", "master", "bridge", "bonding")
_FEATURES = {"tcp-segmentation-offload": "tso", "generic-segmentation-offload": "gso", "generic-receive-offload": "gro"}
_SIOCGIFFLAGS, _IFF_UP = 0x8913, 1
_SPEED, _EEE = re.compile(r"\b(\d+)base\S+"), re.compile(r"EEE status: (.+)")


def complaint(card: Card) -> str | None:
    """Why the card may not be taken; None when it may."""
    folder = _NET / card.interface
    if not folder.exists():
        return "there is no such card"
    if _read(folder / "type") != _ETHERNET or (folder / "phy80211").exists():
        return "it is no Ethernet card"
    if _read(folder / "address") != card.mac:
        return f"its address is {_read(folder / 'address')}, and {card.mac} was declared: it is another card"
    if card.take != card.mac:
        return "nobody has said that it may be taken: `take` is not its address"
    if owners := [name for name in _OWNERS if (folder / name).exists()]:
        return f"something of this machine stands on it ({owners[0]})"
    if stacked := [entry.name for entry in folder.glob("upper_*")]:
        return f"something of this machine stands on it ({stacked[0].removeprefix('upper_')})"
    if found := _listed("address", card):
        return f"it has the address {found[0]}"
    if found := _listed("route", card):
        return f"a route leads through it: {found[0]}"
    return "it is up: something of this machine uses it" if _flags(card.interface) & _IFF_UP else None


def require(name: str, declared: NicTestbed) -> None:
    """Raise UserError naming card and reason where one may not be taken."""
    for side in ("server", "client"):
        card = getattr(declared, side)
        if reason := complaint(card):
            raise UserError(
                f"config/testbeds/{name}.yaml: {side}: {card.interface} is refused: {reason}; nothing was changed",
                "name two cards that nothing of this machine uses; see docs/network.md",
            )


def note(name: str, declared: NicTestbed) -> None:
    """Keep what both cards are like, before anything is changed."""
    private_files.write_note(
        _note(name), {card.interface: _present(card) for card in (declared.server, declared.client)}
    )


def give_back(name: str, folder: Path) -> None:
    """Move noted cards that are in the namespaces of `folder` to where they came from."""
    for interface in private_files.read_note(_note(name)):
        for path in folder.glob("*"):
            execute(
                [*shaping.entered(path), "ip", "link", "set", "dev", interface, "netns", f"/proc/{os.getpid()}/ns/net"],
                shaping.LIMIT_SECONDS,
                stoppable=False,
            )


def put_back(name: str) -> None:
    """Give noted cards the settings that they had. The kernel may need a moment to bring back what a crash left.

    Raises UserError when a card does not come back within a minute; it is told again until somebody puts it right.
    """
    for interface, was in private_files.read_note(_note(name)).items():
        unmounting.until(
            partial(_has_address, interface, was["mac"]),
            f"{interface}: the card has not come back from its namespace",
        )
        for words in _restoring(interface, was):
            execute(words, shaping.LIMIT_SECONDS, stoppable=False)  # a card may not know one of them
    private_files.remove_note(_note(name))


def facts(card: Card) -> dict[str, Scalar]:
    """What a card is: driver, maker's numbers, fastest speed that it knows, and what it says of its energy."""
    folder = _NET / card.interface
    driver = folder / "device" / "driver"
    speeds = _SPEED.findall(_told(["ethtool", card.interface]))
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
    """Bytes of the largest packet that the card takes."""
    reported = json.loads(_told(["ip", "-d", "-j", "link", "show", "dev", card.interface]) or "[{}]")[0]
    return reported.get("max_mtu") or int(_read(_NET / card.interface / "mtu") or 0)


def energy(interface: str, words: list[str] | None = None) -> str | None:
    """What `ethtool --show-eee` says: enabled, disabled, not supported; None where the card is not asked such things."""
    found = _EEE.search(_told([*(words or []), "ethtool", "--show-eee", interface]))
    return found[1].strip() if found else None


def _present(card: Card) -> dict[str, Scalar]:
    said = _told(["ethtool", "-k", card.interface])
    features = {short: bool(re.search(rf"^\s*{long}: on", said, re.MULTILINE)) for long, short in _FEATURES.items()}
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
    """Addresses of a card, or routes through it, as the kernel has them."""
    words = ["show", "table", "all", "dev"] if what == "route" else ["show", "dev"]
    found = []
    for family in ("-4", "-6"):
        said = json.loads(_told(["ip", "-j", family, what, *words, card.interface]) or "[]")
        found += (
            [each["dst"] for each in said if each.get("dst")]
            if what == "route"
            else [address["local"] for each in said for address in each.get("addr_info", ())]
        )
    return found


def _flags(interface: str) -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        return struct.unpack_from(
            "H", fcntl.ioctl(control, _SIOCGIFFLAGS, struct.pack("16s16x", interface.encode())), 16
        )[0]


def _told(words: list[str]) -> str:
    return execute(words, shaping.LIMIT_SECONDS).stdout


def _read(file: Path) -> str | None:
    with suppress(OSError):
        return file.read_text().strip()
    return None


def _note(name: str) -> str:
    return f"cards-{name}"
