"""Models of testbeds, one per kind."""

from typing import Annotated, Any, ClassVar, Literal, Self, get_args

from pydantic import Field, PrivateAttr, model_validator

from spindlemark.config import links
from spindlemark.config.hard_disk import HardDisk
from spindlemark.core.limits import MOST_SECONDS, Folder, Name, Size, Text
from spindlemark.core.record import Closed

Scheduler = Literal["none", "mq-deadline", "bfq", "kyber"]
SCHEDULERS = get_args(Scheduler)
MOST_REQUESTS = (1 << 32) - 1  # per second: the largest limit that the kernel accepts


class Host(Closed):
    """Another machine with the testbed: see docs/cluster.md."""

    name: Name = Field(description="name for ssh or Slurm")
    folder: str = Field(
        pattern=r"^/[A-Za-z0-9._/-]+$",
        max_length=1000,
        description="folder on a local disk of that machine, where a copy of this project is kept",
    )


class Bed(Closed):
    """Keys of every testbed."""

    CAVEAT: ClassVar[str] = ""  # what its results cannot show
    description: Text
    title: Text | None = Field(default=None, description="name on pages; without it, that of the file")
    host: Host | None = Field(default=None, description="machine of the testbed; null: this one")
    scheduler: Scheduler = Field(description="I/O scheduler of experiments that do not declare one")
    source_directory: Folder = Field(
        description="folder for the source library; in memory, so that only the target is measured"
    )
    busy_bound: float = Field(
        gt=0,
        le=1,
        description="share above which a step is noisy: of the CPUs that others use or steal, or of the time "
        "in which others use the disk below",
    )
    image_size: Size | None = Field(
        default=None, gt=0, description="bytes of the image, or of the part of the disk used; without it, the profile's"
    )


class Figures(Closed):
    """The figures of a device, as printed in a document."""

    read: Text = Field(min_length=1)
    write: Text = Field(min_length=1)
    read_requests: Text = Field(min_length=1)
    write_requests: Text = Field(min_length=1)


class Reference(Closed):
    """The product whose figures limit a device, so that it is equal on every machine that is fast enough."""

    product: Text = Field(min_length=1)
    document: Text = Field(min_length=1, description="title and edition of the manufacturer's data sheet")
    address: Text = Field(pattern=r"^https://", description="address at the manufacturer")
    prints: Figures


class Throttle(Closed):
    """Limits of the kernel that make a device slower."""

    read: Size = Field(gt=0, description="bytes per second")
    write: Size = Field(gt=0, description="bytes per second")
    read_requests: int | None = Field(default=None, gt=0, le=MOST_REQUESTS, description="requests per second")
    write_requests: int | None = Field(default=None, gt=0, le=MOST_REQUESTS, description="requests per second")
    reference: Reference | None = Field(default=None, description="source of the figures")

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.reference and None in (self.read_requests, self.write_requests):
            raise ValueError("reference: a reference device needs read_requests and write_requests too")
        return self

    def limits(self) -> dict[str, int]:
        """The declared limits, by name."""
        figures = {
            "read": self.read,
            "write": self.write,
            "read_requests": self.read_requests,
            "write_requests": self.write_requests,
        }
        return {name: int(figure) for name, figure in figures.items() if figure is not None}


class DeviceModel(Closed):
    """Limits for the storage of a network: the factor `device`."""

    description: Text = Field(min_length=1)
    source: Text = Field(min_length=1, description="source of each figure, or a note that no document prints it")
    read: Size = Field(gt=0, description="bytes per second")
    write: Size = Field(gt=0, description="bytes per second")
    read_requests: int | None = Field(default=None, gt=0, le=MOST_REQUESTS, description="requests per second")
    write_requests: int | None = Field(default=None, gt=0, le=MOST_REQUESTS, description="requests per second")

    def limits(self) -> dict[str, int]:
        """The declared limits, by name."""
        return Throttle(**self.model_dump(exclude={"description", "source"})).limits()


class LoopTestbed(Bed):
    """A loop device on a file that this program creates."""

    kind: Literal["loop"]
    directory: Folder = Field(description="folder for the image and the mount point; relative to the project")
    direct_io: bool
    throttle: Throttle | None = Field(default=None, description="without it, as fast as the storage below")


class RamTestbed(Bed):
    """A loop device on a file in memory: the filesystem's own overhead or, with `throttle`, a reference device."""

    kind: Literal["ram"]
    memory: Folder = Field(description="folder in memory (tmpfs) for the image")
    sparse_memory: Size | None = Field(
        default=None,
        gt=0,
        description="most memory of a sparse image, of which only written blocks take memory; without it, the whole image "
        "is written before it is used",
    )
    throttle: Throttle | None = Field(default=None, description="without it, as fast as memory")


class DiskModelTestbed(Bed):
    """A model of a documented hard disk, with seeks, rotation, zones, cache and queue. Its content is in memory."""

    kind: Literal["disk_model"]
    memory: Folder = Field(description="folder in memory (tmpfs) for the image")
    disk: HardDisk


class BlockTestbed(Bed):
    """A whole real disk, which is erased. `./spindlemark plan` shows it, and whether it would be used."""

    kind: Literal["block"]
    device: Folder = Field(description="its name in /dev/disk/by-id")
    serial: Text = Field(min_length=1, description="serial number as the kernel reports it")
    model: Text | None = Field(description="model as the kernel reports it; null where it reports none")
    size: Size = Field(ge=4 << 20, description="bytes of the whole disk")
    erase: Text = Field(description="the serial number again, as permission to erase the disk")


