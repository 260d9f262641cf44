"""Image sequences: what each way of storing takes of a disk, against how fast frames come back."""

from spindlemark.analysis.findings.model import Cell, Group
from spindlemark.site.charts.pictures import Axis, Builder, Curves, Point, Seen

SIZE = "stored_bytes"
SAYS = "Further left is smaller, further up is faster: what has another one to its left and above loses in both."
SAYS_STORES = (
    " A chunk is a whole frame, a tile the 36th part of one. What compresses takes one of them at a time: LZ4 after a shuffle "
    "of bits, gzip and Zstandard after one of bytes."
)
SAYS_ALIKE = " Those of one size, to within a hundredth of the largest, stand beside one another."
READS = ("row_frames_per_second", "single_frames_per_second", "patch_frames_per_second", "write_frames_per_second")
ALIKE, APART = 0.01, 0.02  # of the largest size: what hides another point, and how far they are drawn from one another


def pictures(group: Group, seen: Seen) -> list[Curves]:
    """Size against each speed: one point for each configuration."""
    tables = {table.metric: table for table in group.metrics}
    sizes = {c.subject: c.median for c in tables[SIZE].cells} if SIZE in tables else {}
    shifts = _shifts(sizes)
    first = next(filter(tables.__contains__, READS), None)
    told = SAYS_ALIKE * any(shifts.values()) + SAYS_STORES  # of all the pictures: once
    return [
        Curves(
            f"size-{metric}",
            f"Size and {table.title.lower()}",
            SAYS + told * (metric == first),
            Axis("size", "B", zero=False),
            Axis(table.title, table.unit, table.kind),
            [_point(c, sizes[c.subject], shifts[c.subject]) for c in table.cells if c.subject in sizes],
        )
        for metric in READS
        if (table := tables.get(metric))
    ]


def _point(cell: Cell, size: float, shift: float) -> Point:
    return Point(cell.subject, size, cell.median, cell.low, cell.high, shift)


def _shifts(sizes: dict[str, float]) -> dict[str, float]:
    """How far each configuration is drawn from its size: those of one size in a row, about the size."""
    largest = max(sizes.values(), default=0.0)
    rows: list[list[str]] = []
    for subject in sorted(sizes, key=lambda subject: (sizes[subject], subject)):
        if rows and sizes[subject] - sizes[rows[-1][-1]] <= ALIKE * largest:
            rows[-1].append(subject)
        else:
            rows.append([subject])
    return {
        subject: APART * largest * (place - (len(row) - 1) / 2) for row in rows for place, subject in enumerate(row)
    }


BUILDER = Builder(draw=pictures)
