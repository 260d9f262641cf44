"""Testbed kind `link`: a server and clients in two network namespaces of this machine, joined by a veth pair.

It has no wire, switch or network card, and both ends share this machine's processors. It shows the cost of software
(protocols, servers, clients) and how delay, loss and a limited rate change it.

Where packets are delayed or lost and the kernel has no netem, a program between two TUN devices does it (relay.py). The
server's side can have a disk: the device of another testbed, opened and cleaned by its kind.
"""

import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any

from spindlemark.config import Disk, LinkTestbed, Network, NicTestbed, RamTestbed
from spindlemark.config.links import KERNEL, Conditions, conditions
from spindlemark.core.errors import UserError
from spindlemark.core.outcome import Failed, Unsupported
from spindlemark.testbeds import (
    block,
    device,
    disk_model,
    kernel,
    kernel_modules,
    kind,
    loop,
    namespaces,
    readahead,
    relay,
    shaping,
    throttle,
)
from spindlemark.testbeds.kind import Kind, Run, Settings
from spindlemark.testbeds.link_watch import Carried, Wire
from spindlemark.testbeds.network import SETTINGS, Link, NetworkSettings
from spindlemark.testbeds.shaping import End

__all__ = ["TOOLS", "Carried", "Conditions", "End", "Link", "clean", "device_facts", "opened"]

TOOLS = {**shaping.TOOLS, **loop.TOOLS, **block.TOOLS, "sh": "dash"}
NETWORK, SERVER, CLIENT = "198.18.0.0/30", "198.18.0.1", "198.18.0.2"
_QUEUED_PACKETS = "4096"  # enough while the relay gets no processor for a moment
_DEFAULT = Path("/proc/sys/net/ipv4/tcp_congestion_control")
Join = Callable[[NetworkSettings, Run], AbstractContextManager[Link]]


def opened(name: str, declared: Network, size: int, settings: Settings, run: Run) -> AbstractContextManager[Link]:
    """Make namespaces, virtual cards and disk; see `opened_with`."""
    return opened_with(_joined, declared, size, settings, run)


@contextmanager
def opened_with(join: Join, declared: Network, size: int, settings: Settings, run: Run) -> Iterator[Link]:
    """Open the disk, let `join` make the network, and shape it according to the settings, or else the declaration.

    `clean` removes it. Raises UserError for what the user can fix, Unsupported for what this kernel cannot do, Invalid
    where a rate is not held.
    """
    network = {each: settings.get(each, getattr(declared, each)) for each in SETTINGS}
    wanted = conditions(network)
    with ExitStack() as stack:
        disk = _disk(stack, declared, size, settings, run)
        if disk is None:
            kernel.own_mount_namespace()
        made = stack.enter_context(join(network, run))
        made.disk, made.limits, made.readahead = disk, settings.get("limits", {}), settings.get("readahead", KERNEL)
        if wanted.rate:  # nothing is delayed or lost yet
            made.verify_rate(wanted.rate)
        if wanted.disturbed:
            made.shape(wanted)
        yield made


@contextmanager
def _joined(settings: NetworkSettings, run: Run) -> Iterator[Link]:
    if settings["eee"] != KERNEL:
        raise Unsupported("energy efficient Ethernet needs real network cards, and a veth pair is virtual")
    disturbed, interface = conditions(settings).disturbed, f"link{secrets.token_hex(4)}"
    paths = namespaces.make(("server", "client"), interface)
    server, client = (End(str(path), interface, address) for path, address in zip(paths, (SERVER, CLIENT), strict=True))
    netem = shaping.has_netem(paths[0]) if disturbed else None
    with ExitStack() as stack:
        relayed = stack.enter_context(relay.running(server, client)) if disturbed and not netem else None
        with joining_errors():
            if relayed is None:
                add_veth(server, client, interface, ("mtu", settings["mtu"]), run)
            for end in (server, client):
                set_up(end, settings, relayed is None, run)
        wire = stack.enter_context(Wire("tun" if relayed else "veth", server, client))
        yield Link(server, client, None, wire, settings, relayed=relayed, netem=netem)


def clean(name: str, declared: Network) -> None:
    """Remove the namespaces with their processes, and clean the disk; the caller holds the machine's lock."""
    namespaces.remove()
    if declared.disk is not None and declared.storage is not None:
        kind.of(declared.disk).clean(declared.storage, declared.disk)


