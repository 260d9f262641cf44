"""Metrics of the family `filesystem_crash`."""

from spindlemark.core.metric import Metric

METRICS = {
    "crash_mount_seconds": Metric(
        title="Mount after a crash",
        unit="s",
        step="crash_mount",
        formula='seconds("crash_mount") + seconds("crash_list")',
        better="lower",
        description="first mount after the power cut, on cold caches, with the recovery that it does, and the list of all "
        "names and sizes: until the tree is usable",
    ),
    "crash_check_seconds": Metric(
        title="Check after a crash",
        unit="s",
        step="crash_check",
        formula='seconds("crash_check")',
        better="lower",
        description="forced check of the filesystem on cold caches, after it was mounted once and unmounted",
    ),
    "crash_whole_share": Metric(
        title="Whole files after a crash",
        unit="1",
        kind="ratio",
        better="higher",
        description="share of the files that were finished before the power cut (closed, and synced if each file is "
        "synced) which have all their bytes after it",
    ),
    "crash_lost_bytes": Metric(
        title="Lost in a crash",
        unit="B",
        better="lower",
        description="bytes of the files that were finished and are not whole",
    ),
    "crash_finished_count": Metric(
        title="Finished before the crash",
        unit="1",
        kind="count",
        better="none",
        description="files that were finished before the power cut: drawn by seed and repetition, the same for all configurations",
    ),
}
