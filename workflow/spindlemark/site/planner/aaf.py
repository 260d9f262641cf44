"""The planner's part about files that hold other people's work: AAF by library, caches below it, projects, image sequences.

Tables of the form of `files.py`: `title`, `says`, `down` (what rows are), `columns`, and `rows` with a configuration or a title, and texts.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import duckdb

from spindlemark.analysis.findings.model import Cell, Findings, Group
from spindlemark.analysis.format import number, percent
from spindlemark.core import declared
from spindlemark.site import query
from spindlemark.site.charts.project_exchange import adapter_error
from spindlemark.site.context import Context
from spindlemark.site.planner import requests

Page = dict[str, Any]
WRITE, READ, UNDERSTOOD, PEAK, FILE = (
    "write_seconds",
    "read_seconds",
    "understood_ratio",
    "write_peak_bytes",
    "file_bytes",
)
CACHED = "elapsed_seconds"
LOCAL, KINDS = "local", ("local", "nbd", "http")
KEPT = ("timecodes_kept_ratio", "markers_kept_ratio", "effects_kept_ratio")
STORED, ROW = "stored_bytes", "row_frames_per_second"
FRAMES = ("write_frames_per_second", ROW, "single_frames_per_second", "patch_frames_per_second")
METRICS = (CACHED, WRITE, ROW)
SAYS_AAF = (
    "Rows of containers are the tree that an AAF file is, without what AAF means by it. Memory and size are those of the largest "
    "number of sources; how many of the other libraries give back everything is that of each row's largest."
)
SAYS_CACHES = (
    "Time to {way} one file through each cache, over the delay of a request to its storage. Read down the column that is "
    "nearest to your storage. What is called computed was too slow to be measured: processor seconds, and requests times delay."
)
SAYS_PROJECTS = "What comes back of a project that was exported and imported again, and how long the export takes."
SAYS_FRAMES = "What the sequence takes of the disk, and how many of its frames are written or come back in a second."


class Way(NamedTuple):
    """A configuration of a group: its factors, and its cells by metric."""

    group: Group
    subject: str
    told: dict[str, str]
    cells: dict[str, Cell]

    def text(self, metric: str, unit: str) -> str:
        """The median of a metric."""
        return number(self.cells[metric].median if metric in self.cells else None, unit, declared.kind(metric))


def tables(connection: duckdb.DuckDBPyConnection, findings: Findings, context: Context) -> list[Page]:
    """Those for which something was measured, of each workload as its leading session has it."""
    found = list(_ways(connection, findings))
    testbeds = dict.fromkeys(way.group.testbed for way in found)
    return [
        table for bed in testbeds for table in _of_testbed(bed, [w for w in found if w.group.testbed == bed], context)
    ]


def _of_testbed(bed: str, found: list[Way], context: Context) -> Iterator[Page]:
    def of(family: str) -> list[Way]:
        return [way for way in found if way.group.family == family]

    for table in (
        *_aaf(of("aaf_scale"), context),
        *_caches(of("raw_storage_cache"), context),
        *_projects(of("project_exchange"), context),
        *_frames(of("frame_storage"), context),
    ):
        if table["rows"]:
            yield table | {"title": f"{table['title']}, testbed {bed}"}


def _ways(connection: duckdb.DuckDBPyConnection, findings: Findings) -> Iterator[Way]:
    groups: dict[tuple[str, str, str], Group] = {}
    for group in findings.groups:
        if any(table.metric in METRICS for table in group.metrics):
            groups.setdefault((group.family, group.testbed, group.library), group)
    by_subject: dict[tuple[str, str], dict[str, Cell]] = {}
    for group in groups.values():
        for table in group.metrics:
            for cell in table.cells:
                by_subject.setdefault((group.group, cell.configuration), {})[table.metric] = cell
    measured = {next(iter(cells.values())).identity for cells in by_subject.values()}
    factors = {
        key: {row["name"]: row["value"] for row in rows} for key, rows in query.factors(connection, measured).items()
    }
    for group in groups.values():
        for subject in group.configurations:
            if cells := by_subject.get((group.group, subject)):
                cell = next(iter(cells.values()))
                yield Way(group, subject, factors[cell.experiment, cell.identity], cells)


def _aaf(ways: list[Way], context: Context) -> Iterator[Page]:
    """Seconds to write and to read, over the number of sources."""
    plain = [way for way in ways if way.told.get("essence.name") == "plain"]
    counts = sorted({int(way.told["sources.count"]) for way in plain})
    rows: dict[tuple[str, str, str], dict[int, Way]] = {}
    for way in plain:
        key = way.told["level"], way.subject, way.told["sector"]
        rows.setdefault(key, {})[int(way.told["sources.count"])] = way
    columns = [f"{count} source{'' if count == 1 else 's'}" for count in counts]
    for metric, title, further in (
        (WRITE, "Writing AAF", {"Memory": (PEAK, "B"), "File": (FILE, "B")}),
        (READ, "Reading AAF", {}),
    ):
        yield {
            "title": title,
            "says": SAYS_AAF,
            "down": "Library",
            "columns": [*columns, *further, "Understood by others"],
            "rows": [
                {
                    "title": _library(*key),
                    "url": _page(found, context),
                    "texts": [
                        *(found[count].text(metric, "s") if count in found else number(None, "s") for count in counts),
                        *(_largest(found, counts[-1], *of) for of in further.values()),
                        _share(found[max(found)].cells.get(UNDERSTOOD)),
                    ],
                }
                for key, found in sorted(rows.items())
            ],
        }


def _library(level: str, name: str, sector: str) -> str:
    return f"{name}, {'whole file' if level == 'aaf' else 'container'}, sectors of {sector} bytes"


def _page(found: dict[int, Way], context: Context) -> str | None:
    cell = next(iter(found[max(found)].cells.values()))
    return context.experiments.get((cell.experiment, cell.identity))


def _largest(found: dict[int, Way], count: int, metric: str, unit: str) -> str:
    cell = found[count].cells.get(metric) if count in found else None
    return number(cell.median if cell else None, unit, declared.kind(metric))


def _caches(ways: list[Way], context: Context) -> Iterator[Page]:
    """A table for each way, a column for each storage: a file on the disk first, then by kind and delay."""

    def place(told: dict[str, str]) -> tuple[int, float]:
        return KINDS.index(told["storage.kind"]), float(told["storage.delay_ms"])

    for what in sorted({way.told["way"] for way in ways}, reverse=True):
        own = [way for way in ways if way.told["way"] == what]
        places = sorted({place(way.told) for way in own})
        cells = {(way.subject, place(way.told)): way for way in own}
        subjects = list(dict.fromkeys(way.subject for way in sorted(own, key=lambda w: place(w.told))))
        lines = {
            way.subject: line for way in own if way.told["storage.kind"] == LOCAL and (line := requests.line(way.cells))
        }
        yield _filled(
            f"Caches over storage, to {what}",
            SAYS_CACHES.format(way=what),
            "Cache",
            [_storage(KINDS[kind], delay) for kind, delay in places],
            context,
            {
                subject: [
                    cells[subject, each].text(CACHED, "s")
                    if (subject, each) in cells
                    else _computed(lines.get(subject), each[1])
                    for each in places
                ]
                for subject in subjects
            },
        )


def _storage(kind: str, delay: float) -> str:
    return "On the disk" if kind == LOCAL else f"{kind.upper()}, {delay:g} ms"


def _computed(line: requests.Line | None, delay: float) -> str:
    return f"{number(line.at(delay / 1000), 's')} computed" if line else number(None, "s")


def _projects(ways: list[Way], context: Context) -> Iterator[Page]:
    """Of the project with most edits: what comes back, how long the export takes, and why a format holds nothing of it."""
    if not ways:
        return
    largest = max((way.group for way in ways), key=lambda group: float(group.library_factors.get("edits") or 0))
    titles = {table.metric: table.title for table in largest.metrics}
    texts = {
        way.subject: [*(_share(way.cells.get(metric)) for metric in KEPT), way.text(WRITE, "s")]
        for way in ways
        if way.group is largest
    }
    for absent in largest.absent:
        texts.setdefault(
            absent.configuration, [f"{absent.status}: {adapter_error(absent.reason)}", *[number(None, "1")] * len(KEPT)]
        )
    yield _filled(
        f"Exchange of projects: {context.workload(largest)}",
        SAYS_PROJECTS,
        "Format",
        [titles.get(metric, metric) for metric in (*KEPT, WRITE)],
        context,
        texts,
    )


def _share(cell: Cell | None) -> str:
    if cell is None:
        return percent(None)
    return {0.0: "nothing", 1.0: "all"}.get(cell.median) or percent(cell.median)


def _frames(ways: list[Way], context: Context) -> Iterator[Page]:
    """A table for each content, format, filesystem and writer."""
    for group in {way.group.group: way.group for way in ways}.values():
        titles = {table.metric: table.title for table in group.metrics}
        own = sorted((way for way in ways if way.group is group), key=lambda way: way.cells[STORED].median or 0)
        yield _filled(
            f"Image sequences: {context.workload(group)}",
            SAYS_FRAMES,
            "Stored as",
            [titles.get(metric, metric) for metric in (STORED, *FRAMES)],
            context,
            {way.subject: [way.text(STORED, "B"), *(way.text(metric, "1/s") for metric in FRAMES)] for way in own},
        )


def _filled(
    title: str, says: str, down: str, columns: Sequence[str], context: Context, texts: dict[str, list[str]]
) -> Page:
    return {
        "title": title,
        "says": says,
        "down": down,
        "columns": list(columns),
        "rows": [{"subject": context.subject(subject), "texts": each} for subject, each in texts.items()],
    }
