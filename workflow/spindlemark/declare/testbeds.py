"""Where it is measured: the kinds of testbeds."""

from typing import Annotated, Literal, get_args

from pydantic import ByteSize, Field

from spindlemark.record import Closed

Scheduler = Literal["none", "mq-deadline", "bfq", "kyber"]
SCHEDULERS = get_args(Scheduler)


class Bed(Closed):
    """What every testbed declares."""

    description: str
    scheduler: Scheduler = Field(description="of every experiment without its own")
    source_directory: str = Field(
        description="folder for the library that is copied from; memory, so only the target counts")
    busy_bound: float = Field(
        gt=0, le=1, description="share of the CPUs stolen or used by others, above which a step is noisy")
    image_size: ByteSize | None = Field(
        default=None, description="bytes of the image, or of the part of the disk used, instead of the profile's")


class Throttle(Closed):
    """A slower device than there is: what the kernel lets through."""

    read: ByteSize = Field(gt=0, description="bytes per second")
    write: ByteSize = Field(gt=0, description="bytes per second")


class LoopTestbed(Bed):
    """A loop device on a file that this program makes."""

    kind: Literal["loop"]
    directory: str = Field(description="folder for the image and the mount point; relative to the project")
    direct_io: bool
    throttle: Throttle | None = Field(default=None, description="without it, as fast as what lies below")


class BlockTestbed(Bed):
    """A real disk, whole, that is erased. `./spindlemark plan` shows it and says whether it would be taken."""

    kind: Literal["block"]
    device: str = Field(description="its name in /dev/disk/by-id")
    serial: str = Field(min_length=1, description="serial number as the kernel reports it")
    model: str | None = Field(description="model as the kernel reports it; null where it reports none")
    size: ByteSize = Field(ge=4 << 20, description="bytes of the whole disk")
    erase: str = Field(description="the serial number again: it may be erased")


class VmTestbed(Bed):
    """A virtual machine that boots a packaged kernel with this host's userland; its disk is an image on the host."""

    kind: Literal["vm"]
    kernel: str = Field(pattern=r"^[a-z][a-z0-9-]*$", description="suite of the Debian archive whose kernel is booted")
    kernels: str = Field(description="folder for the kernels that were fetched; relative to the project")
    directory: str = Field(description="folder for the image and the machine's files; relative to the project")
    direct_io: bool = Field(description="whether the host's page cache is left out; so the guest's disk is the image's")
    cpus: int = Field(ge=1)
    memory: ByteSize = Field(ge=512 << 20)
    boot_seconds: float = Field(gt=0, description="longest time until the guest takes requests")
    silence_seconds: float = Field(gt=0, description="a guest that gives no sign of life so long has hung")
    repetition_seconds: float = Field(gt=0, description="longest time of one repetition")
    idle_seconds: float = Field(gt=0, description="a guest that is asked for nothing so long powers off")


Testbed = Annotated[LoopTestbed | BlockTestbed | VmTestbed, Field(discriminator="kind")]
