"""Metrics of the family `filesystem_lifecycle`."""

from spindlemark.core.metric import OF_MANY, Metric
from spindlemark.harness.work import work

# Users do not notice shorter times, in seconds. Repeats last a second together, so shorter means are exact, and still too short to matter.
INSTANT = 0.05

METRICS = {
    "format_seconds": Metric(
        title="Format", unit="s", step="format", better="lower", description="mkfs on a device never written before"
    ),
    "format_device_bytes": Metric(
        title="Written by format",
        unit="B",
        better="lower",
        description="bytes that the device wrote during mkfs, from its own counter",
    ),
    "mount_seconds": Metric(
        title="First mount", unit="s", step="mount", better="lower", description="mount of the new filesystem"
    ),
    "free_after_format_bytes": Metric(
        title="Free after format",
        unit="B",
        better="higher",
        description="space that ordinary users can fill before the copy (statvfs f_bavail); an estimate on btrfs",
    ),
    "reserved_bytes": Metric(
        title="Reserved space",
        unit="B",
        better="lower",
        description="free space of the empty filesystem that ordinary users cannot fill (statvfs f_bfree - f_bavail)",
    ),
    "inodes_created_count": Metric(
        title="Inodes created",
        unit="1",
        kind="count",
        better="none",
        description="inodes of the empty filesystem (statvfs f_files): a fixed table on ext3 and ext4, on xfs the most "
        "it would make as needed; not recorded on btrfs, which has no such number",
    ),
    "inodes_needed_count": Metric(
        title="Inodes needed", unit="1", kind="count", better="none", description="files and directories of the library"
    ),
    "copy_seconds": Metric(
        title="Copy",
        unit="s",
        step="copy",
        better="lower",
        description="cp -a of the library from memory, and the sync of the filesystem after it",
    ),
    "copy_sync_seconds": Metric(
        title="Sync after copy", unit="s", step="copy_sync", better="lower", description="the sync alone"
    ),
    "copy_bytes_per_second": Metric(
        title="Copy throughput",
        unit="B/s",
        step="copy",
        timed_by="copy_seconds",
        better="higher",
        description="payload of the library over copy_seconds",
    ),
    "copy_files_per_second": Metric(
        title="Files copied per second",
        unit="1/s",
        step="copy",
        timed_by="copy_seconds",
        better="higher",
        description="files of the library over copy_seconds",
    ),
    "used_after_copy_bytes": Metric(
        title="Used after copy",
        unit="B",
        better="lower",
        description="blocks not free (statvfs f_blocks - f_bfree) with the library on it; an estimate on btrfs",
    ),
    "free_after_copy_bytes": Metric(
        title="Free after copy",
        unit="B",
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
        better="lower",
        description="used_after_copy_bytes over the payload: without journal and tables of inodes where the filesystem "
        "leaves them out of its size, as ext3, ext4 and xfs do",
    ),
    "unmount_seconds": Metric(
        title="Unmount", unit="s", step="unmount", better="lower", description="unmount after the copy"
    ),
    "scan_seconds": Metric(
        title="Scan",
        unit="s",
        step="scan",
        better="lower",
        description="find with size and time of every file on cold caches, as a media server lists its library at start; "
        "mean of the repeats",
        shortest_seconds=INSTANT,
    ),
    "backup_seconds": Metric(
        title="Incremental backup",
        unit="s",
        step="backup",
        better="lower",
        description="rsync that compares the library with an equal one in memory by size and time, on cold caches, and "
        "has nothing to copy; mean of the repeats",
        shortest_seconds=INSTANT,
    ),
    "browse_median_seconds": Metric(
        title="Open a file, median",
        unit="s",
        step="browse",
        better="lower",
        description="opening a file chosen at random and reading its first 64 KiB, on cold caches, as for a thumbnail",
        shortest_seconds=OF_MANY,
    ),
    "browse_p99_seconds": Metric(
        title="Open a file, 99th percentile",
        unit="s",
        step="browse",
        better="lower",
        description="the slowest in a hundred of those",
        shortest_seconds=OF_MANY,
    ),
    "seek_median_seconds": Metric(
        title="Read at a random position, median",
        unit="s",
        step="seek",
        better="lower",
        description="reading 1 MiB at a random position of a file chosen at random, on cold caches; libraries with files "
        "of 16 MiB and more",
        shortest_seconds=OF_MANY,
    ),
    "seek_p99_seconds": Metric(
        title="Read at a random position, 99th percentile",
        unit="s",
        step="seek",
        better="lower",
        description="the slowest in a hundred of those",
        shortest_seconds=OF_MANY,
    ),
    "read_seconds": Metric(
        title="Read",
        unit="s",
        step="read",
        better="lower",
        description="reading the whole library in the order in which its folders list it, on cold caches, as a full backup "
        "does",
    ),
    "read_bytes_per_second": Metric(
        title="Read throughput",
        unit="B/s",
        step="read",
        timed_by="read_seconds",
        better="higher",
        description="payload of the library over read_seconds",
    ),
    "verify_seconds": Metric(
        title="Verify",
        unit="s",
        step="verify",
        better="lower",
        description="xxh128sum of every file, in the order of their paths, against the checksums of the source, on cold caches",
    ),
    "verify_bytes_per_second": Metric(
        title="Verification throughput",
        unit="B/s",
        step="verify",
        timed_by="verify_seconds",
        better="higher",
        description="payload of the library over verify_seconds",
    ),
    "check_seconds": Metric(
        title="Check",
        unit="s",
        step="check",
        better="lower",
        description="forced check of the unmounted filesystem on cold caches, mean of the repeats; not measured where no "
        "such tool exists (NILFS2)",
        shortest_seconds=INSTANT,
    ),
    "delete_seconds": Metric(
        title="Delete",
        unit="s",
        step="delete",
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
    **work("copy", "Copy", "cp and sync"),
    **work("read", "Read", "the commands that read it"),
    **work("verify", "Verify", "xxh128sum"),
    **work("scan", "Scan", "find"),
    **work("check", "Check", "the forced check"),
    **work("delete", "Delete", "rm, sync and unmount"),
}
