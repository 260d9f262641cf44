"""A device made slower than it is: bytes per second that the kernel's control groups let through, proved by trying.

Version 1 (`blkio.throttle`): the limit stands in the root group, in which the kernel accounts what it writes back from
memory, and this process and its commands join it. Version 2 (`io.max`): the root group has no limits, so that this
process moves into a group of its own, with the memory controller beside it, by which the kernel knows whose pages it
writes back. Neither works everywhere (a container may not write there, some filesystems write back as the kernel
itself): what counts is the trial, in both directions, the write through memory.
"""

import mmap
import os
import time
from collections.abc import Callable
from pathlib import Path

from spindlemark.errors import UserError
from spindlemark.testbeds import kernel, tuning

_TRIAL_SECONDS = 0.4
_BLOCK = 4096
Limits = dict[str, int]  # read, write: bytes per second


def slow_down(testbed: str, node: str, limits: Limits) -> None:
    """Limit the claimed device `node`; `tuning.put_back` and `leave` undo it.

    The trial writes zeros at the device's end. Raises UserError where this machine cannot hold the limits.
    """
    number = Path(node).stat().st_rdev
    device = f"{os.major(number)}:{os.minor(number)}"
    try:
        for limit in (_version_1, _version_2):
            if limit(testbed, device, limits):
                break
        else:
            raise _impossible(testbed, "no control group for block devices is mounted")
    except OSError as error:
        raise _impossible(testbed, f"{error.filename}: {error.strerror}") from None
    _prove(testbed, node, limits)


def leave(testbed: str) -> None:
    """Remove the group that version 2 needs; its limits are gone with it."""
    root = _mounted("cgroup2", None)
    own = root / _group(testbed) if root else None
    if own and own.is_dir():
        if _group(testbed) in Path("/proc/self/cgroup").read_text():
            (root / "cgroup.procs").write_text("0")
        own.rmdir()


def _version_1(testbed: str, device: str, limits: Limits) -> bool:
    root = _mounted("cgroup", "blkio")
    if root is None:
        return False
    (root / "cgroup.procs").write_text("0")
    for key, value in limits.items():
        tuning.change(testbed, root / f"blkio.throttle.{key}_bps_device", f"{device} {value}", f"{device} 0")
    return True


def _version_2(testbed: str, device: str, limits: Limits) -> bool:
    root = _mounted("cgroup2", None)
    if root is None or "io" not in (root / "cgroup.controllers").read_text().split():
        return False
    (root / "cgroup.subtree_control").write_text("+io +memory")
    own = root / _group(testbed)
    own.mkdir(exist_ok=True)
    (own / "cgroup.procs").write_text("0")
    tuning.change(testbed, own / "io.max", f"{device} rbps={limits['read']} wbps={limits['write']}",
                  f"{device} rbps=max wbps=max")
    return True


def _prove(testbed: str, node: str, limits: Limits) -> None:
    for key, trial in (("write", _written), ("read", _read)):
        seconds, expected = _tried(node, limits[key], trial)
        if seconds < expected / 2:
            raise _impossible(testbed, f"a trial {key} took {seconds:.2f} s where {expected:.2f} s were to be expected")


def _tried(node: str, limit: int, trial: Callable[[str, int, int], None]) -> tuple[float, float]:
    """Seconds that the trial took, and that it must take at the limit."""
    with Path(node).open("rb") as device:
        end = device.seek(0, os.SEEK_END) // _BLOCK * _BLOCK
    count = max(_BLOCK, min(int(limit * _TRIAL_SECONDS), end // 4) // _BLOCK * _BLOCK)
    begun = time.monotonic()
    trial(node, end - count, count)
    return time.monotonic() - begun, count / limit


def _written(node: str, offset: int, count: int) -> None:
    descriptor = os.open(node, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.pwrite(descriptor, bytes(count), offset)
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)


def _read(node: str, offset: int, count: int) -> None:
    descriptor = os.open(node, os.O_RDONLY | os.O_DIRECT | os.O_CLOEXEC)
    try:
        with mmap.mmap(-1, count) as memory:
            os.preadv(descriptor, [memory], offset)
    finally:
        os.close(descriptor)


def _mounted(filesystem: str, controller: str | None) -> Path | None:
    for mount in kernel.mounts():
        if mount.filesystem == filesystem and (controller is None or controller in mount.options.split(",")):
            return mount.point
    return None


def _group(testbed: str) -> str:
    return f"spindlemark-{testbed}"


def _impossible(testbed: str, reason: str) -> UserError:
    return UserError(f"config/testbeds/{testbed}.yaml: throttle: this machine cannot slow the device down: {reason}",
                     "remove throttle, or measure where the control groups of block devices may be changed")
