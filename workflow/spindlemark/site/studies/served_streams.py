"""Streams served from a device, in a study and here: relative to the device's bandwidth, and bytes read per byte sent."""

from collections.abc import Iterable
from typing import Any

from spindlemark.analysis.findings.model import Cell, Group
from spindlemark.analysis.studies.published_cells import table_rows
from spindlemark.analysis.studies.source_model import Fed, Source
from spindlemark.core import paths
from spindlemark.site.context import Context
from spindlemark.site.studies import entries, ratios

Page = dict[str, Any]
STREAMS, READ = "viewers_sustained_count", "read_for_sent_ratio"
LIMIT, RATE = "device.limits.read", "rate.bytes_per_second"
FIGURES = "text-figures"


def pages(groups: list[Group], known: dict[str, Source], context: Context) -> list[Page]:
    """Return one entry per group on a device that a study's `today.fed` names."""
    found = []
    for source in known.values():
        for fed in source.today.fed if source.today else ():
            own = [
                g
                for g in groups
                if g.family == fed.family
                and g.conditions.get("device.name") == fed.device
                and entries.fits(g, fed.where)
            ]
            found += [page for g in own if (page := _page(fed, source, g, context))["tasks"]]
    return found


def _page(fed: Fed, source: Source, group: Group, context: Context) -> Page:
    tasks = [
        task
        for task in (_share(fed, source, group, context), _read(fed, source, group, context))
        if task and task["rows"]
    ]
    return entries.head(source, group, context, "fed", context.title(group), f"fed-{group.group}") | {"tasks": tasks}


def _share(fed: Fed, source: Source, group: Group, context: Context) -> Page | None:
    """Return the total rate of the streams relative to the device's bandwidth, if the study reports that."""
    printed = {row["item"]: row["printed"] for row in _rows(source, FIGURES)}
    limit = float(group.conditions.get(LIMIT) or 0)
    rate = float(group.library_factors.get("bytes_per_second") or 0)
    if not (fed.bandwidth and limit and rate):
        return None
    then = most_streams(fed, source) * float(printed[fed.rate]) / float(printed[fed.bandwidth])
    rows = [_row(c, then, rate / limit, group, context) for c in group.cells(STREAMS)]
    return _task(STREAMS, "Rate of the served streams as a share of the disk's bandwidth", fed, rows)


def _read(fed: Fed, source: Source, group: Group, context: Context) -> Page:
    """Return bytes read from the disk per byte on the network, at the largest stable number of streams."""
    most = str(most_streams(fed, source))
    loads = [row for table in fed.loads.values() for row in _rows(source, table) if row["streams"] == most]
    then = sum(float(row["hdd"]) / float(row["network"]) for row in loads) / len(loads)
    rows = [_row(c, then, 1.0, group, context) for c in group.cells(READ)]
    return _task(READ, "Bytes read from the disk per byte sent", fed, rows)


def most_streams(fed: Fed, source: Source) -> int:
    """Return the largest printed number of streams that was stable; an empty cell is merged with the one above it."""
    most, result = 0, ""
    for row in _rows(source, fed.streams):
        result = row["result"] or result
        if result.startswith(fed.stable):
            most = int(row["streams_to_linux_pc"])
    return most


def _rows(source: Source, table: str) -> Iterable[dict[str, str]]:
    return table_rows(paths.REFERENCE / source.id, table, source.tables[table])


def _row(cell: Cell, then: float, factor: float, group: Group, context: Context) -> Page:
    """Return a median and its interval, times `factor`, and a printed share."""
    before, now = ratios.plain(then, 1), ratios.plain(cell.median * factor, cell.n)
    if cell.low is not None and cell.high is not None:
        now = ratios.within(cell.median * factor, cell.low * factor, cell.high * factor, cell.n)
    return {
        "subject": context.configuration(cell.configuration),
        "base": False,
        "then": before,
        "now": now,
        "note": _short(group),
        "says": f"{ratios.short(now['value'] / then)} times the study's share",
    }


def _short(group: Group) -> str:
    """Return the durations of asset and playback buffer, which decide how soon a stall occurs."""
    asset, buffer = (group.conditions.get(f"viewers.{name}_seconds") for name in ("film", "buffer"))
    return f"assets of {asset:g} s, playback buffers of {buffer:g} s" if asset and buffer else ""


def _task(metric: str, title: str, fed: Fed, rows: list[Page]) -> Page:
    ratios.draw(rows)
    return {
        "metric": metric,
        "title": title,
        "base": fed.device,
        "why": None,
        "rows": rows,
        "words": f"on {fed.device}",
        "note": fed.note,
    }