class VmTestbed(Bed):
    """A virtual machine with a packaged kernel and this host's userland; its disk is an image on the host."""

    kind: Literal["vm"]
    kernel: str = Field(
        pattern=r"^[a-z][a-z0-9-]*$", max_length=64, description="suite of the Debian archive whose kernel is booted"
    )
    kernels: Folder = Field(description="folder for downloaded kernels; relative to the project")
    directory: Folder = Field(description="folder for the image and the machine's files; relative to the project")
    direct_io: bool = Field(description="whether the guest's disk bypasses the host's page cache")
    cpus: int = Field(ge=1, le=1024)
    memory: Size = Field(ge=512 << 20)
    boot_seconds: float = Field(gt=0, le=MOST_SECONDS, description="longest time until the guest accepts requests")
    silence_seconds: float = Field(
        gt=0, le=MOST_SECONDS, description="time without a sign of life after which a guest counts as hung"
    )
    repetition_seconds: float = Field(gt=0, le=MOST_SECONDS, description="longest time of one repetition")
    idle_seconds: float = Field(
        gt=0, le=MOST_SECONDS, description="time without a request after which a guest powers off"
    )


class Network(Bed):
    """A network between a server and clients. Experiments can override its settings."""

    storage: Name | None = Field(description="testbed whose device the server uses; null: no disk")
    mtu: links.Mtu = Field(default="1500", description="largest packet in bytes")
    offloads: links.Offloads = Field(
        default="on", description="segmentation and checksum offloads; off: the kernel passes each packet separately"
    )
    link_rate: links.Rate = Field(
        default="unlimited", description="for example 100-mbit or 2.5-gbit, in each direction"
    )
    delay: links.Delay = Field(default="none", description="for example 10-ms, in each direction")
    jitter: links.Delay = Field(
        default="none", description="for example 2-ms: the delay varies randomly by up to this, in both directions"
    )
    loss: links.Loss = Field(default="none", description="for example 0.1-percent, in each direction")
    congestion: links.Congestion = Field(
        default=links.KERNEL, description="TCP's congestion control; kernel: the machine's default"
    )
    eee: links.Energy = Field(
        default=links.KERNEL, description="energy efficient Ethernet of real cards; kernel: unchanged"
    )
    _storage: Any = PrivateAttr(default=None)

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        if not links.LEAST_MTU <= int(self.mtu) <= links.MOST_MTU:
            raise ValueError(f"mtu: {self.mtu} is not between {links.LEAST_MTU} and {links.MOST_MTU}")
        for name in ("link_rate", "delay", "jitter", "loss"):
            if links.is_zero(value := getattr(self, name)):
                raise ValueError(
                    f"{name}: {value} has no effect: write {'unlimited' if name == 'link_rate' else 'none'}"
                )
        return self

    @property
    def disk(self) -> "Disk | None":
        """The testbed that `storage` names, set by the registry."""
        return self._storage

    def set_disk(self, storage: "Disk") -> None:
        """Set the testbed that `storage` names."""
        self._storage = storage


class LinkTestbed(Network):
    """Two network namespaces of one machine, connected virtually: no physical network."""

    CAVEAT: ClassVar[str] = (
        "Server and clients run in two network namespaces on one machine, connected virtually: no physical network is "
        "involved, and both ends share the same processors."
    )
    kind: Literal["link"]


class Card(Closed):
    """A network card of this machine that is otherwise unused."""

    interface: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,14}$", description="its name in ip link")
    mac: links.Mac = Field(description="its address in ip link")
    take: Text = Field(description="the address again, as permission to use the card during measurements")


class NicTestbed(Network):
    """Two real cards of this machine, connected by a cable or switch, each in its own network namespace."""

    CAVEAT: ClassVar[str] = (
        "Server and clients run on one machine and share its processors; two network cards connect them."
    )
    kind: Literal["nic"]
    server: Card
    client: Card

    @model_validator(mode="after")
    def _two(self) -> Self:
        if self.server.interface == self.client.interface or self.server.mac == self.client.mac:
            raise ValueError("client: is the same card as server: use two cards")
        return self


class ProcessorTestbed(Bed):
    """Processors and memory only, for families that need no device."""

    kind: Literal["processor"]
    memory: Folder = Field(description="working folder in memory (tmpfs); image_size is its largest content")
    scheduler: Scheduler = Field(default="none", description="unused: there is no disk")
    source_directory: Folder = Field(default="/dev/shm", description="unused: there is no library")


Disk = LoopTestbed | RamTestbed | DiskModelTestbed | BlockTestbed  # what a network can use as storage
Testbed = Annotated[
    Disk | VmTestbed | LinkTestbed | NicTestbed | ProcessorTestbed,
    Field(discriminator="kind"),
]


def caveat(kind: str) -> str:
    """What results of a kind of testbed cannot show; empty for most kinds, and for an unknown one."""
    beds = get_args(get_args(Testbed)[0])
    return next((bed.CAVEAT for bed in beds if kind in get_args(bed.model_fields["kind"].annotation)), "")
