"""Where it is measured: the kinds of testbeds."""

from typing import Annotated, Literal, get_args

from pydantic import Field

from spindlemark.limits import MOST_SECONDS, Folder, Size, Text
from spindlemark.record import Closed

Scheduler = Literal["none", "mq-deadline", "bfq", "kyber"]
SCHEDULERS = get_args(Scheduler)


class Bed(Closed):
    """What every testbed declares."""

    description: Text
    scheduler: Scheduler = Field(description="of every experiment without its own")
    source_directory: Folder = Field(
        description="folder for the library that is copied from; memory, so only the target counts")
    busy_bound: float = Field(
        gt=0, le=1, description="share of the CPUs stolen or used by others, or of a step's time in which others kept "
                                "the disk below busy, above which a step is noisy")
    image_size: Size | None = Field(
        default=None, gt=0, description="bytes of the image, or of the part of the disk used, instead of the profile's")


class Throttle(Closed):
    """A slower device than there is: what the kernel lets through."""

    read: Size = Field(gt=0, description="bytes per second")
    write: Size = Field(gt=0, description="bytes per second")


class LoopTestbed(Bed):
    """A loop device on a file that this program makes."""

    kind: Literal["loop"]
    directory: Folder = Field(description="folder for the image and the mount point; relative to the project")
    direct_io: bool
    throttle: Throttle | None = Field(default=None, description="without it, as fast as what lies below")


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
    kernel: str = Field(pattern=r"^[a-z][a-z0-9-]*$", max_length=64,
                        description="suite of the Debian archive whose kernel is booted")
    kernels: Folder = Field(description="folder for the kernels that were fetched; relative to the project")
    directory: Folder = Field(description="folder for the image and the machine's files; relative to the project")
    direct_io: bool = Field(description="whether the host's page cache is left out; so the guest's disk is the image's")
    cpus: int = Field(ge=1, le=1024)
    memory: Size = Field(ge=512 << 20)
    boot_seconds: float = Field(gt=0, le=MOST_SECONDS, description="longest time until the guest takes requests")
    silence_seconds: float = Field(gt=0, le=MOST_SECONDS,
                                   description="a guest that gives no sign of life so long has hung")
    repetition_seconds: float = Field(gt=0, le=MOST_SECONDS, description="longest time of one repetition")
    idle_seconds: float = Field(gt=0, le=MOST_SECONDS, description="a guest that is asked for nothing so long powers off")


Testbed = Annotated[LoopTestbed | BlockTestbed | VmTestbed, Field(discriminator="kind")]
