"""Planner tables of AAF libraries, caches, project exchange and image sequences.

A table has `title`, `says`, `down` (the heading of its rows), `columns`, and `rows` with a configuration or a title, and texts.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import duckdb

from spindlemark.analysis.findings.model import Cell, Findings, Group
from spindlemark.analysis.format import number, percent
from spindlemark.core import declared
from spindlemark.site import query, testbed_labels
from spindlemark.site.charts.project_exchange import adapter_error
from spindlemark.site.context import Context
from spindlemark.site.planner import requests

Page = dict[str, Any]
AAF, CACHES, PROJECTS, FRAMES = "aaf_scale", "raw_storage_cache", "project_exchange", "frame_storage"
LEVEL, SECTOR, ESSENCE, SOURCES = "level", "sector", "essence.name", "sources.count"
DIRECTION, STORAGE, DELAY, CACHED_SOURCES = "way", "storage.kind", "storage.delay_ms", "sources"
FACTORS = {AAF: (LEVEL, SECTOR, ESSENCE, SOURCES), CACHES: (DIRECTION, STORAGE, DELAY, CACHED_SOURCES)}
LOCAL, KINDS = "local", ("local", "nbd", "http")
MOST_SIZES = 6  # columns of a table by number of sources

ELAPSED, WRITE, READ = "elapsed_seconds", "write_seconds", "read_seconds"
READABLE, PEAK, FILE = "understood_ratio", "write_peak_bytes", "file_bytes"
PRESERVED = (READABLE, "timecodes_kept_ratio", "markers_kept_ratio", "effects_kept_ratio")
STORED, ROW = "stored_bytes", "row_frames_per_second"
SPEEDS = ("write_frames_per_second", ROW, "single_frames_per_second", "patch_frames_per_second")
METRICS = (ELAPSED, WRITE, ROW)

SAYS_AAF = (
    "Container: only the tree of storages and streams of an AAF file, without AAF objects. Memory and size are those of the largest "
    "number of sources. The last column is the share of the other libraries that read back everything, for the largest file of the row."
)
SAYS_CACHES = (
    "Time to {direction} one file through each cache, by the delay of a request to its storage. Use the column that is "
    "nearest to your storage. “Computed” values were too slow to measure: they are processor time plus requests times delay."
)
SAYS_PROJECTS = "How much of a project is left after an export and an import, and the time of the export."
SAYS_FRAMES = "Size of the sequence on disk, and frames written or read per second."


class Measured(NamedTuple):
    """A configuration of a group with its factors and its cells by metric."""

    group: Group
    name: str
    factors: dict[str, str]
    cells: dict[str, Cell]

    def text(self, metric: str, unit: str) -> str:
        """Format the median of a metric."""
        return number(self.cells[metric].median if metric in self.cells else None, unit, declared.kind(metric))


def tables(connection: duckdb.DuckDBPyConnection, findings: Findings, context: Context) -> list[Page]:
    """Return the tables that have rows; of each workload, those of its leading session."""
    found = list(_measured(connection, findings))
    testbeds = dict.fromkeys(each.group.testbed for each in found)
    return [
        table for bed in testbeds for table in _of_testbed(bed, [m for m in found if m.group.testbed == bed], context)
    ]


def _of_testbed(bed: str, found: list[Measured], context: Context) -> Iterator[Page]:
    def of(family: str) -> list[Measured]:
        return [each for each in found if each.group.family == family]

    for table in (
        *_aaf(of(AAF), context),
        *_caches(of(CACHES), context),
        *_projects(of(PROJECTS), context),
        *_frames(of(FRAMES), context),
    ):
        if table["rows"]:
            yield table | {"title": f"{table['title']}, {testbed_labels.title(bed)}"}


def _measured(connection: duckdb.DuckDBPyConnection, findings: Findings) -> Iterator[Measured]:
    groups: dict[tuple[str, str, str], Group] = {}
    for group in findings.groups:
        if any(table.metric in METRICS for table in group.metrics):
            groups.setdefault((group.family, group.testbed, group.library), group)
    by_name: dict[tuple[str, str], dict[str, Cell]] = {}
    for group in groups.values():
        for table in group.metrics:
            for cell in table.cells:
                by_name.setdefault((group.group, cell.configuration), {})[table.metric] = cell
    identities = {next(iter(cells.values())).identity for cells in by_name.values()}
    factors = {
        key: {row["name"]: row["value"] for row in rows} for key, rows in query.factors(connection, identities).items()
    }
    for group in groups.values():
        for name in group.configurations:
            if cells := by_name.get((group.group, name)):
                cell = next(iter(cells.values()))
                yield Measured(group, name, factors[cell.experiment, cell.identity], cells)


def _aaf(found: list[Measured], context: Context) -> Iterator[Page]:
    """Yield times to write and to read, by the number of sources."""
    plain = [each for each in found if each.factors.get(ESSENCE) == "plain"]
    counts = _some(sorted({int(each.factors[SOURCES]) for each in plain}))
    rows: dict[tuple[str, str, str], dict[int, Measured]] = {}
    for each in plain:
        key = each.factors[LEVEL], each.name, each.factors[SECTOR]
        rows.setdefault(key, {})[int(each.factors[SOURCES])] = each
    columns = [f"{count} source{'' if count == 1 else 's'}" for count in counts]
    for metric, title, further in (
        (WRITE, "Writing AAF", {"Memory": (PEAK, "B"), "File": (FILE, "B")}),
        (READ, "Reading AAF", {}),
    ):
        yield {
            "title": title,
            "says": SAYS_AAF,
            "down": "Library",
            "columns": [*columns, *further, "Read by other libraries"],
            "rows": [
                {
                    "title": _library(*key),
                    "url": _page(sizes, context),
                    "texts": [
                        *(sizes[count].text(metric, "s") if count in sizes else number(None, "s") for count in counts),
                        *(_largest(sizes, counts[-1], *of) for of in further.values()),
                        _share(sizes[max(sizes)].cells.get(READABLE)),
                    ],
                }
                for key, sizes in sorted(rows.items())
            ],
        }


def _some(counts: list[int]) -> list[int]:
    """At most MOST_SIZES of them, in equal steps down from the largest."""
    return counts[::-1][:: -(-len(counts) // MOST_SIZES)][::-1] if counts else []


def _library(level: str, name: str, sector: str) -> str:
    return f"{name}, {'whole file' if level == 'aaf' else 'container'}, sectors of {sector} bytes"


def _page(sizes: dict[int, Measured], context: Context) -> str | None:
    cell = next(iter(sizes[max(sizes)].cells.values()))
    return context.experiments.get((cell.experiment, cell.identity))


def _largest(sizes: dict[int, Measured], count: int, metric: str, unit: str) -> str:
    cell = sizes[count].cells.get(metric) if count in sizes else None
    return number(cell.median if cell else None, unit, declared.kind(metric))


def _caches(found: list[Measured], context: Context) -> Iterator[Page]:
    """Yield a table for reading and writing files of each size, with a column for each storage: local first, then by kind and delay."""

    def storage(factors: dict[str, str]) -> tuple[int, float]:
        return KINDS.index(factors[STORAGE]), float(factors[DELAY])

    works = {(each.factors[DIRECTION], int(each.factors[CACHED_SOURCES])) for each in found}
    for direction, sources in sorted(works, reverse=True):
        own = [
            each
            for each in found
            if (each.factors[DIRECTION], int(each.factors[CACHED_SOURCES])) == (direction, sources)
        ]
        storages = sorted({storage(each.factors) for each in own})
        by_place = {(each.name, storage(each.factors)): each for each in own}
        names = list(dict.fromkeys(each.name for each in sorted(own, key=lambda each: storage(each.factors))))
        lines = {
            each.name: line for each in own if each.factors[STORAGE] == LOCAL and (line := requests.line(each.cells))
        }
        yield _filled(
            f"Caches over storage, to {direction} {sources:,} sources",
            SAYS_CACHES.format(direction=direction),
            "Cache",
            [_storage(KINDS[kind], delay) for kind, delay in storages],
            context,
            {
                name: [
                    by_place[name, each].text(ELAPSED, "s")
                    if (name, each) in by_place
                    else _computed(lines.get(name), each[1])
                    for each in storages
                ]
                for name in names
            },
        )


def _storage(kind: str, delay: float) -> str:
    return "Local disk" if kind == LOCAL else f"{kind.upper()}, {delay:g} ms"


def _computed(line: requests.Line | None, delay: float) -> str:
    return f"{number(line.at(delay / 1000), 's')} computed" if line else number(None, "s")


def _projects(found: list[Measured], context: Context) -> Iterator[Page]:
    """Yield a table of the project with most edits: what each format preserves, its export time, or why it failed."""
    if not found:
        return
    largest = max((each.group for each in found), key=lambda group: float(group.library_factors.get("edits") or 0))
    titles = {table.metric: table.title for table in largest.metrics}
    texts = {
        each.name: [*(_share(each.cells.get(metric)) for metric in PRESERVED), each.text(WRITE, "s")]
        for each in found
        if each.group is largest
    }
    for absent in largest.absent:
        texts.setdefault(
            absent.configuration,
            [f"{absent.status}: {adapter_error(absent.reason)}", *[number(None, "1")] * len(PRESERVED)],
        )
    yield _filled(
        f"Project exchange: {context.workload(largest)}",
        SAYS_PROJECTS,
        "Format",
        [titles.get(metric, metric) for metric in (*PRESERVED, WRITE)],
        context,
        texts,
    )


def _share(cell: Cell | None) -> str:
    if cell is None:
        return percent(None)
    return {0.0: "nothing", 1.0: "all"}.get(cell.median) or percent(cell.median)


def _frames(found: list[Measured], context: Context) -> Iterator[Page]:
    """Yield a table for each content, format, filesystem and writer."""
    for group in {each.group.group: each.group for each in found}.values():
        titles = {table.metric: table.title for table in group.metrics}
        own = sorted((each for each in found if each.group is group), key=lambda each: each.cells[STORED].median or 0)
        yield _filled(
            f"Image sequences: {context.workload(group)}",
            SAYS_FRAMES,
            "Stored as",
            [titles.get(metric, metric) for metric in (STORED, *SPEEDS)],
            context,
            {each.name: [each.text(STORED, "B"), *(each.text(metric, "1/s") for metric in SPEEDS)] for each in own},
        )


def _filled(
    title: str, says: str, down: str, columns: Sequence[str], context: Context, texts: dict[str, list[str]]
) -> Page:
    return {
        "title": title,
        "says": says,
        "down": down,
        "columns": list(columns),
        "rows": [{"subject": context.configuration(name), "texts": each} for name, each in texts.items()],
    }
