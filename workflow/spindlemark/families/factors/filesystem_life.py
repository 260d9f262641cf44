"""The life of a filesystem with a media library: steps and metrics of the families that measure it.

The order is that of section 3.2 of study 001: format, mount, fill (which each family does in its own way), unmount,
check, mount, delete, unmount. The library is in the folder `library`, so what mkfs itself makes (lost+found) is neither
counted nor deleted. Delete includes the sync and the unmount, since btrfs does delayed deletes there. What is read
between steps is outside the clocks.
"""

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

from spindlemark.core.errors import UserError
from spindlemark.core.gate_bounds import FULLEST
from spindlemark.core.metric import Metric
from spindlemark.families.factors import volume
from spindlemark.families.shared import media
from spindlemark.harness.repetition import Repetition

FOLDER = "library"

EMPTY_METRICS = {
    "format_seconds": Metric(
        title="Format",
        unit="s",
        step="format",
        formula='seconds("format")',
        topic="format time",
        better="lower",
        description="mkfs on a device never written before",
    ),
    "format_device_bytes": Metric(
        title="Written by format",
        unit="B",
        better="lower",
        description="bytes that the device wrote during mkfs, from its own counter",
    ),
    "mount_seconds": Metric(
        title="First mount",
        unit="s",
        step="mount",
        formula='seconds("mount")',
        better="lower",
        description="mount of the new filesystem",
    ),
    "free_after_format_bytes": Metric(
        title="Free after format",
        unit="B",
        of_device=True,
        better="higher",
        description="space that ordinary users can fill before the copy (statvfs f_bavail); an estimate on btrfs",
    ),
    "reserved_bytes": Metric(
        title="Reserved space",
        unit="B",
        topic="reserved space",
        better="lower",
        description="free space of the empty filesystem that ordinary users cannot fill (statvfs f_bfree - f_bavail)",
    ),
    "inodes_created_count": Metric(
        title="Inodes created",
        unit="1",
        kind="count",
        topic="inodes created",
        better="none",
        description="inodes of the empty filesystem (statvfs f_files): a fixed table on ext3 and ext4, on xfs the most "
        "it would make as needed; not recorded on btrfs, which has no such number",
    ),
    "inodes_needed_count": Metric(
        title="Inodes needed",
        unit="1",
        kind="count",
        topic="inodes needed",
        better="none",
        description="files and directories of the library",
    ),
}
FULL_METRICS = {
    "used_after_copy_bytes": Metric(
        title="Used after copy",
        unit="B",
        of_device=True,
        better="lower",
        description="blocks not free (statvfs f_blocks - f_bfree) with the library on it; an estimate on btrfs",
    ),
    "free_after_copy_bytes": Metric(
        title="Free after copy",
        unit="B",
        of_device=True,
        better="higher",
        description="space that ordinary users can still fill (statvfs f_bavail)",
    ),
    "space_overhead_ratio": Metric(
        title="Space overhead",
        unit="1",
        kind="ratio",
        better="lower",
        description="bytes of the device that cannot be filled any more (its size without statvfs f_bfree) with the "
        "library on it, over the payload, the sum of all file sizes: what library, journal and tables of "
        "inodes take together; 1 would be no overhead; an estimate on btrfs",
    ),
    "statfs_overhead_ratio": Metric(
        title="Space overhead reported by df",
        unit="1",
        kind="ratio",
        formula="used_after_copy_bytes / library.total",
        better="lower",
        description="used_after_copy_bytes over the payload: without journal and tables of inodes where the filesystem "
        "leaves them out of its size, as ext3, ext4 and xfs do",
    ),
}
DELETE_METRICS = {
    "delete_seconds": Metric(
        title="Delete",
        unit="s",
        step="delete",
        formula='seconds("delete")',
        better="lower",
        description="rm -rf of the library on cold caches, the sync and the unmount after it",
    ),
    "delete_sync_seconds": Metric(
        title="Sync and unmount after delete",
        unit="s",
        step="delete_sync",
        better="lower",
        description="the part of delete_seconds after rm ended",
    ),
}


def require_fit(repetition: Repetition) -> None:
    """Raise UserError when the library fills more of the device than is usual."""
    library, size = repetition.factors["library"], repetition.testbed.size
    needed = library["total"]
    if needed > FULLEST * size:
        profiles = [name for name, profile in repetition.registry.profiles.items() if profile.image_size == size]
        raise UserError(
            f"library {library['name']} has {needed} bytes and does not fit {FULLEST:.0%} of the image of {size} bytes",
            f"raise image_size in config/profiles/{(profiles or ['<profile>'])[0]}.yaml, or lower files or "
            f"size under libraries.{library['name']} there",
        )


def make(repetition: Repetition, limit: float, prefix: Sequence[str] = ()) -> None:
    """Format and mount, and measure the empty filesystem. `prefix`: see volume.make."""
    library = repetition.factors["library"]
    repetition.note({"filesystem.mke2fs_conf_sha256": _digest(Path("/etc/mke2fs.conf"))})
    step = volume.make(repetition, limit, prefix=prefix)
    repetition.compute("format_seconds")
    repetition.measure("format_device_bytes", step.written_bytes)
    volume.mount(repetition, limit)
    repetition.compute("mount_seconds")
    empty = os.statvfs(repetition.testbed.mount_point)
    repetition.measure("free_after_format_bytes", empty.f_bavail * empty.f_frsize)
    repetition.measure("reserved_bytes", (empty.f_bfree - empty.f_bavail) * empty.f_frsize)
    repetition.note(
        {
            "filesystem.total_bytes": empty.f_blocks * empty.f_frsize,
            "filesystem.used_after_format_bytes": used(empty),
            "filesystem.block_bytes": empty.f_frsize,
        }
    )
    if empty.f_files:
        repetition.measure("inodes_created_count", empty.f_files)
    repetition.measure("inodes_needed_count", media.needed_inodes(library))


def measure_space(repetition: Repetition) -> None:
    """Measure the space of the filesystem with the library on it."""
    full, payload = os.statvfs(repetition.testbed.mount_point), repetition.factors["library"]["total"]
    repetition.measure("used_after_copy_bytes", used(full))
    repetition.measure("free_after_copy_bytes", full.f_bavail * full.f_frsize)
    repetition.measure("space_overhead_ratio", (repetition.testbed.size - full.f_bfree * full.f_frsize) / payload)
    repetition.compute("statfs_overhead_ratio")


def delete(repetition: Repetition, limit: float) -> None:
    """Delete the library, and unmount the filesystem."""
    point = repetition.testbed.mount_point
    with repetition.step("delete") as step:
        remove = repetition.run(["rm", "-rf", point / FOLDER], limit)
        repetition.run(["sync", "-f", point], limit)
        repetition.run(["umount", point], limit)
    repetition.compute("delete_seconds")
    repetition.measure("delete_sync_seconds", step.seconds - remove.seconds)
    repetition.measure_work("delete", step)


def used(stat: os.statvfs_result) -> int:
    """Bytes of the blocks that are not free."""
    return (stat.f_blocks - stat.f_bfree) * stat.f_frsize


def _digest(file: Path) -> str | None:
    """SHA-256 of a file with defaults that mkfs reads, None where there is none."""
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else None
