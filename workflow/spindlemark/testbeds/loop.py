"""Testbed kind `loop`: a loop device on a preallocated file, made for one repetition and removed after it.

A new image for each repetition was tried against a kept one (rewritten, or turned back to unwritten with fallocate
--zero-range): noise was the same or less, it costs about 0.1 s, and no repetition sees what an earlier one wrote.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spindlemark import paths
from spindlemark.declare import Testbed
from spindlemark.errors import UserError
from spindlemark.measure.command import execute
from spindlemark.record import Scalar
from spindlemark.testbeds import guard, image, kernel

TOOLS = {"losetup": "util-linux", "mount": "util-linux", "umount": "util-linux", "setpriv": "util-linux"}
_LIMIT_SECONDS = 600
_BUSY_SECONDS = 60
Run = Callable[..., object]


@dataclass(frozen=True)
class LoopDevice:
    """What a family gets: a device to claim and format, a folder to mount it on, and the device's own counters."""

    name: str
    testbed: str
    node: Path
    mount_point: Path
    image: Path
    size: int

    def claimed(self) -> Iterator[str]:
        """Context that yields the device's node for one destructive command; see guard.claim."""
        return guard.claim(self.node, self.testbed)

    def transferred(self) -> tuple[int, int]:
        """(read, written) bytes since it was attached, from the kernel's counters of this device."""
        fields = Path(f"/sys/block/{self.name}/stat").read_text().split()
        return int(fields[2]) * 512, int(fields[6]) * 512

    def counters(self) -> dict[str, Path]:
        """Files of the load sampler: this device and the disk below it."""
        disk = kernel.disk_below(self.image.parent)[1]
        below = {"backing": Path(f"/sys/block/{disk}/stat")} if disk else {}
        return {"device": Path(f"/sys/block/{self.name}/stat"), **below}

    def mount_options(self) -> str | None:
        """The options in force of what is mounted on the mount point, None when nothing is."""
        found = [mount.options for mount in kernel.mounts() if mount.point == self.mount_point]
        return found[-1] if found else None

    def facts(self) -> dict[str, Scalar]:
        """Environment fields of the device and of what lies below it."""
        mount, disk = kernel.disk_below(self.image.parent)
        stat = os.statvfs(self.image.parent)
        queue = {f"device.queue.{key}": _sysfs(self.name, f"queue/{key}") for key in
                 ("scheduler", "nr_requests", "read_ahead_kb", "rotational", "logical_block_size",
                  "physical_block_size", "max_sectors_kb", "discard_max_bytes", "write_cache")}
        below = {f"backing.queue.{key}": _sysfs(disk, f"queue/{key}") for key in
                 ("scheduler", "nr_requests", "read_ahead_kb", "rotational", "logical_block_size", "write_cache")}
        return {"device.kind": "loop", "device.bytes": self.size,
                "device.direct_io": _sysfs(self.name, "loop/dio") == "1",
                "device.offset": _sysfs(self.name, "loop/offset"), **queue,
                "backing.filesystem": mount.filesystem,
                # Options of layered filesystems are paths, which may name a user.
                "backing.mount_options": ",".join(o for o in mount.options.split(",") if "/" not in o),
                "backing.bytes": stat.f_blocks * stat.f_frsize, "backing.free_bytes": stat.f_bavail * stat.f_frsize,
                "backing.disk": disk, "backing.model": disk_model(disk), **below}


@contextmanager
def opened(name: str, declared: Testbed, size: int, factors: dict[str, Any], run: Run) -> Iterator[LoopDevice]:
    """Make image and device, with the I/O scheduler that the factors ask for.

    `clean` takes them away again, so that a normal end and a crash go the same way.
    """
    kernel.own_mount_namespace()
    directory = directory_of(declared)
    mount_point = directory / "mount"
    file = image.make(directory, name, size)
    mount_point.mkdir(exist_ok=True)
    direct = "on" if declared.direct_io else "off"
    finished = run(["losetup", "--find", "--show", f"--direct-io={direct}", str(file)])
    node = Path(finished.stdout.strip())
    device = LoopDevice(node.name, name, node, mount_point, file, size)
    if (_sysfs(device.name, "loop/dio") == "1") != declared.direct_io:
        raise UserError(f"{directory}: its filesystem cannot do direct I/O below a loop device",
                        f"set direct_io: false in config/testbeds/{name}.yaml, or name another directory")
    _set_scheduler(device.name, factors["scheduler"], name)
    yield device


