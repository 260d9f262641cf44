"""The testbed inside the guest: the disk with our serial number, and nothing else, is formatted."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from spindlemark.errors import UserError
from spindlemark.measure.command import execute
from spindlemark.record import Scalar
from spindlemark.testbeds import guard, kernel

MOUNT_POINT = Path("/run/spindlemark-mount")
_SIZE_SECONDS = 30
_LIMIT_SECONDS = 600
_serial: str | None = None


def expect(serial: str) -> None:
    """Say which serial number our disk has: the host chose it when it started this machine."""
    global _serial
    _serial = serial


def has_our_serial(device: guard.Candidate) -> str | None:
    """The disk that the host attached for this measurement."""
    found = _sysfs(device.name, "serial")
    return None if _serial and found == _serial else f"its serial number is {found}, not {_serial}"


CHECKS: tuple[guard.Check, ...] = (guard.is_block_device, guard.is_whole_device, has_our_serial, guard.is_not_mounted,
                                   guard.is_not_swap, guard.has_no_holders, guard.opens_exclusively)


@dataclass(frozen=True)
class VmDevice:
    """What a family gets inside the guest; as loop.LoopDevice."""

    name: str
    testbed: str
    size: int
    mount_point: Path = MOUNT_POINT

    def claimed(self) -> Iterator[str]:
        """Context that yields the disk's node for one destructive command; see guard.claim."""
        return guard.claim(Path("/dev") / self.name, self.testbed, CHECKS)

    def transferred(self) -> tuple[int, int]:
        """(read, written) bytes since the guest booted, from the guest's counters of this disk."""
        fields = Path(f"/sys/block/{self.name}/stat").read_text().split()
        return int(fields[2]) * 512, int(fields[6]) * 512

    def counters(self) -> dict[str, Path]:
        """Files of the load sampler."""
        return {"device": Path(f"/sys/block/{self.name}/stat")}

    def mount_options(self) -> str | None:
        """The options in force of what is mounted on the mount point, None when nothing is."""
        found = [mount.options for mount in kernel.mounts() if mount.point == self.mount_point]
        return found[-1] if found else None

    def facts(self) -> dict[str, Scalar]:
        """Environment fields of the disk as the guest sees it."""
        queue = {f"device.queue.{key}": _sysfs(self.name, f"queue/{key}") for key in
                 ("scheduler", "nr_requests", "read_ahead_kb", "rotational", "logical_block_size",
                  "physical_block_size", "max_sectors_kb", "discard_max_bytes", "write_cache")}
        return {"device.kind": "vm", "device.bytes": self.size, **queue}


@contextmanager
def opened(name: str, size: int, scheduler: str) -> Iterator[VmDevice]:
    """Find the disk, make it as if just attached, set its I/O scheduler; unmount and flush it in the end."""
    device = VmDevice(_ours(), name, size)
    _wait_size(device)
    _put_away(device)
    file = Path(f"/sys/block/{device.name}/queue/scheduler")
    try:
        file.write_text(scheduler)
    except OSError:
        raise UserError(f"config/testbeds/{name}.yaml: scheduler: the guest's kernel does not offer {scheduler}",
                        f"choose one of: {file.read_text().strip()}") from None
    MOUNT_POINT.mkdir(exist_ok=True)
    try:
        yield device
    finally:
        _put_away(device)


def _ours() -> str:
    found = [path.parent.name for path in Path("/sys/block").glob("*/serial") if path.read_text().strip() == _serial]
    if _serial is None or len(found) != 1:
        raise RuntimeError(f"{len(found)} disks of the guest have the serial number {_serial}")
    return found[0]


def _wait_size(device: VmDevice) -> None:
    """The guest learns of a new size a moment after the host."""
    give_up = time.monotonic() + _SIZE_SECONDS
    while int(_sysfs(device.name, "size") or 0) * 512 != device.size:
        if time.monotonic() > give_up:
            raise RuntimeError(f"the guest's disk has {_sysfs(device.name, 'size')} sectors, not {device.size} bytes")
        time.sleep(0.02)


def _put_away(device: VmDevice) -> None:
    """Unmount it, and let the guest forget what it knows of its content."""
    if device.mount_options() is not None:
        done = execute(["umount", str(MOUNT_POINT)], _LIMIT_SECONDS, stoppable=False)
        if done.exit_code:
            raise RuntimeError(f"{MOUNT_POINT} cannot be unmounted: {done.stderr.strip()}")
    os.sync()
    done = execute(["blockdev", "--flushbufs", f"/dev/{device.name}"], _LIMIT_SECONDS, stoppable=False)
    if done.exit_code:
        raise RuntimeError(f"/dev/{device.name} cannot be flushed: {done.stderr.strip()}")


def _sysfs(device: str, attribute: str) -> str | None:
    try:
        return Path(f"/sys/block/{device}/{attribute}").read_text().strip() or None
    except OSError:
        return None
