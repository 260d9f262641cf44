"""A device made slower than it is: what the kernel's control groups let through, proved by trying.

Version 1 (`blkio.throttle`): the limit stands in the root group, in which the kernel accounts what it writes back from
memory, and this process and its commands join it. Version 2 (`io.max`): the root group has no limits, so that this
process moves into a group of its own, with the memory controller beside it, by which the kernel knows whose pages it
writes back. Neither works everywhere (a container may not write there, some filesystems write back as the kernel
itself): what counts is the trial of bytes and of requests, in both directions, and a write through memory.

What counts as a request, found by trying: the kernel counts before it merges. Neighbours of 4 KiB that it later gives
to the device as one count one by one, one that is larger than the device takes at once (`max_sectors_kb`) counts as
its pieces, and one that follows the last counts as much as one at the other end. So requests per second hold down
what comes in small pieces, in order or not, more than a disk does that turns.
"""

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from spindlemark.core.errors import UserError
from spindlemark.testbeds import kernel, trial, tuning

_TRIAL_SECONDS = 0.25
# The kernel keeps its limits over slices of time, of which the first costs nothing, and what was idle is made up for.
_SLICE_SECONDS = 0.1
# Of a figure, what the device must give, in one of so many trials: others on this machine take away, idleness adds.
HELD, _TRIALS = 0.8, 5
_AREA, _BYTES_AT_ONCE, _BLOCK = 16 << 20, 128 << 10, 4096
_VERSION_1 = {"read": "read_bps", "write": "write_bps", "read_requests": "read_iops", "write_requests": "write_iops"}
_VERSION_2 = {"read": "rbps", "write": "wbps", "read_requests": "riops", "write_requests": "wiops"}
_REQUESTS = "_requests"
# read, write: bytes per second; read_requests, write_requests: of them per second; None: as many as it can
Limits = Mapping[str, int | None]


def slow_down(testbed: str, node: str, limits: Limits) -> None:
    """Limit the claimed device `node`; `tuning.put_back` and `leave` undo it.

    The trials write zeros. Raises UserError where this machine cannot hold the limits, or is itself slower. Bytes are
    tried before requests are limited: on a disk that turns, few requests per second hold bytes down too.
    """
    number = Path(node).stat().st_rdev
    device = f"{os.major(number)}:{os.minor(number)}"
    of_requests = {key: value for key, value in limits.items() if key.endswith(_REQUESTS)}
    of_bytes = {key: value for key, value in limits.items() if key not in of_requests}
    try:
        _limit(testbed, device, of_bytes)
        _prove(testbed, node, of_bytes)
        _prove_write_back(testbed, node, limits["write"] or 0)
        _limit(testbed, device, of_requests)
        _prove(testbed, node, of_requests)
    except OSError as error:
        reported = f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror)
        raise _impossible(testbed, reported) from None


@contextmanager
def lifted(testbed: str, node: Path, limits: Limits) -> Iterator[None]:
    """Let the device that `slow_down` limited go as fast as it can while the context prepares it."""
    number = node.stat().st_rdev
    device = f"{os.major(number)}:{os.minor(number)}"
    _limit(testbed, device, dict.fromkeys(limits))
    try:
        yield
    finally:
        _limit(testbed, device, limits)


def leave(testbed: str) -> None:
    """Remove the group that version 2 needs; its limits are gone with it."""
    root = _mounted("cgroup2", None)
    if root is None:
        return
    own = root / _group(testbed)
    if own.is_dir():
        if _group(testbed) in Path("/proc/self/cgroup").read_text():
            (root / "cgroup.procs").write_text("0")
        own.rmdir()


def _limit(testbed: str, device: str, limits: Limits) -> None:
    if limits and not any(version(testbed, device, limits) for version in (_version_1, _version_2)):
        raise _impossible(testbed, "no control group for block devices is mounted")


