"""Exchange of projects: what is kept in each format, and how long the export lasts over the edits, beside what users reported."""

from functools import cache

from spindlemark.analysis.findings.model import Group, MetricTable
from spindlemark.analysis.studies.published_cells import cells
from spindlemark.core import declared, paths
from spindlemark.site.charts.pictures import Axis, Builder, Curves, Mark, Matrix, Point, Seen

EXPORT = "write_seconds"
SOURCE, TABLE, USERS = "000", "end-user-exports", "AAF, users of 2005"
SAYS_KEPT = (
    "What of the project came back after it was written and read again by the same adapter. It is the most that another "
    "program can find."
)
# Metrics whose titles do not explain themselves.
EXPLAINED = ("timecodes_kept_ratio", "places_kept_ratio", "everything_kept_ratio")
SAYS_EXPORT = (
    "Each point is a project of another shape, so the lines need not be straight. What users of 2005 reported are their "
    "editing programs on their machines, with a watch."
)


def pictures(group: Group, seen: Seen) -> list[Matrix | Curves]:
    """The matrix is that of the group, the curves go through all shapes on the same storage."""
    return [_matrix(group, seen), _curves(group, seen)]


def _matrix(group: Group, seen: Seen) -> Matrix:
    """A row for each format; one that could not hold the project has failed in every column, in the words of its adapter."""
    tables = [t for t in group.metrics if t.kind == "ratio"]
    by_subject = {s: [_mark(t, s) for t in tables] for s in group.subjects}
    rows = [(s, marks) for s, marks in by_subject.items() if any(m.state != "none" for m in marks)]
    failed = {each.subject: adapter_says(each.reason) for each in group.absent if each.subject not in dict(rows)}
    rows += [(s, [Mark("failed", "bad")] * len(tables)) for s in failed]
    says = [
        SAYS_KEPT,
        *([_explained(tables)] if tables else []),
        *(_held(s, why, group, seen) for s, why in failed.items()),
    ]
    return Matrix(
        "kept",
        "What is kept",
        " ".join(says),
        "format",
        "what comes back",
        [t.title.removesuffix(" kept") for t in tables],
        rows,
    )


def adapter_says(reason: str) -> str:
    """Why a format holds nothing, in the words of its adapter alone."""
    return reason.rpartition("Error: ")[2]


def _explained(tables: list[MetricTable]) -> str:
    known = declared.metrics("project_exchange")
    told = [
        f"{t.title.removesuffix(' kept')}: {known[t.metric].description.partition(': ')[2]}"
        for t in tables
        if t.metric in EXPLAINED
    ]
    return "; ".join(told) + "."


def _held(subject: str, why: str, group: Group, seen: Seen) -> str:
    """That a format failed, and how many of the other projects it could hold."""
    shapes: dict[str, bool] = {}
    for other in (group, *seen.beside(group)):
        cells = other.cells(EXPORT)
        if cells and (told := seen.factors(cells[0])):
            held = any(cell.subject == subject for cell in cells)
            shapes[told["shape.name"]] = held or shapes.get(told["shape.name"], False)
    return f"As {subject} this project cannot be written at all: {why}; {sum(shapes.values())} of the {len(shapes)} projects here can."


def _mark(table: MetricTable, subject: str) -> Mark:
    share = next((c.median for c in table.cells if c.subject == subject), None)
    if share is None:
        return Mark("not measured", "none")
    word = "all" if share == 1 else "nothing" if share == 0 else f"{100 * share:.3g} %"
    return Mark(word, "good" if share == 1 else "bad" if share == 0 else "partly")


def _curves(group: Group, seen: Seen) -> Curves:
    own = next((seen.factors(c) for c in group.cells(EXPORT)), {})
    points: dict[tuple[str, float], Point] = {}
    for cell in (c for other in (group, *seen.beside(group)) for c in other.cells(EXPORT)):
        told = seen.factors(cell)
        if told.get("storage.name") == own.get("storage.name"):
            edits = float(told["shape.edits"])
            points.setdefault((cell.subject, edits), Point(cell.subject, edits, cell.median, cell.low, cell.high))
    found = sorted(points.values(), key=lambda p: p.x)
    return Curves(
        "export",
        "Seconds to export, over edits",
        SAYS_EXPORT,
        Axis("edits", kind="count", log=True, zero=False),
        Axis("export", "s", log=True, zero=False),
        found,
        _published() if found else [],
    )


@cache
def _published() -> list[Point]:
    """What the source prints: seconds to export, of those users who told the number of edits too."""
    rows: dict[str, dict[str, float]] = {}
    for placed in cells(paths.REFERENCE / SOURCE):
        cell = placed.cell
        if cell.table_name == TABLE and cell.metric and cell.value is not None:
            rows.setdefault(cell.row_label, {})[cell.metric] = cell.value
    told = [
        (row["edits_count"], row["export_seconds"])
        for row in rows.values()
        if {"edits_count", "export_seconds"} <= row.keys()
    ]
    return [Point(USERS, *each) for each in sorted(told)]


BUILDER = Builder(draw=pictures)
