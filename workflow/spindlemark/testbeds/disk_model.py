"""Testbed kind `disk_model`: a block device that behaves like one documented hard disk. It is not a real disk.

Its content is a file in memory. A program of its own (drive/program.py) provides that file by FUSE and answers each
command when the modelled disk would have done it; a loop device with direct I/O makes it a block device, whose queue
then has the settings of a SATA disk: it rotates, has 32 commands at once and a cache for writes, and cannot discard.

Nothing needs to be removed after a kill except the image and the loop device, as of a testbed in memory: the file is
mounted in this process's own mount namespace, and its program ends with this process.
"""

import json
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from spindlemark.config import DiskModelTestbed, HardDisk, RamTestbed
from spindlemark.core import private_files
from spindlemark.core.errors import UserError
from spindlemark.core.outcome import Failed, Unsupported
from spindlemark.core.process.programs import PYTHON
from spindlemark.core.record import Command, Scalar
from spindlemark.testbeds import background, disk, image, kernel, kernel_settings, loop, mark, mountpoint, ram, retry
from spindlemark.testbeds.drive import fuse, program
from spindlemark.testbeds.drive.parameters import Parameters, Seeks
from spindlemark.testbeds.kind import Kind, Run, Settings

VERSION = 1  # of the model's behaviour: raise it when the same figures give other times
_FUSE = Path("/dev/fuse")
_READY_SECONDS = 60.0
# Of the loop device's queue, as the kernel sets it for a SATA disk. Without a scheduler nr_requests is the length of
# the device's own queue, which stays when a scheduler is chosen; with one it is the scheduler's, twice as long.
_QUEUE = {"rotational": "1", "max_sectors_kb": "1024"}
_READAHEAD = "128"  # set last: the kernel changes it with other limits


@dataclass(frozen=True)
class DiskModelDevice(loop.LoopDevice):
    """A loop device on a modelled disk."""

    shown: Path  # the file that the program provides

    def facts(self) -> dict[str, Scalar]:
        """Environment fields of the device, of the memory below it, and how late the model's answers were."""
        found = json.loads(os.getxattr(self.shown, fuse.REPORT))
        reported = {f"device.model.{key}": value for key, value in found.items()}
        return super().facts() | {"device.kind": "disk_model", "backing.memory": True} | reported

    @contextmanager
    def at_full_speed(self) -> Iterator[None]:
        """Answer each command at once while the context prepares the device."""
        os.setxattr(self.shown, program.HURRY, program.ON)
        try:
            yield
        finally:
            os.setxattr(self.shown, program.HURRY, program.OFF)


def opened(
    name: str, declared: DiskModelTestbed, size: int, settings: Settings, run: Run
) -> AbstractContextManager[DiskModelDevice]:
    """Make image, program and device; `clean` removes them. Raises UserError for what the user can fix.

    Raises Unsupported without FUSE.
    """
    return modelled(name, declared, parameters(declared.disk), size, settings, run)


@contextmanager
def modelled(
    name: str,
    declared: DiskModelTestbed | RamTestbed,
    model: Parameters,
    size: int,
    settings: Settings,
    run: Run,
) -> Iterator[DiskModelDevice]:
    """Make a device of `size` bytes in memory that behaves like the model."""
    if not _FUSE.exists():
        raise Unsupported("this kernel has no FUSE, which a modelled disk needs (modprobe fuse)")
    kernel.own_mount_namespace()
    memory = Path(declared.memory)
    ram.require_room(name, memory, size, "an image", f"image_size of testbed {name} in config/profiles/<profile>.yaml")
    private_files.folder(ram.folder(declared), 0o700)
    content = image.make(ram.folder(declared), name, size, image.written)
    with _shown(name, content, model) as file:
        try:
            found = loop.attach(name, file, True, None, "none", run)
            _set_queue(name, found.name, model.queue, settings["scheduler"])
            yield DiskModelDevice(**vars(replace(found, image=content)), shown=file)
        finally:  # while the program still answers
            loop.remove(name, ram.folder(declared))


