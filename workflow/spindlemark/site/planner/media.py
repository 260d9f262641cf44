"""Data of the planner: requirements of media formats, limits of filesystems, and measurements."""

import re
from collections import Counter
from itertools import accumulate
from typing import Any

import duckdb

from spindlemark.analysis.findings import caveats
from spindlemark.analysis.findings.model import Findings, Group
from spindlemark.analysis.format import number
from spindlemark.analysis.studies.source_model import Source
from spindlemark.config import formats
from spindlemark.core import declared, sql
from spindlemark.site import address, testbed_labels
from spindlemark.site.context import Context, newest
from spindlemark.site.planner import codecs, devices, file_tables, hdf5, links, shares
from spindlemark.site.query import rows
from spindlemark.site.studies import locations

Page = dict[str, Any]
RATE = "data_rate_bytes_per_second"
EACH = "rgb_image_bytes"
VIEWERS, CARRIED = "viewers_sustained_count", "carried_for_sent_ratio"
BITS = 8
USUAL = "prores-422-1080p25"  # selected at first: neither trivial nor out of reach
HOUR = 3600
PATH = "planner/"
METRICS = {
    devices.FILL,
    devices.STREAMS,
    VIEWERS,
    *links.METRICS,
    shares.READ,
    codecs.ERROR,
    *hdf5.METRICS,
    *file_tables.METRICS,
}
MOST_CELLS = 2000  # of a page; each takes up to 400 bytes of it


def build(
    connection: duckdb.DuckDBPyConnection, findings: Findings, context: Context, studies: dict[str, Source]
) -> Page:
    """Return the planner's data, as numbers for its script and as text for its tables.

    `pages`: first the planner with as many testbeds as fit a page of usable size, then one page for each further testbed.
    """
    first, further = _split(findings)
    pages = [
        _page(connection, findings, first, context) | {"path": PATH, "testbed": None},
        *(
            _page(connection, findings, [bed], context)
            | {"path": f"{PATH}{address.slug(bed).lower()}/", "testbed": bed}
            for bed in further
        ),
    ]
    return {
        "formats": _formats(),
        "devices": devices.devices(findings, context),
        "streams": _kinds(connection, studies, RATE),
        "pictures": _kinds(connection, studies, EACH),
        "limits": _limits(connection, studies),
        "published": _published(connection),
        "pages": pages,
    }


def _split(findings: Findings) -> tuple[list[str], list[str]]:
    """Split the testbeds that have data for the planner: those of the first page, and the others."""
    cells = Counter({g.testbed: 0 for g in findings.groups})
    for group in findings.groups:
        cells[group.testbed] += sum(len(table.cells) for table in group.metrics if table.metric in METRICS)
    beds = [bed for bed in testbed_labels.order(findings) if cells[bed]]
    first = sum(end <= MOST_CELLS for end in accumulate(cells[bed] for bed in beds))
    return beds[:first], beds[first:]


def _page(connection: duckdb.DuckDBPyConnection, findings: Findings, beds: list[str], context: Context) -> Page:
    """Return the measurements on some testbeds; of groups that differ in their session alone, those of the newest."""
    findings = findings.model_copy(update={"groups": newest(g for g in findings.groups if g.testbed in beds)})
    groups = [_measured(g, context) for g in findings.groups if g.table(devices.FILL) and devices.lasts(g)]
    groups.sort(key=lambda g: [g["name"] != name for name in devices.LARGEST])
    return {
        "measured_streams": _sustained_at_rates(findings, devices.STREAMS, context),
        "measured_viewers": _sustained_at_rates(findings, VIEWERS, context),
        "links": links.links(findings, context),
        "shares": shares.shares(findings, context),
        "codecs": codecs.codecs(findings, context),
        "groups": groups,
        "files": [*hdf5.tables(connection, findings, context), *file_tables.tables(connection, findings, context)],
    }


def _formats() -> list[Page]:
    """Today's formats by group, in the declared order."""
    known = formats.read()
    groups: dict[str, list[Page]] = {}
    for name, each in known.formats.items():
        rate = each.bytes_per_second
        most = "at most " * each.most
        groups.setdefault(each.group, []).append(
            {
                "id": name,
                "usual": name == USUAL,
                "title": each.title,
                "value": rate,
                "text": most + number(rate, "B/s"),
                "hour": most + number(rate * HOUR, "B"),
                "printed": most + number(rate * BITS, "bit/s"),
                "where": known.sources[each.source],
                "source": "",
                "url": None,
            }
        )
    return [{"title": title, "items": items} for title, items in groups.items()]


