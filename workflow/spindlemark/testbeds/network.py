"""A network for a family: two ends, their connection, and the disk on the server's side."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
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
    """Two ends, their connection, and the disk on the server's side, with all methods of a disk."""

    server: End
    client: End
    disk: device.Device | None
    wire: Wire
    settings: NetworkSettings
    present: Conditions = Conditions()
    relayed: relay.Relay | None = None
    netem: bool | None = None  # whether the kernel has it; None where it was not checked
    verified_rates: dict[int, float] = field(default_factory=dict)  # rate -> bytes per second of the slower direction
    cards: dict[str, Scalar] = field(default_factory=dict)  # environment fields of real cards
    limits: throttle.Limits = field(default_factory=dict)  # of the disk's speed
    readahead: str = KERNEL  # KiB that the kernel reads ahead of the disk

    def within(self, end: End, argv: Sequence[str], user: str | None = None, rights: Sequence[str] = ()) -> list[str]:
        """Return the command that starts `argv` at an end, as an unprivileged `user` with only the capabilities `rights`."""
        return [*shaping.in_namespace(end.namespace), *(as_user(user, rights) if user else []), *map(str, argv)]

    def shape(self, wanted: Conditions) -> None:
        """Change the conditions of the link; queued packets stay. A rate is not tested, see `verify_rate`.

        Raises Unsupported for delay, jitter or loss where the kernel has no netem and the link was opened without them.
        """
        self.wire.require_up()
        if wanted.disturbed and self.relayed is None and self.netem is None:
            self.netem = shaping.has_netem(self.server.namespace)
        if wanted.disturbed and not (self.relayed or self.netem):
            raise Unsupported(
                "this kernel has no netem: without it a link can only have delay, jitter or loss if it was opened "
                "with them"
            )
        for end in (self.server, self.client):
            if self.netem and wanted.disturbed:  # single packets must be lost or late, not 64 KiB at once
                command(end, shaping.without_offloads(end.interface))
                self.settings = {**self.settings, "offloads": "off"}
            for words in shaping.queue_commands(end.interface, int(self.settings["mtu"]), wanted, bool(self.netem)):
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

    def at_full_speed(self) -> AbstractContextManager[None]:
        """Lift the limits of the disk's speed while the context prepares files on it."""
        if self.limits:
            return throttle.lifted(self._disk.testbed, self._disk.node, self.limits)
        return self._disk.at_full_speed()

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
        """The options of the filesystem mounted on the disk's mount point."""
        return self.disk.mount_options() if self.disk else None

    def transferred(self) -> device.Traffic:
        """Traffic of the disk. Raises Broken when the link is down, which is not the fault of a configuration."""
        self.wire.require_up()
        return self.disk.transferred() if self.disk else device.Traffic()

    def counters(self) -> Mapping[str, Path]:
        """Files of the load sampler: those of the disk."""
        return self.disk.counters() if self.disk else {}

    def facts(self) -> dict[str, Scalar]:
        """Environment fields link.* and those of the disk. Raises Broken as `transferred` does."""
        self.wire.require_up()
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
        for rate, got in self.verified_rates.items():
            reported[f"link.proved_bits_per_second.{rate}"] = round(got * 8)
        return reported | (self.disk.facts() if self.disk else {})

    def verify_rate(self, rate: int) -> None:
        """Limit the link to a rate and test it in both directions; raises Invalid where the rate is not held."""
        self.shape(Conditions(rate=rate))
        ways = (self.server, self.client), (self.client, self.server)
        self.verified_rates[rate] = min(shaping.verify_rate(*way, rate, int(self.settings["mtu"])) for way in ways)

    def _congestion(self) -> str:
        requested = self.settings["congestion"]
        return self.wire.congestion() if requested == KERNEL else requested

    @property
    def _disk(self) -> device.Device:
        if self.disk is None:
            raise Unsupported("the testbed has no disk: its declaration names no storage")
        return self.disk
