"""Project exchange: what each format preserves, and export time by number of edits, next to times that users reported."""

from functools import cache

from spindlemark.analysis.findings.model import Group, MetricTable
from spindlemark.analysis.studies.published_cells import cells
from spindlemark.core import declared, paths
from spindlemark.site.charts.chart_model import Axis, Builder, ChartData, Curves, Mark, Matrix, Point

FAMILY, EXPORT = "project_exchange", "write_seconds"
SHAPE, EDITS, STORAGE = "shape.name", "shape.edits", "storage.name"
SOURCE, TABLE, USERS = "000", "end-user-exports", "AAF, users of 2005"
CAPTION_PRESERVED = (
    "Share of the project that came back after the same adapter wrote it and read it again. Another program cannot find "
    "more than that. “Understood by another program”: the share of the edits that a reader finds which shares no code with the adapter."
)
# Metrics whose titles do not explain themselves.
EXPLAINED = ("timecodes_kept_ratio", "places_kept_ratio", "everything_kept_ratio")
CAPTION_EXPORT = (
    "Each point is a project of another shape, so the lines need not be straight. The users of 2005 timed their own editing programs "
    "on their own machines with a watch."
)


def charts(group: Group, data: ChartData) -> list[Matrix | Curves]:
    """Return the matrix of the group, and the curves through all shapes on the same storage."""
    return [_matrix(group, data), _curves(group, data)]


def _matrix(group: Group, data: ChartData) -> Matrix:
    """Return a row for each format; a format that cannot hold the project has failed in every column."""
    tables = [t for t in group.metrics if t.kind == "ratio"]
    by_format = {name: [_mark(t, name) for t in tables] for name in group.configurations}
    rows = [(name, marks) for name, marks in by_format.items() if any(m.state != "none" for m in marks)]
    failed = {
        each.configuration: adapter_error(each.reason) for each in group.absent if each.configuration not in dict(rows)
    }
    rows += [(name, [Mark("failed", "bad")] * len(tables)) for name in failed]
    caption = [
        CAPTION_PRESERVED,
        *([_explained(tables)] if tables else []),
        *(_failure(name, error, group, data) for name, error in failed.items()),
    ]
    return Matrix(
        "kept",
        "What each format preserves",
        " ".join(caption),
        "format",
        "part of the project",
        [t.title.removesuffix(" kept") for t in tables],
        rows,
    )


def adapter_error(reason: str) -> str:
    """Extract the adapter's own message from the reason of a failure."""
    return reason.rpartition("Error: ")[2]


def _explained(tables: list[MetricTable]) -> str:
    known = declared.metrics(FAMILY)
    parts = [
        f"{t.title.removesuffix(' kept')}: {known[t.metric].description.partition(': ')[2]}"
        for t in tables
        if t.metric in EXPLAINED
    ]
    return "; ".join(parts) + "."


def _failure(name: str, error: str, group: Group, data: ChartData) -> str:
    """Report why a format failed, and how many of the other projects it can hold."""
    shapes: dict[str, bool] = {}
    for other in (group, *data.same_question(group)):
        exports = other.cells(EXPORT)
        if exports and (factors := data.factors(exports[0])):
            succeeded = any(cell.configuration == name for cell in exports)
            shapes[factors[SHAPE]] = succeeded or shapes.get(factors[SHAPE], False)
    return (
        f"{name} cannot store this project: {error}. It can store {sum(shapes.values())} of the {len(shapes)} projects."
    )


def _mark(table: MetricTable, name: str) -> Mark:
    share = next((c.median for c in table.cells if c.configuration == name), None)
    if share is None:
        return Mark("not measured", "none")
    word = "all" if share == 1 else "nothing" if share == 0 else f"{100 * share:.3g} %"
    return Mark(word, "good" if share == 1 else "bad" if share == 0 else "partly")


def _curves(group: Group, data: ChartData) -> Curves:
    own = next((data.factors(c) for c in group.cells(EXPORT)), {})
    points: dict[tuple[str, float], Point] = {}
    for cell in (c for other in (group, *data.same_question(group)) for c in other.cells(EXPORT)):
        factors = data.factors(cell)
        if factors.get(STORAGE) == own.get(STORAGE):
            edits = float(factors[EDITS])
            points.setdefault(
                (cell.configuration, edits), Point(cell.configuration, edits, cell.median, cell.low, cell.high)
            )
    found = sorted(points.values(), key=lambda p: p.x)
    return Curves(
        "export",
        "Export time by number of edits",
        CAPTION_EXPORT,
        Axis("edits", kind="count", log=True, zero=False),
        Axis("export", "s", log=True, zero=False),
        found,
        _published() if found else [],
    )


@cache
def _published() -> list[Point]:
    """Return the export times in seconds of users who also reported the number of edits."""
    rows: dict[str, dict[str, float]] = {}
    for placed in cells(paths.REFERENCE / SOURCE):
        cell = placed.cell
        if cell.table_name == TABLE and cell.metric and cell.value is not None:
            rows.setdefault(cell.row_label, {})[cell.metric] = cell.value
    complete = [
        (row["edits_count"], row["export_seconds"])
        for row in rows.values()
        if {"edits_count", "export_seconds"} <= row.keys()
    ]
    return [Point(USERS, *each) for each in sorted(complete)]


BUILDER = Builder(draw=charts, factors=(SHAPE, EDITS, STORAGE))