def device_facts(declared: LinkTestbed | NicTestbed, size: int) -> dict[str, Any]:
    """The device part of the fingerprint: the declared settings of the link, and its disk."""
    storage = kind.of(declared.disk).device_facts(declared.disk, size) if declared.disk is not None else None
    return {
        "kind": declared.kind,
        "bytes": size if storage else 0,
        "storage": storage,
        **{each: getattr(declared, each) for each in SETTINGS},
        "congestion_used": _congestion(declared),
    }


def _congestion(declared: Network) -> str:
    """The declared congestion control, or that of the machine, which new namespaces inherit and which may differ."""
    return _DEFAULT.read_text().strip() if declared.congestion == KERNEL else declared.congestion


@contextmanager
def joining_errors() -> Iterator[None]:
    """Raise UserError for a command that fails while a network is set up: the configuration did not cause it."""
    try:
        yield
    except Failed as failed:
        raise UserError(
            f"the network namespaces cannot be joined: {failed.reason}",
            "the kernel's veth and tun drivers are needed (modprobe veth tun), and root",
        ) from None


def add_veth(server: End, client: End, name: str, words: Sequence[str], run: Run) -> None:
    """Add a pair of virtual cards with the same name, one at each end."""
    run(
        [
            *shaping.in_namespace(server.namespace),
            "ip",
            "link",
            "add",
            name,
            *words,
            "type",
            "veth",
            "peer",
            "name",
            name,
            *words,
            "netns",
            client.namespace,
        ]
    )


def set_up(end: End, settings: NetworkSettings, offloading: bool, run: Run) -> None:
    """Set address, MTU and the only route of an end, which leads to the other end."""
    here, card = shaping.in_namespace(end.namespace), ["dev", end.interface]
    run([*here, "ip", "link", "set", "dev", "lo", "up"])
    run(
        [
            *here,
            "ip",
            "link",
            "set",
            *card,
            "mtu",
            settings["mtu"],
            "txqueuelen",
            _QUEUED_PACKETS,
            "addrgenmode",
            "none",
        ]
    )
    if offloading and settings["offloads"] == "off":
        run([*here, *shaping.without_offloads(end.interface)])
    run([*here, "ip", "address", "add", f"{end.address}/{NETWORK.partition('/')[2]}", *card])
    run([*here, "ip", "link", "set", *card, "up"])
    if (congestion := settings["congestion"]) != KERNEL:
        _require_congestion(congestion)
        run(
            [
                *here,
                "ip",
                "route",
                "replace",
                NETWORK,
                *card,
                "scope",
                "link",
                "src",
                end.address,
                "congctl",
                congestion,
            ]
        )


def _require_congestion(name: str) -> None:
    """Raise Unsupported where the kernel lacks the congestion control; load it if it is a module."""
    offered = Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text().split()
    if name not in offered and not kernel_modules.loads_module(f"tcp_{name}"):
        raise Unsupported(f"this kernel has no congestion control {name}: it offers {', '.join(offered)}")


def _disk(stack: ExitStack, declared: Network, size: int, settings: Settings, run: Run) -> device.Device | None:
    """Open the storage, limit its speed and set its readahead as the settings say."""
    if declared.disk is None or declared.storage is None:
        return None
    disk = stack.enter_context(_opening(declared.storage, declared.disk, size, settings, run))
    if not isinstance(disk, device.Device):
        raise TypeError(f"testbed {declared.storage} has no device")
    if limits := settings.get("limits"):
        with disk.claimed() as node:
            throttle.apply(declared.storage, node, limits)
    if (ahead := settings.get("readahead", KERNEL)) != KERNEL:
        readahead.set_to(declared.storage, disk.name, ahead)
    return disk


def _opening(name: str, declared: Disk, size: int, settings: Settings, run: Run) -> AbstractContextManager[kind.Opened]:
    """The storage, or a modelled disk in its memory where the settings have one; both are cleaned the same way."""
    if (model := settings.get("disk_model")) is None:
        return kind.of(declared).opened(name, declared, size, settings, run)
    if not isinstance(declared, RamTestbed):
        raise TypeError(f"testbed {name} is not in memory, so it cannot have a modelled disk")
    return disk_model.modelled(name, declared, disk_model.of_facts(model), size, settings, run)


KIND = Kind(tools=TOOLS, opened=opened, clean=clean, device_facts=device_facts)
