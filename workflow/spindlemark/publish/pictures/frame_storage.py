"""Image sequences: what each way of storing takes of a disk, against how fast frames come back."""

from spindlemark.findings.report import Group
from spindlemark.publish.pictures import Axis, Curves, Point, Seen

SIZE = "stored_bytes"
SAYS = "Further left is smaller, further up is faster: what has another one to its left and above loses in both."
READS = ("row_frames_per_second", "single_frames_per_second", "patch_frames_per_second", "write_frames_per_second")


def pictures(group: Group, seen: Seen) -> list[Curves]:
    """Size against each speed: one point for each subject."""
    tables = {table.metric: table for table in group.metrics}
    sizes = {c.subject: c.median for c in tables[SIZE].cells if c.median is not None} if SIZE in tables else {}
    return [Curves(f"size-{metric}", f"Size and {table.title.lower()}", SAYS, Axis("size", "B", SIZE, zero=False),
                   Axis(table.title, table.unit, metric),
                   [Point(c.subject, sizes[c.subject], c.median, c.low, c.high) for c in table.cells
                    if c.subject in sizes and c.median is not None])
            for metric in READS if (table := tables.get(metric))]