def clean(name: str, declared: Testbed) -> None:
    """Unmount, detach and delete everything that this testbed has or left; the caller holds its lock.

    Raises UserError when something is still in use after a minute.
    """
    directory = directory_of(declared)
    ours = [loop for loop in kernel.loops() if _is_ours(loop, name, directory)]
    sources = {str(loop.node) for loop in ours}
    for mount in reversed(kernel.mounts()):  # those of a killed process are gone with its namespace
        if mount.source in sources:
            _until_free(["umount", str(mount.point)], f"{mount.point}: cannot be unmounted")
    for loop in ours:
        _until_free(["losetup", "--detach", str(loop.node)], f"{loop.node}: cannot be detached")
        _wait_detached(loop)
    image.remove(directory, name)
    with suppress(OSError):  # not there, or somebody keeps files in it: those are not ours
        (directory / "mount").rmdir()


def directory_of(declared: Testbed) -> Path:
    """The testbed's folder; a relative one counts from the project's root."""
    return paths.ROOT / declared.directory


def disk_model(disk: str | None) -> str | None:
    """Maker and model of a disk as it reports them, None where it does not (as virtio disks)."""
    parts = [_sysfs(disk, f"device/{key}") for key in ("vendor", "model")]
    words = [part for part in parts if isinstance(part, str) and not part.startswith("0x")]
    return " ".join(words) or None


def device_facts(declared: Testbed, size: int) -> dict:
    """The device part of the fingerprint: the same for two clones on one disk."""
    mount, disk = kernel.disk_below(directory_of(declared))
    sectors, rotational = _sysfs(disk, "size"), _sysfs(disk, "queue/rotational")
    backing = {"filesystem": mount.filesystem, "model": disk_model(disk),
               "bytes": int(sectors) * 512 if sectors else None,
               "rotational": rotational == "1" if rotational else None}
    return {"kind": "loop", "bytes": size, "direct_io": declared.direct_io, "backing": backing}


def _is_ours(loop: kernel.Loop, name: str, directory: Path) -> bool:
    if loop.deleted:
        return loop.backing == image.path_of(directory, name)
    return image.complaint(loop.backing, name, loop.inode) is None


def _until_free(argv: list[str], problem: str) -> None:
    """Repeat while it is busy: a killed command may need a moment to let go."""
    give_up = time.monotonic() + _BUSY_SECONDS
    while True:
        finished = execute(argv, _LIMIT_SECONDS, stoppable=False)
        if finished.exit_code == 0:
            return
        if time.monotonic() > give_up:
            raise UserError(f"{problem}: {finished.stderr.strip()}", "end what uses it, then run again")
        time.sleep(0.1)


def _wait_detached(loop: kernel.Loop) -> None:
    give_up = time.monotonic() + _BUSY_SECONDS
    while kernel.loop_of(loop.name) == loop:
        if time.monotonic() > give_up:
            raise UserError(f"{loop.node}: stays attached to {loop.backing}", "end what uses it, then run again")
        time.sleep(0.02)


def _set_scheduler(device: str, scheduler: str, name: str) -> None:
    file = Path(f"/sys/block/{device}/queue/scheduler")
    try:
        file.write_text(scheduler)
    except OSError:
        raise UserError(f"config/testbeds/{name}.yaml: scheduler: this kernel does not offer {scheduler}",
                        f"choose one of: {file.read_text().strip()}") from None


def _sysfs(device: str | None, attribute: str) -> str | None:
    try:
        return Path(f"/sys/block/{device}/{attribute}").read_text().strip() or None
    except OSError:
        return None
