"""Metrics of the family `recording_survival`."""

from spindlemark.core.metric import Metric

METRICS = {
    "recording_lost_seconds": Metric(
        title="Lost at the end of a recording",
        unit="s",
        shortest_seconds=0.2,
        better="lower",
        description="seconds before the power cut that cannot be played: the largest of all recordings and cuts, on a disk that "
        "keeps the order of its writes; below the duration of a piece it counts as that",
    ),
    "recording_cached_lost_seconds": Metric(
        title="Lost with a volatile cache",
        unit="s",
        shortest_seconds=0.2,
        better="lower",
        description="the same on a disk whose cache lost any half of the writes since its last flush",
    ),
    "recording_mean_lost_seconds": Metric(
        title="Lost on average",
        unit="s",
        shortest_seconds=0.2,
        better="lower",
        description="mean of all recordings and cuts, on a disk that keeps the order of its writes",
    ),
    "recording_synced_lost_bytes": Metric(
        title="Lost although synced",
        unit="B",
        better="lower",
        description="bytes that a sync had confirmed before the cut and that are not there after it, of all cuts together",
    ),
    "recording_mount_seconds": Metric(
        title="Mount after the power cut",
        unit="s",
        step="crash_mount",
        better="lower",
        description="median of the mounts after the cuts, on cold caches, with the recovery that they do",
    ),
    "recording_clean_ratio": Metric(
        title="Checks without an error",
        unit="1",
        kind="ratio",
        better="higher",
        description="share of the cuts after which the filesystem could be mounted, and a forced check found no error then",
    ),
    "recording_late_seconds": Metric(
        title="Latest write",
        unit="s",
        better="lower",
        description="longest time between the moment when a piece was recorded and the end of its write or sync: what a recorder has to "
        "buffer, on a disk in memory",
    ),
    "recording_written_ratio": Metric(
        title="Written for each recorded byte",
        unit="1",
        kind="ratio",
        better="lower",
        description="bytes that the disk was given until all was recorded and synced, over the bytes of the recordings",
    ),
}
