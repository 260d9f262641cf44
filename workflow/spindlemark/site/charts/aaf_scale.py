"""AAF and compound files: growth with the number of mobs, next to published values, and which library reads whose files."""

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from spindlemark.analysis.findings import question_list, text
from spindlemark.analysis.findings.model import Cell, Group
from spindlemark.analysis.studies.published_cells import read, table_rows
from spindlemark.core import declared, paths
from spindlemark.core.compound_files import SECTORS, WRITES
from spindlemark.site import power_law
from spindlemark.site.charts.chart_model import Axis, Builder, ChartData, Curves, Mark, Matrix, Point

FAMILY = "aaf_scale"
LIBRARY, LEVEL, SECTOR, ESSENCE = "implementation.name", "level", "sector", "essence.name"
SIZE, MOBS = "sources.name", "sources.mobs"
FIRST = ("write-mobs", "understanding")
STUDY = "000"
TABLES = {"plain": "scaletest", "embedded": "scaletest-es"}
# metric -> title and name of the chart, and title of its axis
GROWING = {
    "write_seconds": ("Writing time by number of mobs", "write", "time"),
    "read_seconds": ("Reading time by number of mobs", "read", "time"),
    "write_peak_bytes": ("Memory for writing by number of mobs", "memory", "memory"),
    "file_bytes": ("File size by number of mobs", "file", "size of the file"),
}
PRINTED = {"512": "512", "4096": "4k"}
CAPTION = (
    "A line that rises by one decade per decade grows in proportion to the number of mobs. A flatter one has a constant part, such as "
    "the dictionary that AAF adds to each file."
)
CAPTION_TIME = " Where a line is steeper, the library slows down with the size of the file."
CAPTION_PUBLISHED = " The study's machine is from 2005: compare the slopes, not the times."
CAPTION_MATRIX = (
    "How much each library reads back from files of this size that another library, or the same one, wrote: the whole tree "
    "(names, sizes and content of all streams), a share of it, or nothing."
)
AXIS = "mobs, four for each source"
Factors = dict[str, str]
Answers = dict[str, dict[str, Any]]


def charts(group: Group, data: ChartData) -> list[Curves | Matrix]:
    """Return curves by number of mobs, with the study's values if whole files are compared, and the matrix of readers."""
    own = _shared(group, data)
    if own is None:
        return []
    same = [(cells, factors) for cells, factors in _cells(group, data) if _variant(factors) == _variant(own)]
    curves = [_curves(metric, same, own) for metric in GROWING]
    return [*(c for c in curves if len({p.x for p in c.points}) > 1), *_matrix(group, own, data)]


def _variant(factors: Factors) -> tuple[str | None, ...]:
    return tuple(factors.get(name) for name in (LEVEL, ESSENCE, SECTOR))


def _shared(group: Group, data: ChartData) -> Factors | None:
    """Return the factors of the group's first cell."""
    return next((data.factors(c) for t in group.metrics for c in t.cells), None)


def _cells(group: Group, data: ChartData) -> Iterator[tuple[dict[str, Cell], Factors]]:
    """Yield the cells of each configuration of the same question, by metric, with their factors."""
    for each in data.same_question(group):
        by_name: dict[str, dict[str, Cell]] = {}
        for table in each.metrics:
            for cell in table.cells:
                by_name.setdefault(cell.configuration, {})[table.metric] = cell
        for cells in by_name.values():
            yield cells, data.factors(next(iter(cells.values())))


def _curves(metric: str, same: list[tuple[dict[str, Cell], Factors]], own: Factors) -> Curves:
    title, column, axis = GROWING[metric]
    points = [
        Point(c.configuration, float(factors[MOBS]), c.median, c.low, c.high)
        for cells, factors in same
        if (c := cells.get(metric)) and c.median
    ]
    timed = declared.kind(metric) == "time"
    printed = timed and own.get(LEVEL) == "aaf"
    published = _published(column, TABLES[own[ESSENCE]], PRINTED[own[SECTOR]]) if printed else []
    caption = "".join(
        [CAPTION, CAPTION_TIME if timed else "", _growths(points), CAPTION_PUBLISHED if published else ""]
    )
    axes = Axis(AXIS, kind="count", log=True), Axis(axis, "s" if timed else "B", log=True)
    return Curves(f"{column}-mobs", title, caption, *axes, points, published)


def _growths(points: list[Point]) -> str:
    """Report the exponent of growth of each configuration that has enough sizes; each sentence starts with a space."""
    found = {
        name: power_law.fitted([(p.x, p.y) for p in points if p.name == name])
        for name in sorted({p.name for p in points})
    }
    fits = [f"{g.exponent:.2f} ({g.low:.2f} to {g.high:.2f}) for {s}" for s, g in found.items() if g and g.conclusive]
    wide = [s for s, g in found.items() if g and not g.conclusive]
    return (f" Within these sizes the exponent of growth is {text.listed(fits)}." if fits else "") + (
        f" For {text.listed(wide)} there are too few sizes to estimate it." if wide else ""
    )