def clean(name: str, declared: DiskModelTestbed) -> None:
    """Unmount, detach and delete everything that this testbed made or left in memory; the caller holds its lock.

    Raises UserError when something is still in use after a minute.
    """
    ram.clean(name, declared)


def device_facts(declared: DiskModelTestbed, size: int) -> dict[str, Any]:
    """The device part of the fingerprint, with every figure of the model."""
    return {
        "kind": "disk_model",
        "bytes": size,
        "product": declared.disk.product,
        "figures": facts(declared.disk),
        "backing": {"memory": True},
    }


def facts(declared: HardDisk) -> dict[str, Any]:
    """Every figure of the model and the version of its behaviour, as a part of an identity."""
    return {"version": VERSION, **parameters(declared).facts()}


def of_facts(found: dict[str, Any]) -> Parameters:
    """The inverse of `facts`."""
    return Parameters.of({key: value for key, value in found.items() if key != "version"})


def parameters(declared: HardDisk) -> Parameters:
    """The figures in bytes and seconds."""
    return Parameters(
        capacity=int(declared.capacity),
        tracks=declared.tracks_per_surface,
        track_bytes=declared.bytes_per_surface / declared.tracks_per_surface,
        zones=declared.zones,
        rate_ratio=declared.slowest_rate / declared.fastest_rate,
        revolution=60 / declared.rotations_per_minute,
        reads=_seconds(declared.read_seek_ms),
        writes=_seconds(declared.write_seek_ms),
        overhead=declared.overhead_ms / 1000,
        interface=int(declared.interface),
        cache=int(declared.cache),
        segments=declared.cache_segments,
        write_cache=declared.write_cache,
        cached_writes=declared.cached_writes,
        queue=declared.queue,
        ageing=declared.ageing,
        piece=int(declared.write_piece),
        seed=declared.seed,
    )


def _seconds(times: Any) -> Seeks:
    return Seeks(times.single / 1000, times.average / 1000, times.full / 1000)


@contextmanager
def _shown(name: str, content: Path, model: Parameters) -> Iterator[Path]:
    """Start the program and mark its file as ours; end it after the context."""
    shown = mountpoint.own(mountpoint.MODELLED)
    shown.mkdir(exist_ok=True)
    file = image.path_of(shown, name)
    argv = [*PYTHON, "-m", program.__name__, str(shown), file.name, str(content), json.dumps(model.facts())]
    with ExitStack() as stack:
        stack.callback(shown.rmdir)
        stack.callback(_unmount, shown)
        running = background.background(
            _Commands(), argv, name="modelled disk", ready=file.exists, ready_seconds=_READY_SECONDS
        )
        try:
            stack.enter_context(running)
        except Failed as failed:
            raise UserError(f"testbed {name}: {failed}", "modelled disks need FUSE and root") from None
        with file.open("rb") as opened_file:
            mark.put(opened_file.fileno(), file, name)
        yield file


class _Commands:
    """The program is a part of the device, so it is not among the commands of a repetition."""

    def __init__(self) -> None:
        self.commands: list[Command] = []


def _unmount(shown: Path) -> None:
    if any(mount.point == shown for mount in kernel.mounts()):
        retry.until_success(["umount", str(shown)], f"{shown}: cannot be unmounted")


def _set_queue(testbed: str, name: str, depth: int, scheduler: str) -> None:
    """Let the device look like a SATA disk to the kernel; raises UserError where it offers no such scheduler."""
    folder = disk.sysfs_of(name) / "queue"
    for key, value in {**_QUEUE, "nr_requests": str(depth)}.items():
        _change(testbed, folder / key, value)
    kernel_settings.set_scheduler(testbed, name, scheduler)
    if scheduler != "none":
        _change(testbed, folder / "nr_requests", str(2 * depth))
    _change(testbed, folder / "read_ahead_kb", _READAHEAD)


def _change(testbed: str, file: Path, value: str) -> None:
    try:
        kernel_settings.change(testbed, file, value, file.read_text().strip())
    except OSError as error:
        raise Failed(f"{file}: this kernel does not take {value}: {error.strerror}") from None


KIND = Kind(tools=loop.TOOLS, opened=opened, clean=clean, device_facts=device_facts, in_memory=True)