def _version_1(testbed: str, device: str, limits: Limits) -> bool:
    root = _mounted("cgroup", "blkio")
    if root is None:
        return False
    (root / "cgroup.procs").write_text("0")
    for key, value in limits.items():
        tuning.change(
            testbed, root / f"blkio.throttle.{_VERSION_1[key]}_device", f"{device} {value or 0}", f"{device} 0"
        )
    return True


def _version_2(testbed: str, device: str, limits: Limits) -> bool:
    root = _mounted("cgroup2", None)
    if root is None or "io" not in (root / "cgroup.controllers").read_text().split():
        return False
    (root / "cgroup.subtree_control").write_text("+io +memory")
    own = root / _group(testbed)
    own.mkdir(exist_ok=True)
    (own / "cgroup.procs").write_text("0")
    words = " ".join(f"{_VERSION_2[key]}={value or 'max'}" for key, value in limits.items())
    free = " ".join(f"{word}=max" for word in _VERSION_2.values())
    tuning.change(testbed, own / "io.max", f"{device} {words}", f"{device} {free}")
    return True


def _prove(testbed: str, node: str, limits: Limits) -> None:
    """Both sides of each figure: no more than it, and nearly as much."""
    for key, limit in limits.items():
        assert limit, f"{key}: only figures are proved"
        of_requests = key.endswith(_REQUESTS)
        block = _BLOCK if of_requests else _BYTES_AT_ONCE
        each = 1 if of_requests else block
        count = max(1, int(limit * _TRIAL_SECONDS) // each)
        expected = count * each / limit
        for _ in range(_TRIALS):
            took = trial.seconds(node, key.startswith("write"), block, count, 2 * expected, scattered=of_requests)
            if _shortest(expected) <= took <= expected / HELD:
                break
        else:
            raise _faster(testbed, key, took, expected) if took < expected else _slower(testbed, key, took, expected)


def _prove_write_back(testbed: str, node: str, limit: int) -> None:
    """What the kernel writes back from memory must be held too. Memory may be slower than that: no more is asked."""
    count = max(_BLOCK, int(limit * _TRIAL_SECONDS) // _BLOCK * _BLOCK)
    for _ in range(_TRIALS):
        begun = time.monotonic()
        _written(node, count)
        took = time.monotonic() - begun
        if took >= _shortest(count / limit):
            return
    raise _faster(testbed, "write", took, count / limit)


def _shortest(expected: float) -> float:
    return expected * 0.98 - _SLICE_SECONDS


def _written(node: str, count: int) -> None:
    """Write `count` bytes through memory at the device's end, over and over in an area that is flushed each time."""
    descriptor = os.open(node, os.O_WRONLY | os.O_CLOEXEC)
    try:
        end = os.lseek(descriptor, 0, os.SEEK_END) // _BLOCK * _BLOCK
        area = min(_AREA, end)
        while count > 0:
            count -= os.pwrite(descriptor, bytes(min(area, count)), end - area)
            os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)


def _mounted(filesystem: str, controller: str | None) -> Path | None:
    for mount in kernel.mounts():
        if mount.filesystem == filesystem and (controller is None or controller in mount.options.split(",")):
            return mount.point
    return None


def _group(testbed: str) -> str:
    return f"spindlemark-{testbed}"


def _faster(testbed: str, key: str, took: float, expected: float) -> UserError:
    return _impossible(testbed, f"a trial {key} took {took:.2f} s where {expected:.2f} s were to be expected")


def _slower(testbed: str, key: str, took: float, expected: float) -> UserError:
    return UserError(
        f"config/testbeds/{testbed}.yaml: throttle: {key}: this machine gives less than is declared: a trial took "
        f"{took:.2f} s where {expected:.2f} s were to be expected, and {_TRIALS - 1} before it were no faster",
        "measure on a testbed with lower figures, or on a machine that is faster or has less else to do",
    )


def _impossible(testbed: str, reason: str) -> UserError:
    return UserError(
        f"config/testbeds/{testbed}.yaml: throttle: this machine cannot slow the device down: {reason}",
        "remove throttle, or measure where the control groups of block devices may be changed",
    )
