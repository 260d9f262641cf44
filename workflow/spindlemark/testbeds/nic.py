"""Testbed kind `nic`: two real cards of this machine, joined by a cable or a switch, each in a network namespace.

Server and clients still share this machine's processors, but their packets pass cards and cable. network_cards.py
decides which cards may be used; everything else is as in kind `link`. No program is between the cards, so delay, jitter
and loss are unsupported where the kernel has no netem.
"""

import hashlib
import secrets
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any

from spindlemark.config import NicTestbed
from spindlemark.config.links import KERNEL, conditions
from spindlemark.config.testbeds import Card
from spindlemark.core.errors import UserError
from spindlemark.core.outcome import Unsupported
from spindlemark.core.record import Scalar
from spindlemark.testbeds import link, namespaces, network_cards, retry, shaping
from spindlemark.testbeds.kind import Kind, Run, Settings
from spindlemark.testbeds.link_watch import Wire
from spindlemark.testbeds.network import Link, NetworkSettings
from spindlemark.testbeds.shaping import End

TOOLS = link.TOOLS


def opened(name: str, declared: NicTestbed, size: int, settings: Settings, run: Run) -> AbstractContextManager[Link]:
    """Open the two cards and the disk; see link.opened_with. Raises UserError where a card is refused."""
    return link.opened_with(partial(_joined, name, declared), declared, size, settings, run)


def clean(name: str, declared: NicTestbed) -> None:
    """Restore the cards and remove everything else; the caller holds the machine's lock.

    Raises UserError when a card does not come back.
    """
    network_cards.move_back(name, namespaces.own())
    link.clean(name, declared)
    network_cards.restore(name)


def device_facts(declared: NicTestbed, size: int) -> dict[str, Any]:
    """The device part of the fingerprint: that of a link, and both cards with hashes of their addresses."""
    return link.device_facts(declared, size) | {
        side: {"card": _hashed(card), **network_cards.facts(card)} for side, card in _sides(declared)
    }


@contextmanager
def _joined(name: str, declared: NicTestbed, settings: NetworkSettings, run: Run) -> Iterator[Link]:
    network_cards.require(name, declared)
    # Distinguishes our namespaces from others, which may have cards of the same names.
    marker = f"link{secrets.token_hex(4)}"
    reported: dict[str, Scalar] = {
        f"link.{side}.{key}": value
        for side, card in _sides(declared)
        for key, value in network_cards.facts(card).items()
    }
    paths = namespaces.make(("server", "client"), marker)
    server, client = ends = [
        End(str(path), card.interface, address)
        for path, (_, card), address in zip(paths, _sides(declared), (link.SERVER, link.CLIENT), strict=True)
    ]
    netem = shaping.has_netem(paths[0]) if conditions(settings).disturbed else None
    if netem is False:
        raise Unsupported("this kernel has no netem, which real cards need for delay, jitter and loss")
    for _, card in _sides(declared):
        if int(settings["mtu"]) > (most := network_cards.largest_mtu(card)):
            raise Unsupported(
                f"{card.interface} accepts packets of {most} bytes at most, and {settings['mtu']} were requested"
            )
    network_cards.note(name, declared)
    with link.joining_errors():
        link.add_veth(server, client, marker, (), run)  # stays down and without an address
        for end in ends:
            run(["ip", "link", "set", "dev", end.interface, "netns", end.namespace])
            if settings["eee"] != KERNEL:
                _set_energy(end, settings["eee"], run)
            link.set_up(end, settings, True, run)
    with Wire("nic", server, client) as wire:
        _wait_for_wire(wire)
        reported |= {
            f"link.{side}.eee_in_force": network_cards.energy(end.interface, shaping.in_namespace(end.namespace))
            for side, end in zip(("server", "client"), ends, strict=True)
        }
        yield Link(server, client, None, wire, settings, netem=netem, cards=reported)


def _set_energy(end: End, wanted: str, run: Run) -> None:
    done = run(
        [*shaping.in_namespace(end.namespace), "ethtool", "--set-eee", end.interface, "eee", wanted], accept=range(256)
    )
    if done.exit_code:
        raise Unsupported(f"{end.interface} cannot turn energy efficient Ethernet {wanted}: {done.stderr.strip()}")


def _wait_for_wire(wire: Wire) -> None:
    """Wait until both cards have a link, which takes some seconds after they were set up."""
    try:
        retry.until(wire.is_up, "the two cards have no connection with each other")
    except UserError as error:
        raise UserError(error.problem, "connect them by a cable, or connect both to one switch") from None


def _sides(declared: NicTestbed) -> list[tuple[str, Card]]:
    return [("server", declared.server), ("client", declared.client)]


def _hashed(card: Card) -> str:
    return hashlib.sha256(card.mac.encode()).hexdigest()[:12]


KIND = Kind(tools=TOOLS, opened=opened, clean=clean, device_facts=device_facts)
