"""Testbed kind `link`: a server and clients in two network namespaces of this machine, joined by a veth pair.

What it cannot tell: there is no wire, no switch and no card in it, and both ends share this machine's processors. What
it tells is what software takes: protocols, servers, clients, and what delay, loss and a held rate make of them.

A kernel without netem gets a program between two TUN devices where packets are to be delayed or lost (relay.py). A disk
can stand on the server's side: the device of another testbed, opened and cleaned by that one's kind.
"""

import json
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from spindlemark.declare import Network
from spindlemark.declare.links import KERNEL, Conditions, conditions
from spindlemark.errors import UserError
from spindlemark.measure.background import as_user
from spindlemark.measure.outcome import Broken, Failed, Unsupported
from spindlemark.record import Scalar
from spindlemark.testbeds import block, device, kernel, loop, namespaces, readahead, relay, shaping, throttle
from spindlemark.testbeds.shaping import End
from spindlemark.testbeds.wire import Carried, Wire, command

TOOLS = {**shaping.TOOLS, **loop.TOOLS, **block.TOOLS, "sh": "dash"}
NETWORK, SERVER, CLIENT = "198.18.0.0/30", "198.18.0.1", "198.18.0.2"
SETTINGS = ("mtu", "offloads", "link_rate", "delay", "jitter", "loss", "congestion")
_QUEUED_PACKETS = "4096"  # that wait for a relay whose processor is taken for a moment
Run = Callable[..., object]
Setting = Mapping[str, str]


@dataclass
class Link:
    """Two ends, what joins them, and the disk on the server's side, with all that a family asks of a disk."""

    server: End
    client: End
    disk: device.Device | None
    wire: Wire
    setting: Setting
    present: Conditions = Conditions()
    relayed: relay.Relay | None = None
    netem: bool | None = None  # whether the kernel has it; None where nothing asked
    proved: dict[int, float] = field(default_factory=dict)  # rate -> bytes per second of the slower direction

    def within(self, end: End, argv: Sequence[str], user: str | None = None) -> list[str]:
        """The words that start `argv` at an end, as an unprivileged `user` if one is named."""
        return [*shaping.entered(end.namespace), *(as_user(user) if user else []), *map(str, argv)]

    def shape(self, wanted: Conditions) -> None:
        """Give the link other conditions. A rate is proved when it is set for the first time, while nothing runs.

        Raises Unsupported where packets are to be disturbed, this kernel has no netem and the link was opened without.
        """
        self.wire.require_whole()
        if wanted.disturbed and self.relayed is None and self.netem is None:
            self.netem = shaping.has_netem(self.server.namespace)
        if wanted.disturbed and not (self.relayed or self.netem):
            raise Unsupported("this kernel has no netem, and the link was opened without delay, jitter or loss")
        for end in (self.server, self.client):
            first, *rest = shaping.disciplines(end.interface, int(self.setting["mtu"]), wanted, bool(self.netem))
            command(end, first, may_fail=True)
            for words in rest:
                command(end, words)
        if self.relayed:
            self.relayed.set(wanted)
        self.present = wanted

    def carried(self) -> Carried:
        """Bytes and packets that server and client have sent since the link was made; see Carried.since."""
        return self.wire.carried()

    def claimed(self) -> AbstractContextManager[str]:
        """Context that yields the disk's node for one destructive command."""
        return self._disk.claimed()

    def mounted(self) -> None:
        """Give a filesystem that was just mounted the readahead that was asked for."""
        if self.disk and (size := self.setting.get("readahead", KERNEL)) != KERNEL:
            readahead.set_to(self.disk.testbed, self.disk.name, size)

    @property
    def node(self) -> Path:
        return self._disk.node

    @property
    def mount_point(self) -> Path:
        return self._disk.mount_point

    @property
    def size(self) -> int:
        """Bytes of the disk, 0 without one."""
        return self.disk.size if self.disk else 0

    def mount_options(self) -> str | None:
        """Those of what is mounted on the disk's mount point."""
        return self.disk.mount_options() if self.disk else None

    def transferred(self) -> device.Traffic:
        """What the disk was asked for. Raises Broken when the link has been taken down: that is no subject's fault."""
        self.wire.require_whole()
        return self.disk.transferred() if self.disk else device.Traffic()

    def counters(self) -> Mapping[str, Path]:
        """Files of the load sampler: those of the disk."""
        return self.disk.counters() if self.disk else {}

    def facts(self) -> dict[str, Scalar]:
        """Environment fields link.* and those of the disk. Raises Broken as `transferred` does."""
        self.wire.require_whole()
        by = "relay" if self.relayed else "netem" if self.present.disturbed else None
        told: dict[str, Scalar] = {f"link.{name}": self.setting[name] for name in SETTINGS}
        told |= {"link.kind": self.wire.kind, "link.disturbed_by": by, "link.netem": self.netem,
                 "link.congestion_in_force": self.wire.congestion(), "link.queue": shaping.QUEUE if self.present.rate else None,
                 "link.dropped_packets": self.wire.dropped(), "link.storage": self.disk.testbed if self.disk else None}
        if self.relayed:  # its devices take no packet larger than the MTU
            told |= {"link.offloads": "off"} | self.relayed.facts()
        for rate, got in self.proved.items():
            told[f"link.proved_bits_per_second.{rate}"] = round(got * 8)
        return told | (self.disk.facts() if self.disk else {})

    @property
    def _disk(self) -> device.Device:
        if self.disk is None:
            raise Unsupported("the testbed has no disk: its declaration names no storage")
        return self.disk


