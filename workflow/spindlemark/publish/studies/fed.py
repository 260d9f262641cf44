"""Streams that a server fed from a device then and now: as shares of what the device gives, and of what the link got."""

from collections.abc import Iterable
from typing import Any

from spindlemark import paths
from spindlemark.findings.report import Cell, Group
from spindlemark.publish.context import Context
from spindlemark.publish.studies import entries, ratios
from spindlemark.reference.cells import table_rows
from spindlemark.reference.model import Fed, Source

Page = dict[str, Any]
STREAMS, READ = "viewers_sustained_count", "read_for_sent_ratio"
LIMIT, RATE = "device.limits.read", "rate.bytes_per_second"
FIGURES = "text-figures"


def pages(groups: list[Group], known: dict[str, Source], context: Context) -> list[Page]:
    """One entry per group here on a device that a study's `today.fed` names."""
    found = []
    for source in known.values():
        for fed in source.today.fed if source.today else ():
            own = [g for g in groups if g.family == fed.family and g.conditions.get("device.name") == fed.device]
            found += [page for g in own if (page := _page(fed, source, g, context))["tasks"]]
    return found


def _page(fed: Fed, source: Source, group: Group, context: Context) -> Page:
    tasks = [task for task in (_share(fed, source, group, context), _read(fed, source, group, context)) if task["rows"]]
    return entries.head(source, group, context, "fed", context.title(group), f"fed-{group.group}") | {"tasks": tasks}


def _share(fed: Fed, source: Source, group: Group, context: Context) -> Page:
    """What the streams need together over what the device gives."""
    printed = {row["item"]: row["printed"] for row in _rows(source, FIGURES)}
    then = most_streams(fed, source) * float(printed[fed.rate]) / float(printed[fed.bandwidth])
    limit, rate = group.conditions.get(LIMIT), group.library_factors.get("bytes_per_second")
    rows = [_row(c, then, c.median * rate / limit, context) for c in _cells(group, STREAMS) if limit and rate]
    return _task(STREAMS, "Streams fed, as a share of what the disk gives", fed.device, fed.note, rows)


def _read(fed: Fed, source: Source, group: Group, context: Context) -> Page:
    """What the disk read over what the network carried, at the most streams that were stable."""
    most = str(most_streams(fed, source))
    loads = [row for table in fed.loads.values() for row in _rows(source, table) if row["streams"] == most]
    then = sum(float(row["hdd"]) / float(row["network"]) for row in loads) / len(loads)
    rows = [_row(c, then, c.median, context) for c in _cells(group, READ)]
    return _task(READ, "Read from the disk for each byte sent", fed.device, "", rows)


def most_streams(fed: Fed, source: Source) -> int:
    """The largest printed number of streams that was stable; an empty cell is merged with the one above it."""
    most, result = 0, ""
    for row in _rows(source, fed.streams):
        result = row["result"] or result
        if result.startswith(fed.stable):
            most = int(row["streams_to_linux_pc"])
    return most


def _rows(source: Source, table: str) -> Iterable[dict[str, str]]:
    return table_rows(paths.REFERENCE / source.id, table, source.tables[table])


def _cells(group: Group, metric: str) -> list[Cell]:
    return [c for c in group.cells(metric) if c.median is not None]


def _row(cell: Cell, then: float, now: float, context: Context) -> Page:
    before, after = ratios.plain(then, 1), ratios.plain(now, cell.n)
    return {"subject": context.subject(cell.subject), "base": False, "then": before, "now": after,
            "says": f"{ratios.short(now / then)} times the share of then"}


def _task(metric: str, title: str, base: str, note: str, rows: list[Page]) -> Page:
    ratios.draw(rows)
    return {"metric": metric, "title": title, "base": base, "why": None, "rows": rows, "words": "on a device", "note": note}
