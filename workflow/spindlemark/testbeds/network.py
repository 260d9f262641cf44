"""A network as a family has it: two ends, what joins them, and the disk on the server's side."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from spindlemark.config.links import KERNEL, Conditions
from spindlemark.core.outcome import Unsupported
from spindlemark.core.record import Scalar
from spindlemark.testbeds import device, readahead, relay, shaping, throttle
from spindlemark.testbeds.background import as_user
from spindlemark.testbeds.link_watch import Carried, Wire, command
from spindlemark.testbeds.shaping import End

SETTINGS = ("mtu", "offloads", "link_rate", "delay", "jitter", "loss", "congestion", "eee")
NetworkSettings = Mapping[str, str]  # the values of SETTINGS


@dataclass
class Link:
    """Two ends, what joins them, and the disk on the server's side, with all that a family asks of a disk."""

    server: End
    client: End
    disk: device.Device | None
    wire: Wire
    settings: NetworkSettings
    present: Conditions = Conditions()
    relayed: relay.Relay | None = None
    netem: bool | None = None  # whether the kernel has it; None where nothing asked
    proved: dict[int, float] = field(default_factory=dict)  # rate -> bytes per second of the slower direction
    cards: dict[str, Scalar] = field(default_factory=dict)  # environment fields of real cards
    limits: throttle.Limits = field(default_factory=dict)  # of the disk's speed
    readahead: str = KERNEL  # KiB that the kernel reads ahead of the disk

    def within(self, end: End, argv: Sequence[str], user: str | None = None, rights: Sequence[str] = ()) -> list[str]:
        """The words that start `argv` at an end, as an unprivileged `user` if one is named, with no more than its `rights`."""
        return [*shaping.entered(end.namespace), *(as_user(user, rights) if user else []), *map(str, argv)]

    def shape(self, wanted: Conditions) -> None:
        """Give the link other conditions; what waits in it stays. `prove` tries a rate, where nothing else runs.

        Raises Unsupported where packets are to be disturbed, this kernel has no netem and the link was opened without.
        """
        self.wire.require_whole()
        if wanted.disturbed and self.relayed is None and self.netem is None:
            self.netem = shaping.has_netem(self.server.namespace)
        if wanted.disturbed and not (self.relayed or self.netem):
            raise Unsupported(
                "this kernel has no netem, and without it only a link that was opened with delay, jitter or "
                "loss can have them"
            )
        for end in (self.server, self.client):
            if self.netem and wanted.disturbed:  # what is lost or late is a packet, and not 64 KiB of them
                command(end, shaping.one_by_one(end.interface))
                self.settings = {**self.settings, "offloads": "off"}
            for words in shaping.disciplines(end.interface, int(self.settings["mtu"]), wanted, bool(self.netem)):
                command(end, words, may_fail="delete" in words)
        if self.relayed:
            self.relayed.set(wanted)
        self.present = wanted

    def carried(self) -> Carried:
        """Bytes and packets that server and client have sent since the link was made; see Carried.since."""
        return self.wire.carried()

    def claimed(self) -> AbstractContextManager[str]:
        """Context that yields the disk's node for one destructive command."""
        return self._disk.claimed()

    def unheld(self) -> AbstractContextManager[None]:
        """While the context puts onto the disk what is there before anything is measured, it is as fast as it can be."""
        return throttle.lifted(self._disk.testbed, self._disk.node, self.limits) if self.limits else nullcontext()

    def after_mount(self) -> None:
        """Set the requested readahead of a filesystem that was just mounted."""
        if self.disk and self.readahead != KERNEL:
            readahead.set_to(self.disk.testbed, self.disk.name, self.readahead)

    @property
    def node(self) -> Path:
        """The node of the disk on the server."""
        return self._disk.node

    @property
    def mount_point(self) -> Path:
        """The folder where the disk is mounted."""
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
        reported: dict[str, Scalar] = {f"link.{name}": self.settings[name] for name in SETTINGS}
        reported |= {
            "link.kind": self.wire.kind,
            "link.disturbed_by": by,
            "link.netem": self.netem,
            "link.congestion_used": self._congestion(),
            "link.queue": shaping.QUEUE if self.present.rate else None,
            "link.dropped_packets": self.wire.dropped(),
            "link.storage": self.disk.testbed if self.disk else None,
        }
        reported |= self.cards
        if self.relayed:  # its devices take no packet larger than the MTU
            reported |= {"link.offloads": "off"} | self.relayed.facts()
        for rate, got in self.proved.items():
            reported[f"link.proved_bits_per_second.{rate}"] = round(got * 8)
        return reported | (self.disk.facts() if self.disk else {})

    def prove(self, rate: int) -> None:
        """Hold the link to a rate and try it both ways; raises Invalid where it does not hold."""
        self.shape(Conditions(rate=rate))
        ways = (self.server, self.client), (self.client, self.server)
        self.proved[rate] = min(shaping.prove(*way, rate, int(self.settings["mtu"])) for way in ways)

    def _congestion(self) -> str:
        requested = self.settings["congestion"]
        return self.wire.congestion() if requested == KERNEL else requested

    @property
    def _disk(self) -> device.Device:
        if self.disk is None:
            raise Unsupported("the testbed has no disk: its declaration names no storage")
        return self.disk
