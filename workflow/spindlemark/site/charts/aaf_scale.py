"""AAF and compound files: what grows with the number of mobs, beside the published, and who understands whose file."""

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from spindlemark.analysis.findings import question_list, text
from spindlemark.analysis.findings.model import Cell, Group
from spindlemark.analysis.studies.published_cells import read, table_rows
from spindlemark.core import paths
from spindlemark.core.compound_files import SECTORS, WRITES
from spindlemark.site import power_law
from spindlemark.site.charts.pictures import Axis, Builder, Curves, Mark, Matrix, Point, Seen

FIRST = ("write-mobs", "understanding")
STUDY = "000"
TABLES = {"plain": "scaletest", "embedded": "scaletest-es"}
# metric -> heading, name of the picture, and what is on its axis
GROWING = {
    "write_seconds": ("Writing over size", "write", "time"),
    "read_seconds": ("Reading over size", "read", "time"),
    "write_peak_bytes": ("Memory of writing over size", "memory", "memory"),
    "file_bytes": ("File over size", "file", "size of the file"),
}
PRINTED = {"512": "512", "4096": "4k"}
SAYS = (
    "A line that rises by one decade in a decade grows in proportion; a flatter one has a part that is the same for each file, as the "
    "dictionary that AAF puts into all of them."
)
SAYS_TIME = " Where it is steeper, the library slows down with the size of the file."
SAYS_PUBLISHED = " The study's machine is of 2005: compare how steep lines are, not how high they lie."
SAYS_MATRIX = (
    "What each library gives back of files of this size that another one or itself wrote: the whole tree, with names, "
    "sizes and content of all streams, a share of it, or nothing."
)
MOBS = "mobs, four for each source"
Factors = dict[str, str]
Answers = dict[str, dict[str, Any]]


def pictures(group: Group, seen: Seen) -> list[Curves | Matrix]:
    """Curves over the number of mobs, with what the study printed where whole files are compared, and the matrix."""
    own = _shared(group, seen)
    if own is None:
        return []
    alike = [(cells, told) for cells, told in _cells(group, seen) if _place(told) == _place(own)]
    curves = [_curves(metric, alike, own) for metric in GROWING]
    return [*(c for c in curves if len({p.x for p in c.points}) > 1), *_matrix(group, own, seen)]


def _place(told: Factors) -> tuple[str | None, ...]:
    return tuple(told.get(name) for name in ("level", "essence.name", "sector"))


def _shared(group: Group, seen: Seen) -> Factors | None:
    """The factors of the group's first cell."""
    return next((seen.factors(c) for t in group.metrics for c in t.cells), None)


def _cells(group: Group, seen: Seen) -> Iterator[tuple[dict[str, Cell], Factors]]:
    """The cells of each configuration of the groups beside, by metric, with their factors."""
    for each in seen.beside(group):
        by_subject: dict[str, dict[str, Cell]] = {}
        for table in each.metrics:
            for cell in table.cells:
                by_subject.setdefault(cell.subject, {})[table.metric] = cell
        for cells in by_subject.values():
            yield cells, seen.factors(next(iter(cells.values())))


def _curves(metric: str, alike: list[tuple[dict[str, Cell], Factors]], own: Factors) -> Curves:
    title, column, what = GROWING[metric]
    points = [
        Point(c.subject, float(told["sources.mobs"]), c.median, c.low, c.high)
        for cells, told in alike
        if (c := cells.get(metric)) and c.median
    ]
    timed = metric.endswith("_seconds")
    printed = timed and own.get("level") == "aaf"
    published = _published(column, TABLES[own["essence.name"]], PRINTED[own["sector"]]) if printed else []
    says = "".join([SAYS, SAYS_TIME if timed else "", _growths(points), SAYS_PUBLISHED if published else ""])
    axes = Axis(MOBS, kind="count", log=True), Axis(what, "s" if timed else "B", log=True)
    return Curves(f"{column}-mobs", title, says, *axes, points, published)


def _growths(points: list[Point]) -> str:
    """With which power of the size each configuration grows, as far as there are enough sizes to tell; each sentence after a space."""
    found = {
        s: power_law.fitted([(p.x, p.y) for p in points if p.subject == s]) for s in sorted({p.subject for p in points})
    }
    told = [f"{g.exponent:.2f} ({g.low:.2f} to {g.high:.2f}) for {s}" for s, g in found.items() if g and g.tells]
    open_ones = [s for s, g in found.items() if g and not g.tells]
    return (f" Within these sizes the power of growth is {text.listed(told)}." if told else "") + (
        f" Of {text.listed(open_ones)} these few sizes do not tell." if open_ones else ""
    )


