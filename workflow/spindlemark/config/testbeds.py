"""Where it is measured: the kinds of testbeds."""

from typing import Annotated, Any, Literal, Self, get_args

from pydantic import Field, PrivateAttr, model_validator

from spindlemark.config import links
from spindlemark.core.limits import MOST_SECONDS, Folder, Name, Size, Text
from spindlemark.core.record import Closed

Scheduler = Literal["none", "mq-deadline", "bfq", "kyber"]
SCHEDULERS = get_args(Scheduler)
MOST_REQUESTS = (1 << 32) - 1  # per second, that the kernel takes as a limit


class Host(Closed):
    """Another machine, which has the testbed: see docs/cluster.md."""

    name: Name = Field(description="as ssh or Slurm know it")
    folder: str = Field(
        pattern=r"^/[A-Za-z0-9._/-]+$",
        max_length=1000,
        description="folder there, on a disk of its own, for a copy of this project, which is kept",
    )


class Bed(Closed):
    """What every testbed declares."""

    description: Text
    host: Host | None = Field(default=None, description="machine that has it; null: this one")
    scheduler: Scheduler = Field(description="of every experiment without its own")
    source_directory: Folder = Field(
        description="folder for the library that is copied from; memory, so only the target counts"
    )
    busy_bound: float = Field(
        gt=0,
        le=1,
        description="share of the CPUs stolen or used by others, or of a step's time in which others kept "
        "the disk below busy, above which a step is noisy",
    )
    image_size: Size | None = Field(
        default=None, gt=0, description="bytes of the image, or of the part of the disk used, instead of the profile's"
    )


class Figures(Closed):
    """Each figure of a device as a document prints it."""

    read: Text = Field(min_length=1)
    write: Text = Field(min_length=1)
    read_requests: Text = Field(min_length=1)
    write_requests: Text = Field(min_length=1)


class Reference(Closed):
    """The product whose figures a device is held to, so that it is the same one on every machine that can hold them."""

    product: Text = Field(min_length=1)
    document: Text = Field(min_length=1, description="title and edition of the maker's data sheet")
    address: Text = Field(pattern=r"^https://", description="where the maker keeps it")
    prints: Figures


class Throttle(Closed):
    """A slower device than there is: what the kernel lets through."""

    read: Size = Field(gt=0, description="bytes per second")
    write: Size = Field(gt=0, description="bytes per second")
    read_requests: int | None = Field(default=None, gt=0, le=MOST_REQUESTS, description="requests per second")
    write_requests: int | None = Field(default=None, gt=0, le=MOST_REQUESTS, description="requests per second")
    reference: Reference | None = Field(default=None, description="where each figure is printed")

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.reference and None in (self.read_requests, self.write_requests):
            raise ValueError("reference: a reference device needs read_requests and write_requests too")
        return self

    def limits(self) -> dict[str, int]:
        """The figures that are declared, by name."""
        figures = {
            "read": self.read,
            "write": self.write,
            "read_requests": self.read_requests,
            "write_requests": self.write_requests,
        }
        return {name: int(figure) for name, figure in figures.items() if figure is not None}


class DeviceModel(Closed):
    """What the storage of a network is held to: the factor `device`."""

    description: Text = Field(min_length=1)
    source: Text = Field(min_length=1, description="where each figure stands, or that nobody prints it")
    read: Size = Field(gt=0, description="bytes per second")
    write: Size = Field(gt=0, description="bytes per second")
    read_requests: int | None = Field(default=None, gt=0, le=MOST_REQUESTS, description="requests per second")
    write_requests: int | None = Field(default=None, gt=0, le=MOST_REQUESTS, description="requests per second")

    def limits(self) -> dict[str, int]:
        """The figures that are declared, by name."""
        return Throttle(**self.model_dump(exclude={"description", "source"})).limits()


class LoopTestbed(Bed):
    """A loop device on a file that this program makes."""

    kind: Literal["loop"]
    directory: Folder = Field(description="folder for the image and the mount point; relative to the project")
    direct_io: bool
    throttle: Throttle | None = Field(default=None, description="without it, as fast as what lies below")


class RamTestbed(Bed):
    """A loop device on a file in memory: the filesystem's own cost, or, with `throttle`, a reference device."""

    kind: Literal["ram"]
    memory: Folder = Field(description="folder in memory (tmpfs) for the image")
    throttle: Throttle | None = Field(default=None, description="without it, as fast as memory")


class BlockTestbed(Bed):
    """A real disk, whole, that is erased. `./spindlemark plan` shows it and says whether it would be taken."""

    kind: Literal["block"]
    device: Folder = Field(description="its name in /dev/disk/by-id")
    serial: Text = Field(min_length=1, description="serial number as the kernel reports it")
    model: Text | None = Field(description="model as the kernel reports it; null where it reports none")
    size: Size = Field(ge=4 << 20, description="bytes of the whole disk")
    erase: Text = Field(description="the serial number again: it may be erased")


