"""The testbed inside the guest. Only the disk with our serial number is ever formatted."""

import os
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from spindlemark.core.errors import UserError
from spindlemark.core.process import programs
from spindlemark.core.process.command import execute
from spindlemark.core.record import Scalar
from spindlemark.testbeds import checks, device, disk, guard
from spindlemark.testbeds.inspected_device import Check, InspectedDevice

MTAB = "/etc/mtab"
MOUNT_POINT = Path("/run/spindlemark-mount")
_SIZE_SECONDS = 30
_LIMIT_SECONDS = 600
_serial: str | None = None
_broken: str | None = None


def create_missing_files() -> None:
    """Create files that tools expect and a minimal host lacks: mkfs.nilfs2 reads the list of mounts."""
    if not os.path.lexists(MTAB):
        Path(MTAB).symlink_to("/proc/self/mounts")


def expect(serial: str) -> None:
    """Set the serial number of our disk, which the host chose when it started this machine."""
    global _serial
    _serial = serial


def broken() -> str | None:
    """Why this machine must not be used again, None while it may be."""
    return _broken


def has_our_serial(candidate: InspectedDevice) -> str | None:
    """The disk that the host attached for this measurement."""
    found = disk.serial(candidate.name)
    return None if _serial and found == _serial else f"its serial number is {found}, not {_serial}"


CHECKS: tuple[Check, ...] = (
    checks.is_block_device,
    checks.is_whole_device,
    has_our_serial,
    checks.is_not_mounted,
    checks.is_not_swap,
    checks.has_no_holders,
    checks.opens_exclusively,
)


@dataclass(frozen=True)
class VmDevice(device.Device):
    """The disk that the host attached."""

    def claimed(self) -> AbstractContextManager[str]:
        """Context that yields the disk's node for one destructive command; see guard.claim."""
        return guard.claim(self.node, self.testbed, CHECKS)

    def facts(self) -> dict[str, Scalar]:
        """Environment fields of the disk as the guest sees it."""
        return {"device.kind": "vm", "device.bytes": self.size, **device.queue_facts("device", self.name)}


@contextmanager
def opened(name: str, size: int, scheduler: str) -> Iterator[VmDevice]:
    """Find the disk, flush its buffers, set its I/O scheduler; unmount and flush it in the end.

    A failure in the end is not an error of the measured repetition: see `broken`.
    """
    global _broken
    found = _ours(name, size)
    _wait_size(found)
    _put_away(found)
    file = disk.sysfs_of(found.name) / "queue" / "scheduler"
    try:
        file.write_text(scheduler)
    except OSError:
        raise UserError(
            f"testbed {name}: scheduler: the guest's kernel does not offer {scheduler}",
            f"choose one of: {file.read_text().strip()}",
        ) from None
    MOUNT_POINT.mkdir(exist_ok=True)
    try:
        yield found
    finally:
        try:
            _put_away(found)
        except (RuntimeError, programs.TimeoutExpired) as error:
            _broken = str(error)


def _ours(testbed: str, size: int) -> VmDevice:
    found = [name for name in disk.all_disks() if _serial and disk.serial(name) == _serial]
    if len(found) != 1:
        raise RuntimeError(f"{len(found)} disks of the guest have the serial number {_serial}")
    return VmDevice(found[0], testbed, disk.node_of(found[0]), MOUNT_POINT, size)


def _wait_size(found: VmDevice) -> None:
    """Wait until the guest sees the disk's new size, a moment after the host changed it."""
    give_up = time.monotonic() + _SIZE_SECONDS
    while (seen := disk.size(found.name)) != found.size:
        if time.monotonic() > give_up:
            raise RuntimeError(f"the guest's disk has {seen} bytes, not {found.size}")
        time.sleep(0.02)


def _put_away(found: VmDevice) -> None:
    """Unmount the disk and flush its buffers."""
    commands = [["umount", str(found.mount_point)]] if found.mount_options() is not None else []
    for argv in (*commands, ["blockdev", "--flushbufs", str(found.node)]):
        done = execute(argv, _LIMIT_SECONDS, stoppable=False)
        if done.exit_code:
            raise RuntimeError(f"{' '.join(argv)} failed in the guest: {done.stderr.strip()}")
