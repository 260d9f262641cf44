"""Image sequences: size on disk against speed, for each way of storing them."""

from spindlemark.analysis.findings.model import Cell, Group
from spindlemark.site.charts.chart_model import Axis, Builder, ChartData, Curves, Point

SIZE = "stored_bytes"
SPEEDS = ("row_frames_per_second", "single_frames_per_second", "patch_frames_per_second", "write_frames_per_second")
CAPTION = (
    "Further left is smaller, further up is faster. A point with another one above and to its left is worse in both."
)
CAPTION_STORES = (
    " A chunk is a whole frame, a tile is 1/36 of one. Compression works on one of them at a time: LZ4 after a bit shuffle, "
    "gzip and Zstandard after a byte shuffle."
)
CAPTION_SHIFTED = " Points whose sizes differ by less than 1 % of the largest are drawn next to each other."
SAME_SIZE, DISTANCE = (
    0.01,
    0.02,
)  # of the largest size: points this close hide each other, and how far apart to draw them


def charts(group: Group, _data: ChartData) -> list[Curves]:
    """Return size against each speed, with one point for each configuration."""
    tables = {table.metric: table for table in group.metrics}
    sizes = {c.configuration: c.median for c in tables[SIZE].cells} if SIZE in tables else {}
    shifts = _shifts(sizes)
    first = next(filter(tables.__contains__, SPEEDS), None)
    of_all = CAPTION_SHIFTED * any(shifts.values()) + CAPTION_STORES  # explained once, in the first chart
    return [
        Curves(
            f"size-{metric}",
            f"Size and {table.title.lower()}",
            CAPTION + of_all * (metric == first),
            Axis("size", "B", zero=False),
            Axis(table.title, table.unit, table.kind),
            [
                _point(c, sizes[c.configuration], shifts[c.configuration])
                for c in table.cells
                if c.configuration in sizes
            ],
        )
        for metric in SPEEDS
        if (table := tables.get(metric))
    ]


def _point(cell: Cell, size: float, shift: float) -> Point:
    return Point(cell.configuration, size, cell.median, cell.low, cell.high, shift)


def _shifts(sizes: dict[str, float]) -> dict[str, float]:
    """Return how far to shift the point of each configuration; points of one size are spread around it."""
    largest = max(sizes.values(), default=0.0)
    rows: list[list[str]] = []
    for name in sorted(sizes, key=lambda name: (sizes[name], name)):
        if rows and sizes[name] - sizes[rows[-1][-1]] <= SAME_SIZE * largest:
            rows[-1].append(name)
        else:
            rows.append([name])
    return {name: DISTANCE * largest * (place - (len(row) - 1) / 2) for row in rows for place, name in enumerate(row)}


BUILDER = Builder(draw=charts)