@contextmanager
def opened(name: str, declared: Network, size: int, factors: dict[str, Any], run: Run) -> Iterator[Link]:
    """Make namespaces, cards and disk; shape the link as the factors say, the declaration where they say nothing.

    `clean` takes it away again. Raises UserError for what the user can mend, Unsupported for what this kernel cannot do,
    Invalid where a rate is not held.
    """
    setting = {each: factors.get(each, getattr(declared, each)) for each in SETTINGS}
    setting["readahead"] = factors.get("readahead", KERNEL)
    with ExitStack() as stack:
        disk = _disk(stack, declared, size, factors, run)
        if disk is None:
            kernel.own_mount_namespace()
        made = stack.enter_context(joined(setting, run))
        made.disk = disk
        yield made


@contextmanager
def joined(setting: Setting, run: Run) -> Iterator[Link]:
    """The two ends by themselves, in this process's mount namespace; `namespaces.remove` takes them away."""
    wanted, interface = conditions(setting), f"link{secrets.token_hex(4)}"
    paths = namespaces.make(("server", "client"), interface)
    server, client = (End(str(path), interface, address) for path, address in zip(paths, (SERVER, CLIENT), strict=True))
    netem = shaping.has_netem(paths[0]) if wanted.disturbed else None
    with ExitStack() as stack:
        relayed = stack.enter_context(relay.running(server, client)) if wanted.disturbed and not netem else None
        _join(server, client, setting, relayed is None, run)
        wire = stack.enter_context(Wire("tun" if relayed else "veth", server, client))
        made = Link(server, client, None, wire, setting, relayed=relayed, netem=netem)
        if wanted.rate:  # nothing is delayed or lost yet
            made.shape(Conditions(rate=wanted.rate))
            made.proved[wanted.rate] = min(shaping.prove(*ends, wanted.rate, int(setting["mtu"]))
                                           for ends in ((server, client), (client, server)))
        if wanted.disturbed:
            made.shape(wanted)
        yield made


def clean(name: str, declared: Network) -> None:
    """Take away namespaces, what runs in them, and all of the disk; the caller holds the machine's lock."""
    namespaces.remove()
    if declared.disk is not None:
        _kind(declared).clean(declared.storage, declared.disk)


def device_facts(declared: Network, size: int) -> dict[str, Any]:
    """The device part of the fingerprint: what the link is like unless an experiment says else, and its disk."""
    storage = _kind(declared).device_facts(declared.disk, size) if declared.disk is not None else None
    return {"kind": declared.kind, "bytes": size if storage else 0, "storage": storage,
            **{each: getattr(declared, each) for each in SETTINGS}}


def _kind(declared: Network) -> ModuleType:
    return import_module(f"spindlemark.testbeds.{declared.disk.kind}")


def _disk(stack: ExitStack, declared: Network, size: int, factors: Setting, run: Run) -> device.Device | None:
    """The storage, opened as its kind does, as slow and with the readahead that the factors say."""
    if declared.disk is None:
        return None
    disk = stack.enter_context(_kind(declared).opened(declared.storage, declared.disk, size, factors, run))
    if limits := json.loads(factors.get("device") or "{}"):
        with disk.claimed() as node:
            throttle.slow_down(declared.storage, node, limits)
    if (ahead := factors.get("readahead", KERNEL)) != KERNEL:
        readahead.set_to(declared.storage, disk.name, ahead)
    return disk


def _join(server: End, client: End, setting: Setting, virtual_cards: bool, run: Run) -> None:
    """Cards, addresses and routes: neither end knows a way to anywhere but the other."""
    mtu, here = ["mtu", setting["mtu"]], shaping.entered(server.namespace)
    try:
        if virtual_cards:
            run([*here, "ip", "link", "add", server.interface, *mtu, "type", "veth",
                 "peer", "name", client.interface, *mtu, "netns", client.namespace])
        for end in (server, client):
            _set_up(end, setting, virtual_cards, run)
    except Failed as failed:
        raise UserError(f"the network namespaces cannot be joined: {failed.reason}",
                        "the kernel's veth and tun drivers are needed (modprobe veth tun), and root") from None


def _set_up(end: End, setting: Setting, virtual_cards: bool, run: Run) -> None:
    here, card = shaping.entered(end.namespace), ["dev", end.interface]
    run([*here, "ip", "link", "set", "dev", "lo", "up"])
    run([*here, "ip", "link", "set", *card, "mtu", setting["mtu"], "txqueuelen", _QUEUED_PACKETS, "addrgenmode", "none"])
    if virtual_cards and setting["offloads"] == "off":
        run([*here, "ethtool", "-K", end.interface, "tso", "off", "gso", "off", "gro", "off"])
    run([*here, "ip", "address", "add", f"{end.address}/{NETWORK.partition('/')[2]}", *card])
    run([*here, "ip", "link", "set", *card, "up"])
    if (congestion := setting["congestion"]) != KERNEL:
        require_congestion(end, congestion)
        run([*here, "ip", "route", "replace", NETWORK, *card, "scope", "link", "src", end.address, "congctl", congestion])


def require_congestion(end: End, name: str) -> None:
    """Raise Unsupported where the kernel has no such congestion control; it is loaded where it is a module."""
    offered = Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text().split()
    if name not in offered and not _loads(name):
        raise Unsupported(f"this kernel has no congestion control {name}: it offers {', '.join(offered)}")


def _loads(name: str) -> bool:
    from spindlemark.testbeds import loads_module

    return loads_module(f"tcp_{name}")


__all__ = ["Broken", "Carried", "Conditions", "End", "Link", "clean", "device_facts", "joined", "opened"]
