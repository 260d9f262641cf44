"""Metrics of image sequences: stored size, and the speed and work of writing and of each way to read."""

from spindlemark.core.metric import OWN_CLOCK, Metric
from spindlemark.harness.work import work

_WAYS = {
    "write": ("Writing", "all frames, and the sync of the filesystem"),
    "row": ("Reading in order", "all frames, one after the other"),
    "single": ("Reading single frames", "all frames, in random order"),
    "patch": ("Reading a patch", "a sixth of the height and width, in the middle of each frame"),
}
METRICS = {
    "stored_bytes": Metric(title="Size", unit="B", better="lower", description="sum of the sizes of all files"),
    **{
        f"{way}_frames_per_second": Metric(
            title=title, unit="1/s", step=way, better="higher", description=f"frames a second: {what}"
        )
        for way, (title, what) in _WAYS.items()
    },
    **{
        name: metric
        for way, (title, what) in _WAYS.items()
        for name, metric in work(way, title, what, OWN_CLOCK).items()
    },
}
