"""Metrics of the family `filesystem_lifecycle`."""

from spindlemark.core.metric import OF_MANY, Metric
from spindlemark.families.factors import filesystem_life
from spindlemark.harness.work import work

# Users do not notice shorter times, in seconds. Repeats last a second together, so shorter means are exact, and still too short to matter.
INSTANT = 0.05

METRICS = {
    **filesystem_life.EMPTY_METRICS,
    "copy_seconds": Metric(
        title="Copy",
        unit="s",
        step="copy",
        formula='seconds("copy")',
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
        moves="written",
        formula="library.total / copy_seconds",
        better="higher",
        description="payload of the library over copy_seconds",
    ),
    "copy_files_per_second": Metric(
        title="Files copied per second",
        unit="1/s",
        step="copy",
        timed_by="copy_seconds",
        formula="library.files / copy_seconds",
        better="higher",
        description="files of the library over copy_seconds",
    ),
    **filesystem_life.FULL_METRICS,
    "unmount_seconds": Metric(
        title="Unmount",
        unit="s",
        step="unmount",
        formula='seconds("unmount")',
        better="lower",
        description="unmount after the copy",
    ),
    "scan_seconds": Metric(
        title="Scan",
        unit="s",
        step="scan",
        formula='seconds("scan") / runs("scan")',
        better="lower",
        description="find with size and time of every file on cold caches, as a media server lists its library at start; "
        "mean of the repeats",
        shortest_seconds=INSTANT,
    ),
    "backup_seconds": Metric(
        title="Incremental backup",
        unit="s",
        step="backup",
        formula='seconds("backup") / runs("backup")',
        better="lower",
        description="rsync that compares the library with an equal one in memory by size and time, on cold caches, and "
        "has nothing to copy; mean of the repeats",
        shortest_seconds=INSTANT,
    ),
    "browse_median_seconds": Metric(
        title="Browse, median",
        unit="s",
        step="browse",
        better="lower",
        description="opening a file chosen at random and reading its first 64 KiB, on cold caches, as for a thumbnail; each file once, "
        "libraries of 100 files and more",
        shortest_seconds=OF_MANY,
    ),
    "browse_p99_seconds": Metric(
        title="Browse, 99th percentile",
        unit="s",
        step="browse",
        better="lower",
        description="the slowest in a hundred of those",
        shortest_seconds=OF_MANY,
    ),
    "seek_median_seconds": Metric(
        title="Seek, median",
        unit="s",
        step="seek",
        better="lower",
        description="reading 1 MiB at a random position of a file chosen at random, on cold caches; libraries with files "
        "of 16 MiB and more",
        shortest_seconds=OF_MANY,
    ),
    "seek_p99_seconds": Metric(
        title="Seek, 99th percentile",
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
        formula='seconds("read")',
        better="lower",
        description="reading the whole library in the order in which its folders list it, on cold caches, as a full backup "
        "does",
    ),
    "read_bytes_per_second": Metric(
        title="Read throughput",
        unit="B/s",
        step="read",
        timed_by="read_seconds",
        moves="read",
        formula="library.total / read_seconds",
        better="higher",
        description="payload of the library over read_seconds",
    ),
    "verify_seconds": Metric(
        title="Verify",
        unit="s",
        step="verify",
        formula='seconds("verify")',
        better="lower",
        description="xxh128sum of every file, in the order of their paths, against the checksums of the source, on cold caches",
    ),
    "verify_bytes_per_second": Metric(
        title="Verification throughput",
        unit="B/s",
        step="verify",
        timed_by="verify_seconds",
        moves="read",
        formula="library.total / verify_seconds",
        better="higher",
        description="payload of the library over verify_seconds",
    ),
    "check_seconds": Metric(
        title="Check",
        unit="s",
        step="check",
        formula='seconds("check") / runs("check")',
        better="lower",
        description="forced check of the unmounted filesystem on cold caches, mean of the repeats; not measured where no "
        "such tool exists (NILFS2)",
        shortest_seconds=INSTANT,
    ),
    **filesystem_life.DELETE_METRICS,
    **work("copy", "Copy", "cp and sync", formula='cpu("copy")'),
    **work("read", "Read", "the commands that read it", formula='cpu("read")'),
    **work("verify", "Verify", "xxh128sum", formula='cpu("verify")'),
    **work("scan", "Scan", "find", formula='cpu("scan") / runs("scan")'),
    **work("check", "Check", "the forced check", formula='cpu("check") / runs("check")'),
    **work("delete", "Delete", "rm, sync and unmount", formula='cpu("delete")'),
}
