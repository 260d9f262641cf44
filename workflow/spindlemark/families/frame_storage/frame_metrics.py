"""Metrics of image sequences: stored size, and the speed and work of writing and of each way to read."""

from spindlemark.core.metric import OWN_CLOCK, Metric
from spindlemark.harness.work import work

_WAYS = {
    "write": ("Writing", "all frames, and the sync of the filesystem"),
    "row": ("Reading in order", "all frames, one after the other"),
    "single": ("Reading single frames", "48 frames, or all of fewer, in random order"),
    "patch": ("Reading a patch", "a sixth of the height and width, in the middle of 48 frames or all of fewer"),
}
METRICS = {
    "stored_bytes": Metric(title="Size", unit="B", better="lower", description="sum of the sizes of all files"),
    **{
        f"{way}_frames_per_second": Metric(
            title=title, unit="1/s", step=way, better="higher", description=f"frames a second: {what}"
        )
        for way, (title, what) in _WAYS.items()
    },
    "play_late_ratio": Metric(
        title="Late when played",
        unit="1",
        kind="ratio",
        better="lower",
        description="share of the frames that come too late for a player that shows 24 a second, and begins a second after it has "
        "the first",
    ),
    "rewrite_seconds": Metric(
        title="Writing one frame again",
        unit="s",
        step="rewrite",
        shortest_seconds=OWN_CLOCK,
        better="lower",
        description="replace the samples of the frame in the middle, and sync it",
    ),
    "flip_frames_count": Metric(
        title="Frames lost to one bit",
        unit="1",
        kind="count",
        better="lower",
        description="frames that cannot be read, or differ, after one bit of the stored files was flipped",
    ),
    "flip_lost_bytes": Metric(
        title="Samples lost to one bit",
        unit="B",
        better="lower",
        description="bytes of the samples that are wrong after one bit was flipped; of a frame that cannot be read all of them",
    ),
    **{
        name: metric
        for way, (title, what) in _WAYS.items()
        for name, metric in work(way, title, what, OWN_CLOCK).items()
    },
}