@cache
def _published(column: str, table: str, printed: str) -> list[Point]:
    """Return the study's values for these sectors, for the sizes at which it could write the file."""
    folder = paths.REFERENCE / STUDY
    rows = table_rows(folder, table, read(folder).tables[table])
    return [
        Point(f"study {STUDY}", float(row["num_mobs"]), float(row[f"{column}_{printed}"]))
        for row in rows
        if row[f"{column}_{printed}"].replace(".", "").isdigit()
    ]


class Written(NamedTuple):
    """How a file was written: level, library, sector size in bytes, and essence."""

    level: str
    name: str
    sector: int
    essence: str

    def __str__(self) -> str:
        parts = [_label(LIBRARY, self.name), _label(LEVEL, self.level)]
        essence = [_label(ESSENCE, self.essence)] if self.essence == "embedded" else []
        return ", ".join([*parts, *essence, f"sectors of {self.sector} B"])


def _matrix(group: Group, own: Factors, data: ChartData) -> list[Matrix]:
    """Return a row for each way of writing a file of the group's size, and a column for each reader."""
    found: dict[Written, Answers] = {}
    for cells, factors in _cells(group, data):
        same_size = factors.get(SIZE) == own.get(SIZE)
        attached = data.attachments(next(iter(cells.values()))) if same_size else []
        if attached and "understanding" in attached[-1]:
            written = Written(factors[LEVEL], factors[LIBRARY], int(factors[SECTOR]), factors[ESSENCE])
            found.setdefault(written, attached[-1]["understanding"])
    readers = {_title(name): name for answers in found.values() for name in answers}
    columns = sorted(readers, key=str.casefold)
    rows = [
        (str(written), [_mark(answers.get(readers[column])) for column in columns])
        for written, answers in sorted(found.items())
    ]
    if not rows:
        return []
    caption = " ".join([CAPTION_MATRIX, *_refusals(found), *_missing(set(found))])
    return [Matrix("understanding", "Which library reads whose files", caption, "written by", "read by", columns, rows)]


def _label(factor: str, value: str) -> str:
    return question_list.label(FAMILY, factor, value)


def _title(name: str) -> str:
    return _label(LIBRARY, name)


def _refusals(found: dict[Written, Answers]) -> list[str]:
    """Quote why readers reject files, in one sentence for each library and sector size."""
    reasons: dict[tuple[str, int], dict[str, str]] = {}
    for written, answers in found.items():
        rejected = {
            name: a["says"].rpartition(": ")[2] for name, a in answers.items() if a["kept"] == 0 and a["says"] != "read"
        }
        reasons.setdefault((written.name, written.sector), {}).update(rejected)
    return [
        f"Files that {_title(name)} writes with {sector}-byte sectors are rejected by "
        + text.listed([f"{_title(reader)} (“{why}”)" for reader, why in rejected.items()])
        + "."
        for (name, sector), rejected in sorted(reasons.items())
        if rejected
    ]


def _missing(found: set[Written]) -> list[str]:
    """Explain missing rows: containers that a library cannot write, and those that were not written at this size."""
    tried = {(written.name, written.sector) for written in found if written.level == "container"}
    unable, untried = [], []
    for name, writes in WRITES.items():
        missing = [sector for sector in SECTORS if sector in writes and (name, sector) not in tried]
        untried += [f"containers of {_title(name)} with sectors of {sector} B" for sector in missing]
        if not writes:
            unable.append(f"{_title(name)} only reads")
        else:
            unable += [
                f"{_title(name)} cannot write sectors of {sector} B" for sector in SECTORS if sector not in writes
            ]
    reasons = {"Not shown": unable, "Not tried at this size": untried}
    return [f"{reason}: {text.listed(each)}." for reason, each in reasons.items() if each]


def _mark(answer: dict[str, Any] | None) -> Mark:
    if answer is None or answer["kept"] is None:
        says = answer["says"] if answer else ""
        return Mark(says if says.startswith("stopped") else "not available", "none")
    if answer["kept"] == 1:
        return Mark("whole", "good")
    if answer["kept"]:
        return Mark(f"{answer['kept']:.1%}", "partly")
    return Mark(answer["says"].split(":")[0] if answer["says"] != "read" else "another tree", "bad")


BUILDER = Builder(
    draw=charts,
    first=FIRST,
    factors=(LIBRARY, LEVEL, SECTOR, ESSENCE, SIZE, MOBS),
    shows_published=True,
)