class VmTestbed(Bed):
    """A virtual machine that boots a packaged kernel with this host's userland; its disk is an image on the host."""

    kind: Literal["vm"]
    kernel: str = Field(
        pattern=r"^[a-z][a-z0-9-]*$", max_length=64, description="suite of the Debian archive whose kernel is booted"
    )
    kernels: Folder = Field(description="folder for the kernels that were fetched; relative to the project")
    directory: Folder = Field(description="folder for the image and the machine's files; relative to the project")
    direct_io: bool = Field(description="whether the host's page cache is left out; so the guest's disk is the image's")
    cpus: int = Field(ge=1, le=1024)
    memory: Size = Field(ge=512 << 20)
    boot_seconds: float = Field(gt=0, le=MOST_SECONDS, description="longest time until the guest takes requests")
    silence_seconds: float = Field(
        gt=0, le=MOST_SECONDS, description="a guest that gives no sign of life so long has hung"
    )
    repetition_seconds: float = Field(gt=0, le=MOST_SECONDS, description="longest time of one repetition")
    idle_seconds: float = Field(
        gt=0, le=MOST_SECONDS, description="a guest that is asked for nothing so long powers off"
    )


class Network(Bed):
    """A network with a server on one side and clients on the other. What is said of it holds unless an experiment says else."""

    storage: Name | None = Field(description="testbed whose device stands on the server's side; null: no disk")
    mtu: links.Mtu = Field(default="1500", description="largest packet in bytes")
    offloads: links.Offloads = Field(default="on", description="off: the kernel hands over each packet by itself")
    link_rate: links.Rate = Field(default="unlimited", description="as 100-mbit or 2.5-gbit, each way")
    delay: links.Delay = Field(default="none", description="as 10-ms, each way")
    jitter: links.Delay = Field(default="none", description="as 2-ms: the delay is so much shorter or longer by chance")
    loss: links.Loss = Field(default="none", description="as 0.1-percent, each way")
    congestion: links.Congestion = Field(
        default=links.KERNEL, description="TCP's congestion control; kernel: the machine's own"
    )
    eee: links.Energy = Field(
        default=links.KERNEL, description="energy efficient Ethernet of real cards; kernel: as it is"
    )
    _storage: Any = PrivateAttr(default=None)

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        if not links.LEAST_MTU <= int(self.mtu) <= links.MOST_MTU:
            raise ValueError(f"mtu: {self.mtu} is not between {links.LEAST_MTU} and {links.MOST_MTU}")
        for name in ("link_rate", "delay", "jitter", "loss"):
            if links.is_zero(value := getattr(self, name)):
                raise ValueError(f"{name}: {value} is nothing: write {'unlimited' if name == 'link_rate' else 'none'}")
        return self

    @property
    def disk(self) -> "LoopTestbed | RamTestbed | BlockTestbed | None":
        """The testbed that `storage` names, once the registry has found it."""
        return self._storage

    def set_disk(self, storage: "LoopTestbed | RamTestbed | BlockTestbed") -> None:
        """Keep the testbed that `storage` names."""
        self._storage = storage


class LinkTestbed(Network):
    """Two network namespaces joined by a pair of virtual cards: a network without wire, switch and card."""

    kind: Literal["link"]


class Card(Closed):
    """A network card of this machine that nothing else uses."""

    interface: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,14}$", description="its name, as ip link shows it")
    mac: links.Mac = Field(description="its address, as ip link shows it")
    take: Text = Field(description="the address again: it may be taken from this machine while it is measured with")


class NicTestbed(Network):
    """Two real cards of this machine that a wire or a switch joins, each in a network namespace of its own."""

    kind: Literal["nic"]
    server: Card
    client: Card

    @model_validator(mode="after")
    def _two(self) -> Self:
        if self.server.interface == self.client.interface or self.server.mac == self.client.mac:
            raise ValueError("client: is the same card as server: two are needed")
        return self


class ProcessorTestbed(Bed):
    """Processors and memory alone: for what needs no device."""

    kind: Literal["processor"]
    memory: Folder = Field(
        description="folder in memory (tmpfs) to work in; image_size is the most that work takes there"
    )
    scheduler: Scheduler = Field(default="none", description="there is no disk")
    source_directory: Folder = Field(default="/dev/shm", description="there is no library")


Testbed = Annotated[
    LoopTestbed | RamTestbed | BlockTestbed | VmTestbed | LinkTestbed | NicTestbed | ProcessorTestbed,
    Field(discriminator="kind"),
]
