"""Limit the speed of a device by the kernel's control groups, and test the limits.

Version 1 (`blkio.throttle`): the root group gets the limit, since the kernel accounts write-back to it, and this process
and its commands join it. Version 2 (`io.max`): the root group cannot have limits, so this process moves into a group of
its own that also has the memory controller, by which the kernel knows whose pages it writes back. Neither works
everywhere: a container may not be able to write there, and some filesystems write back in kernel threads. So trials of
bytes and of requests, in both directions, and of a write through the page cache decide.

In tests, the kernel counted requests before it merged them: adjacent requests of 4 KiB count one by one although the
device gets them as one, a request larger than `max_sectors_kb` counts as its parts, and a sequential request counts as
much as a random one. So a limit on requests slows small sequential requests down more than a hard disk would.
"""

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from spindlemark.core.errors import UserError
from spindlemark.testbeds import kernel, kernel_settings, timed_requests

_TRIAL_SECONDS = 0.25
# The kernel applies its limits to slices of time. The first is not limited, and idle time is compensated.
_SLICE_SECONDS = 0.1
# Share of the declared figure that one of _TRIALS must reach; other load on this machine may slow some down.
HELD, _TRIALS = 0.8, 5
_AREA, _BYTES_AT_ONCE, _BLOCK = 16 << 20, 128 << 10, 4096
_VERSION_1 = {"read": "read_bps", "write": "write_bps", "read_requests": "read_iops", "write_requests": "write_iops"}
_VERSION_2 = {"read": "rbps", "write": "wbps", "read_requests": "riops", "write_requests": "wiops"}
_REQUESTS = "_requests"
# read, write: bytes per second; read_requests, write_requests: requests per second; None: no limit
Limits = Mapping[str, int | None]


def apply(testbed: str, node: str, limits: Limits) -> None:
    """Limit the claimed device `node`; `kernel_settings.restore` and `remove_group` undo it.

    The trials write zeros. Raises UserError where this machine cannot apply the limits, or is slower than them. Bytes
    are tested before requests are limited, since the few requests per second of a hard disk limit bytes too.
    """
    device = _number(Path(node))
    of_requests = {key: value for key, value in limits.items() if key.endswith(_REQUESTS)}
    of_bytes = {key: value for key, value in limits.items() if key not in of_requests}
    try:
        _limit(testbed, device, of_bytes)
        _verify(testbed, node, of_bytes)
        _verify_write_back(testbed, node, limits["write"] or 0)
        _limit(testbed, device, of_requests)
        _verify(testbed, node, of_requests)
    except OSError as error:
        reported = f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror)
        raise _impossible(testbed, reported) from None


def clear(node: Path) -> None:
    """Lift all limits on the number of a device that was just attached.

    A killed program may have left them there, with a note that is gone. They would slow the next device of this number.
    Version 2 keeps limits in the group of the processes that they apply to, which is gone with its testbed.
    """
    root = _mounted("cgroup", "blkio")
    device = _number(node)
    if root is None:
        return
    for name in _VERSION_1.values():
        file = root / f"blkio.throttle.{name}_device"
        if file.exists() and any(line.split()[:1] == [device] for line in file.read_text().splitlines()):
            file.write_text(f"{device} 0")


@contextmanager
def lifted(testbed: str, node: Path, limits: Limits) -> Iterator[None]:
    """Lift the limits of a device while the context prepares it."""
    device = _number(node)
    _limit(testbed, device, dict.fromkeys(limits))
    try:
        yield
    finally:
        _limit(testbed, device, limits)


def remove_group(testbed: str) -> None:
    """Remove the group of version 2, and its limits with it."""
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
        kernel_settings.change(
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
    kernel_settings.change(testbed, own / "io.max", f"{device} {words}", f"{device} {free}")
    return True


def _verify(testbed: str, node: str, limits: Limits) -> None:
    """Test that the device reaches nearly each figure and does not exceed it."""
    for key, limit in limits.items():
        assert limit, f"{key}: only figures can be tested"
        of_requests = key.endswith(_REQUESTS)
        block = _BLOCK if of_requests else _BYTES_AT_ONCE
        each = 1 if of_requests else block
        count = max(1, int(limit * _TRIAL_SECONDS) // each)
        expected = count * each / limit
        for _ in range(_TRIALS):
            took = timed_requests.seconds(
                node, key.startswith("write"), block, count, 2 * expected, scattered=of_requests
            )
            if _shortest(expected) <= took <= expected / HELD:
                break
        else:
            raise _faster(testbed, key, took, expected) if took < expected else _slower(testbed, key, took, expected)


def _verify_write_back(testbed: str, node: str, limit: int) -> None:
    """Test that write-back is limited too. It may be slower, since the page cache has costs of its own."""
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
    """Write `count` bytes through the page cache, repeatedly to the same area at the device's end, with a sync each time."""
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


def _number(node: Path) -> str:
    number = node.stat().st_rdev
    return f"{os.major(number)}:{os.minor(number)}"


def _group(testbed: str) -> str:
    return f"spindlemark-{testbed}"


def _faster(testbed: str, key: str, took: float, expected: float) -> UserError:
    return _impossible(testbed, f"a trial of {key} took {took:.2f} s instead of the expected {expected:.2f} s")


def _slower(testbed: str, key: str, took: float, expected: float) -> UserError:
    return UserError(
        f"config/testbeds/{testbed}.yaml: throttle: {key}: this machine is slower than declared: a trial took "
        f"{took:.2f} s instead of the expected {expected:.2f} s, and {_TRIALS - 1} trials before were too slow as well",
        "measure on a testbed with lower figures, or on a faster or less busy machine",
    )


def _impossible(testbed: str, reason: str) -> UserError:
    return UserError(
        f"config/testbeds/{testbed}.yaml: throttle: this machine cannot limit the device: {reason}",
        "remove throttle, or measure on a machine where control groups of block devices can be changed",
    )