def _kinds(connection: duckdb.DuckDBPyConnection, studies: dict[str, Source], metric: str) -> list[Page]:
    """Return formats with the needs of one stream, or of one image, lowest first."""
    unit = "B/s" if metric == RATE else "B"
    found = rows(connection, sql.read("site/media_requirements"), metric=metric)
    return [
        {
            "id": r["experiment"],
            "usual": False,
            "title": _titled(r["row_label"], r["experiment"]),
            "value": r["value"],
            "text": number(r["value"], unit),
            "hour": number(r["value"] * HOUR, "B") if unit == "B/s" else None,
            "printed": r["printed"],
            "where": locations.name(studies[r["source"]], r["table_name"]),
            "source": r["source"],
            "url": f"{locations.tables(r['source'])}#{locations.fragment(r['table_name'])}",
        }
        for r in found
    ]


def _titled(label: str, slug: str) -> str:
    """Add the format to a label if the table prints it only in a heading, such as NDI (3840x2160 at 60 Hz)."""
    found = re.search(r"-(\d+x\d+)-(\d+)$", slug)
    return f"{label} ({found[1]} at {found[2]} Hz)" if found and "(" not in label else label


def _limits(connection: duckdb.DuckDBPyConnection, studies: dict[str, Source]) -> list[Page]:
    """Return the largest file and filesystem of each published configuration, in printed order."""
    found = rows(connection, sql.read("site/filesystem_limits"))
    return [
        {
            "title": r["title"],
            "file": r["file"],
            "whole": r["whole"],
            "file_text": number(r["file"], "B"),
            "whole_text": number(r["whole"], "B"),
            "where": locations.name(studies[r["source"]], r["table_name"]),
            "url": f"{locations.tables(r['source'])}#{locations.fragment(r['table_name'])}",
        }
        for r in found
    ]


def _measured(group: Group, context: Context) -> Page:
    """Return the copy throughput of each configuration of a group, fastest first."""
    cells = sorted(group.cells(devices.FILL), key=lambda c: -c.median)
    return {
        "name": group.library,
        "title": context.title(group),
        "path": context.groups[group.group],
        "testbed": testbed_labels.of_group(group),
        "settings": [
            {
                "subject": context.configuration(c.configuration),
                "value": c.median,
                "low": c.low,
                "n": c.n,
                "text": number(c.median, "B/s"),
                "low_text": number(c.low, "B/s"),
                "url": context.experiments.get((c.experiment, c.identity)),
            }
            for c in cells
        ],
    }


def _sustained_at_rates(findings: Findings, metric: str, context: Context) -> list[Page]:
    """Return the groups that counted streams or clients, lowest rate first."""
    found = [_sustained(g, metric, context) for g in findings.groups if g.table(metric)]
    return sorted((s for s in found if s["rate"]), key=lambda s: (s["rate"], s["emulated"]))


def _sustained(group: Group, metric: str, context: Context) -> Page:
    """Return how many streams or clients each configuration sustained, most first; `link`: traffic of each in bit/s."""
    carried = {c.configuration: c.median for c in group.cells(CARRIED)}
    rate = float(group.library_factors.get("bytes_per_second") or 0)
    return {
        "title": context.title(group),
        "path": context.groups[group.group],
        "rate": rate,
        "rate_text": number(rate, "B/s") if rate else "",
        "limits": caveats.of_family(declared.caveats(group.family), group.conditions),
        **testbed_labels.of_group(group),
        "settings": [
            {
                "subject": context.configuration(c.configuration),
                "value": c.median,
                "low": c.low,
                "n": c.n,
                "text": number(c.median, "1", declared.kind(metric)),
                "low_text": number(c.low, "1", declared.kind(metric)),
                "url": context.experiments.get((c.experiment, c.identity)),
                **_link(BITS * rate * carried[c.configuration] if rate and carried.get(c.configuration) else None),
            }
            for c in sorted(group.cells(metric), key=lambda c: -c.median)
        ],
    }


def _link(each: float | None) -> Page:
    return {"link": each, "link_text": number(each, "bit/s")}


def _published(connection: duckdb.DuckDBPyConnection) -> list[Page]:
    """Return the most concurrent streams that a study sustained on each set-up, and the first number that failed."""
    return [
        {**r, "url": locations.study(r["source"]), "per_stream_text": number(r["per_stream"], "B/s")}
        for r in rows(connection, sql.read("site/published_streams"))
    ]