@cache
def _published(column: str, table: str, printed: str) -> list[Point]:
    """What the study prints for these sectors, as far as it could write the file."""
    folder = paths.REFERENCE / STUDY
    rows = table_rows(folder, table, read(folder).tables[table])
    return [
        Point(f"study {STUDY}", float(row["num_mobs"]), float(row[f"{column}_{printed}"]))
        for row in rows
        if row[f"{column}_{printed}"].replace(".", "").isdigit()
    ]


class Wrote(NamedTuple):
    """What was written at a size: by which library, at which level, with which sectors and essence."""

    level: str
    name: str
    sector: int
    essence: str

    def __str__(self) -> str:
        said = [
            question_list.said("aaf_scale", *each)
            for each in (("implementation.name", self.name), ("level", self.level))
        ]
        essence = [question_list.said("aaf_scale", "essence.name", self.essence)] if self.essence == "embedded" else []
        return ", ".join([*said, *essence, f"sectors of {self.sector} B"])


def _matrix(group: Group, own: Factors, seen: Seen) -> list[Matrix]:
    """A row for whatever was written with as many sources, whole files and containers alike, a column for each reader."""
    found: dict[Wrote, Answers] = {}
    for cells, told in _cells(group, seen):
        kept = (
            seen.attachments(next(iter(cells.values()))) if told.get("sources.name") == own.get("sources.name") else []
        )
        if kept and "understanding" in kept[-1]:
            wrote = Wrote(told["level"], told["implementation.name"], int(told["sector"]), told["essence.name"])
            found.setdefault(wrote, kept[-1]["understanding"])
    readers = {_title(name): name for answers in found.values() for name in answers}
    columns = sorted(readers, key=str.casefold)
    rows = [
        (str(wrote), [_mark(answers.get(readers[column])) for column in columns])
        for wrote, answers in sorted(found.items())
    ]
    if not rows:
        return []
    says = " ".join([SAYS_MATRIX, *_refusals(found), *_untried(set(found))])
    return [Matrix("understanding", "Who understands whom", says, "written by", "read by", columns, rows)]


def _title(name: str) -> str:
    return question_list.said("aaf_scale", "implementation.name", name)


def _refusals(found: dict[Wrote, Answers]) -> list[str]:
    """Why files are refused, in the readers' own words, a sentence for each library and sector."""
    told: dict[tuple[str, int], dict[str, str]] = {}
    for wrote, answers in found.items():
        refused = {
            name: a["says"].rpartition(": ")[2] for name, a in answers.items() if a["kept"] == 0 and a["says"] != "read"
        }
        told.setdefault((wrote.name, wrote.sector), {}).update(refused)
    return [
        f"Files that {_title(name)} writes with {sector}-byte sectors are rejected by "
        + text.listed([f"{_title(reader)} (“{why}”)" for reader, why in refused.items()])
        + "."
        for (name, sector), refused in sorted(told.items())
        if refused
    ]


def _untried(found: set[Wrote]) -> list[str]:
    """What has no row, and why: containers that a library is not made to write, and those that were not written at this size."""
    tried = {(wrote.name, wrote.sector) for wrote in found if wrote.level == "container"}
    unable, open_ones = [], []
    for name, writes in WRITES.items():
        missing = [sector for sector in SECTORS if sector in writes and (name, sector) not in tried]
        open_ones += [f"containers of {_title(name)} with sectors of {sector} B" for sector in missing]
        if not writes:
            unable.append(f"{_title(name)} only reads")
        else:
            unable += [f"{_title(name)} writes no sectors of {sector} B" for sector in SECTORS if sector not in writes]
    told = {"Without a row": unable, "Not tried at this size": open_ones}
    return [f"{what}: {text.listed(each)}." for what, each in told.items() if each]


def _mark(answer: dict[str, Any] | None) -> Mark:
    if answer is None or answer["kept"] is None:
        return Mark("not here", "none")
    if answer["kept"] == 1:
        return Mark("whole", "good")
    if answer["kept"]:
        return Mark(f"{answer['kept']:.1%}", "partly")
    return Mark(answer["says"].split(":")[0] if answer["says"] != "read" else "another tree", "bad")


BUILDER = Builder(draw=pictures, first=FIRST, beside_study=True)
