"""Testbed kind `block`: a partition, known only to the kernel, of a real disk that the user gave to this program.

`guard.py` decides which disk may be erased, `label.py` recognises it later. Each repetition begins on a partition
without traces of the one before: its content is discarded if the disk can do that, else its signatures are removed.
"""

import fcntl
import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spindlemark.config import BlockTestbed
from spindlemark.core.errors import UserError
from spindlemark.core.record import Scalar
from spindlemark.testbeds import (
    blank_check,
    checks,
    device,
    disk,
    guard,
    inspected_device,
    kernel,
    kernel_settings,
    label,
    layout,
    mountpoint,
    retry,
    signatures,
)
from spindlemark.testbeds.inspected_device import Expected
from spindlemark.testbeds.kind import Kind, Run, Settings

TOOLS = {"mount": "mount", "umount": "mount", "setpriv": "util-linux", "blkdiscard": "util-linux", **signatures.TOOLS}


@dataclass(frozen=True)
class BlockDevice(device.Device):
    """The partition that is measured, and its disk."""

    parent: str  # the disk, by the kernel's name
    expected: Expected

    @contextmanager
    def claimed(self) -> Iterator[str]:
        """Context that yields the partition's node for one destructive command; see guard.claim.

        The partition stays open too, so that no other program can remove or replace it.
        """
        with guard.claim(self.expected.link, self.testbed, guard.PARTITIONED, self.expected) as whole:
            descriptor = os.open(self.node, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                part = inspected_device.inspect(self.node, self.testbed)
                found = (disk.partitions(Path(whole).name), part.number, disk.size(self.name))
                if found != ([self.name], os.fstat(descriptor).st_rdev, self.size):
                    raise UserError(
                        f"{self.node}: is not our partition of {whole} any more; nothing was written", "run it again"
                    )
                guard.require(part, (checks.is_block_device, checks.opens_exclusively))
                yield str(self.node)
            finally:
                os.close(descriptor)

    def counters(self) -> Mapping[str, Path]:
        """Files of the load sampler: the partition and its whole disk."""
        return {**super().counters(), "backing": disk.sysfs_of(self.parent) / "stat"}

    def facts(self) -> dict[str, Scalar]:
        """Environment fields, without serial number and by-id name, since records are published."""
        return {
            "device.kind": "block",
            "device.bytes": self.size,
            "device.offset": layout.START,
            "device.disk_bytes": self.expected.size,
            "device.model": self.expected.model,
            **device.queue_facts("device", self.parent),
        }


@contextmanager
def opened(name: str, declared: BlockTestbed, size: int, settings: Settings, run: Run) -> Iterator[BlockDevice]:
    """Claim the disk, add the partition, empty it and set the scheduler.

    The disk stays open and locked until the end; the BSD lock keeps udev and udisks away. `clean` removes the
    partition, after a normal end as after a crash.
    """
    kernel.own_mount_namespace()
    expected = expected_of(declared)
    mount_point = mountpoint.own()
    mount_point.mkdir(exist_ok=True)
    with guard.claim(expected.link, name, guard.BLOCK, expected) as node, _locked(node):
        parent = Path(node).name
        kernel_settings.set_scheduler(name, parent, settings["scheduler"])
        part = layout.add(parent, size)
        found = BlockDevice(part.name, name, part, mount_point, size, parent, expected)
        _empty(found, run)
        yield found


def clean(name: str, declared: BlockTestbed) -> None:
    """Unmount and remove the partition, also one that a crash left; the caller holds the testbed's lock.

    The label and the data of the last measurement stay on the disk. Raises UserError when something stays in use for a
    minute.
    """
    mount_point = mountpoint.own()
    for mount in reversed(kernel.mounts()):
        if mount.point == mount_point:
            retry.until_success(["umount", str(mount_point)], f"{mount_point}: cannot be unmounted")
    parent = _left_partitioned(name, expected_of(declared))
    if parent is not None:
        layout.remove(parent)
    kernel_settings.restore(name)
    with suppress(OSError):  # not there
        mount_point.rmdir()


def device_facts(declared: BlockTestbed, size: int) -> dict[str, Any]:
    """The device part of the fingerprint, from the declaration alone, since the guard accepts no other disk.

    It contains a hash of the serial number, so another disk of the same model has other identities.
    """
    return {
        "kind": "block",
        "bytes": size,
        "model": declared.model,
        "disk_bytes": int(declared.size),
        "disk": hashlib.sha256(declared.serial.encode()).hexdigest()[:12],
    }


def expected_of(declared: BlockTestbed) -> Expected:
    """The values that the guard compares with the disk."""
    return Expected(Path(declared.device), declared.serial, declared.model, int(declared.size), declared.erase)


def refusal(name: str, declared: BlockTestbed) -> UserError | None:
    """Return the guard's error for measuring on the disk, None when it accepts the disk. Changes nothing."""
    refused = _refused(name, declared, guard.BLOCK)
    # A partition that a crash left is removed before anything else happens.
    return refused if refused is None or _refused(name, declared, guard.PARTITIONED) else None


def lacks_only_consent(name: str, declared: BlockTestbed) -> bool:
    """Whether only the user's consent is missing for a disk that the guard refuses. Changes nothing."""
    return _refused(name, declared, guard.BLANK) is None


def consent(name: str, declared: BlockTestbed) -> label.Label:
    """Write the label on the declared disk, if the guard accepts it. The caller has the user's consent."""
    expected = expected_of(declared)
    with guard.claim(expected.link, name, guard.BLANK, expected) as node, _locked(node):
        return label.write(inspected_device.inspect(expected.link, name, expected))


def content(declared: BlockTestbed) -> str:
    """Describe what is on the disk now; only root can read it."""
    node = Path(declared.device)
    if not node.exists():
        return "it is not connected"
    found = disk.partitions(node.resolve().name)
    if found:
        return f"partitions: {', '.join(found)}"
    if not os.access(node, os.R_OK):
        return "only root can read it"
    try:
        signs = signatures.known(node)
        written = None if signs else label.read(node)
        if written is not None:
            return f"this program's label, with consent of {written.written:%Y-%m-%d}"
        return ", ".join(signs) or blank_check.foreign(node, disk.size(node.resolve().name)) or "empty"
    except UserError as error:
        return error.problem
    except (label.DamagedError, OSError) as error:
        return str(error)


def _refused(name: str, declared: BlockTestbed, checks: Sequence[inspected_device.Check]) -> UserError | None:
    expected = expected_of(declared)
    try:
        guard.require(inspected_device.inspect(expected.link, name, expected), checks)
    except UserError as refused:
        return refused
    except OSError as error:
        return UserError(f"{expected.link}: {error.strerror}", "check it as root: sudo ./spindlemark plan")
    return None


def _left_partitioned(name: str, expected: Expected) -> str | None:
    """Kernel name of the disk when it has our label and only the partition that a crash left."""
    try:
        found = inspected_device.inspect(expected.link, name, expected)
        guard.require(
            found,
            (
                guard.has_stable_name,
                guard.is_block_device,
                guard.serial_is_as_declared,
                guard.has_only_our_partition,
                guard.is_blank_or_consented,
                guard.is_consented,
            ),
        )
    except (UserError, OSError):
        return None  # not connected, not ours, or without a partition
    return found.name


def _empty(part: BlockDevice, run: Run) -> None:
    """Remove the signatures of the repetition before, and discard all blocks if the disk can."""
    commands = [["wipefs", "--all", "--quiet"]]
    if disk.attribute(part.parent, "queue/discard_max_bytes") not in (None, "0"):
        commands.append(["blkdiscard"])
    for command in commands:
        with part.claimed() as node:
            run([*command, node])


@contextmanager
def _locked(node: str) -> Iterator[None]:
    descriptor = os.open(node, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise UserError(
            f"{node}: another program has locked it; nothing was written", "wait until that program ends"
        ) from None
    finally:
        os.close(descriptor)


KIND = Kind(tools=TOOLS, opened=opened, clean=clean, device_facts=device_facts)
