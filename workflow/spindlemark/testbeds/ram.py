"""Testbed kind `ram`: a loop device on a file in memory. It shows filesystem overhead without disk variability.

With `throttle` it is a reference device: limited to the figures of a product's data sheet, it is about the same on every
machine that is fast enough. Processor and memory still depend on the machine, and a limit on requests does not behave
like the moving head of a disk: see throttle.py.

The image is written once before it is used. The loop device does no direct I/O, since a file in memory is its own page
cache (in a test, rates were the same with it, and older kernels do not support it there).

With `sparse_memory` the image is sparse and can be larger than the memory, for families that write little to a large
device. It is on a tmpfs of its own that holds that much: a device that takes more gets an error of its writes, and the
machine does not run out of memory. That tmpfs is in this process's own mount namespace and ends with it.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spindlemark.config import DiskModelTestbed, RamTestbed
from spindlemark.core import paths, private_files, space
from spindlemark.core.errors import UserError
from spindlemark.core.record import Scalar
from spindlemark.testbeds import image, kernel, loop, retry
from spindlemark.testbeds.kind import Kind, Run, Settings

TOOLS = loop.TOOLS


@dataclass(frozen=True)
class RamDevice(loop.LoopDevice):
    """A loop device whose file is in memory."""

    sparse_memory: int | None = None

    def facts(self) -> dict[str, Scalar]:
        """Environment fields of the device and of the memory below it."""
        sparse = {"backing.used_bytes": self.image.stat().st_blocks * 512} if self.sparse_memory else {}
        return super().facts() | {"device.kind": "ram", "backing.memory": True} | sparse

    def require_room(self) -> None:
        """Raise UserError when a sparse image has taken all of its memory, so that writes to the device fail."""
        if self.sparse_memory and not os.statvfs(self.image.parent).f_bavail:
            raise UserError(
                f"config/testbeds/{self.testbed}.yaml: sparse_memory: the device has used all of its {self.sparse_memory} "
                "bytes of memory, so writes to it fail",
                "raise sparse_memory there, or measure smaller libraries: see config/profiles/<profile>.yaml",
            )


@contextmanager
def opened(name: str, declared: RamTestbed, size: int, settings: Settings, run: Run) -> Iterator[RamDevice]:
    """Make image and device as the testbed `loop` does, where memory also has room for the library.

    `clean` removes them. Raises UserError for what the user can fix.
    """
    kernel.own_mount_namespace()
    memory, sparse = Path(declared.memory), declared.sparse_memory
    require_room(
        name,
        memory,
        sparse or size,
        "a sparse image" if sparse else "an image",
        f"sparse_memory in config/testbeds/{name}.yaml"
        if sparse
        else f"image_size of testbed {name} in config/profiles/<profile>.yaml, or measure on a testbed on disk: "
        "--testbed loop",
    )
    place = folder(declared)
    private_files.folder(place, 0o700)
    if sparse:
        run(["mount", "-t", "tmpfs", "-o", f"size={int(sparse)},mode=0700", "spindlemark", str(place)])
    file = image.make(place, name, size, image.sparse if sparse else image.written)
    found = loop.attach(name, file, False, declared.throttle, settings["scheduler"], run)
    yield RamDevice(**vars(found), sparse_memory=sparse and int(sparse))


def clean(name: str, declared: RamTestbed | DiskModelTestbed) -> None:
    """Unmount, detach and delete everything that this testbed made or left in memory; the caller holds its lock.

    Raises UserError when something is still in use after a minute.
    """
    place = folder(declared)
    loop.remove(name, place)
    if any(mount.point == place for mount in kernel.mounts()):
        retry.until_success(["umount", str(place)], f"{place}: cannot be unmounted")
    with suppress(OSError):  # it does not exist, or contains another testbed's image
        place.rmdir()


def device_facts(declared: RamTestbed, size: int) -> dict[str, Any]:
    """The device part of the fingerprint, with memory instead of a disk below."""
    sparse = {"sparse": True} if declared.sparse_memory else {}
    return {
        "kind": "ram",
        "bytes": size,
        **sparse,
        **loop.throttle_facts(declared.throttle),
        "backing": {"memory": True},
    }


def folder(declared: RamTestbed | DiskModelTestbed) -> Path:
    """A folder of its own, since that of the libraries is emptied for each new one."""
    sparse = isinstance(declared, RamTestbed) and declared.sparse_memory
    return Path(declared.memory) / f"{paths.folder_name()}-{'sparse' if sparse else 'images'}"


def require_room(name: str, memory: Path, size: int, what: str, lower: str) -> None:
    """Raise UserError unless `size` bytes fit into the folder in memory, in addition to those that must stay free."""
    where = f"config/testbeds/{name}.yaml: memory"
    if not memory.is_dir() or not space.in_memory(memory):
        raise UserError(f"{where}: {memory} is not a folder in memory", "name one on a tmpfs, such as /dev/shm")
    free, reserved = space.capacity(memory)[0], space.required_free(memory)
    if size + reserved > free:
        raise UserError(
            f"{where}: {what} of {size} bytes does not fit into {memory}: {free} bytes are free, and {reserved} of "
            "them must stay free",
            f"free some memory, or lower {lower}",
        )


KIND = Kind(tools=TOOLS, opened=opened, clean=clean, device_facts=device_facts, in_memory=True)
