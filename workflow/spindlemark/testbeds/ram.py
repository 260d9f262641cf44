"""Testbed kind `ram`: a loop device on a file in memory. It tells what a filesystem itself costs, without disk moods.

With `throttle` it is a reference device: held to the figures of a product's data sheet, it is about the same on every
machine that can hold them. What the processor and memory do still is the machine's, and a limit on requests is no
head that moves: see throttle.py.

The image is written once before it is used, and there is no direct I/O below the device: a file in memory is its own
page cache (tried: the same rates with it, and older kernels offer none there).
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from spindlemark.config import RamTestbed
from spindlemark.core import paths, private_files, space
from spindlemark.core.errors import UserError
from spindlemark.core.record import Scalar
from spindlemark.testbeds import image, kernel, loop
from spindlemark.testbeds.kind import Kind, Run, Settings

TOOLS = loop.TOOLS


class RamDevice(loop.LoopDevice):
    """A loop device whose file lies in memory."""

    def facts(self) -> dict[str, Scalar]:
        """Environment fields of the device and of the memory below it."""
        return super().facts() | {"device.kind": "ram", "backing.memory": True}


@contextmanager
def opened(name: str, declared: RamTestbed, size: int, settings: Settings, run: Run) -> Iterator[RamDevice]:
    """Make image and device as the testbed `loop` does, where memory has room for the library beside it.

    `clean` takes them away again. Raises UserError for what the user can mend.
    """
    kernel.own_mount_namespace()
    memory = Path(declared.memory)
    require_room(
        name,
        memory,
        size,
        "an image",
        f"image_size of testbed {name} in config/profiles/<profile>.yaml, or "
        "measure on a testbed on disk: --testbed loop",
    )
    folder = _folder(declared)
    private_files.folder(folder, 0o700)
    file = image.make(folder, name, size, filled=True)
    found = loop.shown(name, file, False, declared.throttle, settings["scheduler"], run)
    yield RamDevice(**vars(found))


def clean(name: str, declared: RamTestbed) -> None:
    """Unmount, detach and delete everything that this testbed has or left in memory; the caller holds its lock.

    Raises UserError when something is still in use after a minute.
    """
    loop.take_away(name, _folder(declared))
    with suppress(OSError):  # not there, or another testbed's image lies in it
        _folder(declared).rmdir()


def device_facts(declared: RamTestbed, size: int) -> dict[str, Any]:
    """The device part of the fingerprint: what lies below is memory, and no disk."""
    return {"kind": "ram", "bytes": size, **loop.slowed(declared.throttle), "backing": {"memory": True}}


def _folder(declared: RamTestbed) -> Path:
    """Ours alone, and not that of the libraries, which is emptied for each new one."""
    return Path(declared.memory) / f"{paths.folder_name()}-images"


def require_room(name: str, memory: Path, size: int, what: str, lower: str) -> None:
    """Raise UserError unless `size` bytes fit into the folder in memory beside what must stay free."""
    where = f"config/testbeds/{name}.yaml: memory"
    if not memory.is_dir() or not space.in_memory(memory):
        raise UserError(f"{where}: {memory} is no folder in memory", "name one on a tmpfs, as /dev/shm")
    free, kept = space.capacity(memory)[0], space.required_free(memory)
    if size + kept > free:
        raise UserError(
            f"{where}: {what} of {size} bytes in {memory} does not fit beside what must stay free: {free} bytes are "
            f"free, {kept} must stay so",
            f"free some, or lower {lower}",
        )


KIND = Kind(tools=TOOLS, opened=opened, clean=clean, device_facts=device_facts, in_memory=True)
