"""Pages of experiments: every sample, the commands as run, the environment, the gates and the load."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from spindlemark.analysis.findings import question_list
from spindlemark.analysis.findings.model import Cell, Findings, Group, MetricTable
from spindlemark.analysis.format import MISSING, interval, number
from spindlemark.site import address, command_lists, evidence, fact_labels, session_labels, verdict_labels
from spindlemark.site.configuration_labels import Configurations
from spindlemark.site.dot_plots import line, strip
from spindlemark.site.headings import Heading
from spindlemark.site.query import Details, Key, Row

MOST_LISTED = 3000  # experiments on one page
Page = dict[str, Any]
Found = dict[Key, list[tuple[Group, MetricTable, Cell]]]


def entry(page: Page) -> Page:
    """Data of one experiment in the list of all."""
    return {name: page[name] for name in ("path", "title", "testbed", "family", "subject", "library", "statuses")} | {
        "n": len(page["repetitions"]),
        "day": min(each["started"] for each in page["repetitions"]).split()[0],
    }


def placed(tables: list[Page]) -> list[Page]:
    """Each table with its page: one for all of them, or one per testbed where that would be too large."""
    large = sum(table["count"] for table in tables) > MOST_LISTED
    return [t | {"page": f"experiment/{address.slug(t['testbed'])}/" if large else "experiment/"} for t in tables]


def index(pages: list[Page], titles: dict[str, str], known: Configurations) -> list[Page]:
    """Entries of all experiments as a table per testbed and family: configurations by workloads. `titles`: by family."""
    found: dict[tuple[str, str], list[Page]] = defaultdict(list)
    for page in pages:
        found[page["testbed"], page["family"]].append(page)
    order = list(titles)
    return [
        _index_table(testbed, titles[family], found[testbed, family], known)
        for testbed, family in sorted(found, key=lambda key: (key[0], order.index(key[1])))
    ]


def _index_table(testbed: str, title: str, pages: list[Page], known: Configurations) -> Page:
    columns = list(dict.fromkeys(p["library"]["title"] for p in pages))
    rows: dict[str, Page] = {}
    for p in pages:
        row = rows.setdefault(p["subject"]["name"], {"subject": p["subject"], "cells": [[] for _ in columns]})
        row["cells"][columns.index(p["library"]["title"])].append(p)
    for row in rows.values():
        row["cells"] = [_listed(own) for own in row["cells"]]
    blocks = [rows[s] for own in known.by_base(sorted(rows)).values() for s in own]
    return {"testbed": testbed, "family": title, "columns": columns, "rows": blocks, "count": len(pages)}


def _listed(pages: list[Page]) -> list[Page]:
    """Links to experiments with one configuration and workload; of several, each has the day on which it began."""
    return [
        {name: p[name] for name in ("path", "title", "n")}
        | {"statuses": [s for s in p["statuses"] if s != "ok"], "day": p["day"] if len(pages) > 1 else ""}
        for p in sorted(pages, key=lambda p: p["day"])
    ]


def cells_by_experiment(findings: Findings) -> Found:
    """Experiment -> its group and cell under every metric, in the order of the findings."""
    found: Found = defaultdict(list)
    for group in findings.groups:
        for table in group.metrics:
            for cell in table.cells:
                found[cell.experiment, cell.identity].append((group, table, cell))
    return found


def same_experiment(records: Mapping[Key, list[Row]]) -> dict[Key, list[Key]]:
    """Identity -> all identities of its experiment: one for each kernel, tool version or device under which it was measured."""
    place = {key: (rows[0]["testbed"], rows[0]["family"], rows[0]["experiment"]) for key, rows in records.items()}
    found: dict[tuple, list[Key]] = defaultdict(list)
    for key, own in place.items():
        found[own].append(key)
    return {key: found[own] for key, own in place.items()}


def others(key: Key, same: list[Key], records: Mapping[Key, list[Row]], paths: Mapping[Key, str]) -> list[Page]:
    """Links to the pages of the other identities of an experiment, with the day on which each began, oldest first."""
    found = [
        {
            "path": paths[each],
            "day": min(_moment(row["started_at"]) for row in records[each]).split()[0],
            "n": len(records[each]),
        }
        for each in same
        if each != key
    ]
    return sorted(found, key=lambda each: each["day"])


def head(records: list[Row], path: str, look: Page, named: Heading, group: Page) -> Page:
    """Identification of an experiment and its raw records; `group`: title and page of its group."""
    first = records[0]
    return {
        "path": path,
        "title": f"{named.name} · {named.rest or first['testbed']}",
        "experiment": first["experiment"],
        "identity": first["identity"],
        "testbed": first["testbed"],
        "family": first["family"],
        "asked": question_list.title(first["family"]),
        "method": first["method"],
        "subject": {"name": named.name, **look},
        "library": {"title": named.rest, **group},
        "repetitions": [repetition(r) for r in records],
        "statuses": sorted({r["status"] for r in records}),
    }


def details(key: Key, cells: list[tuple[Group, MetricTable, Cell]], found: Details) -> Page:
    """Content of the records of an experiment, as text."""
    return {
        "metrics": metrics(cells, found.measurements.get(key, [])),
        "factors": [fact_labels.fact(f["name"], f["value"]) for f in found.factors.get(key, [])],
        "commands": command_lists.shown(found.commands.get(key[1], [])),
        "pieces": command_lists.pieces(found.pieces.get(key[1], [])),
        "gates": gates(found.gates.get(key[1], []), found.broken.get(key[1], [])),
        "load": load(found.series.get(key[1], [])),
    }


def repetition(row: Row) -> Page:
    """Data of one repetition on a page."""
    return {
        "n": row["repetition"],
        "status": row["status"],
        "reason": row["reason"],
        "started": _moment(row["started_at"]),
        "file": f"rep-{row['repetition']}.json",
        "seconds": number((row["finished_at"] - row["started_at"]).total_seconds(), "s"),
    }


def _moment(when: Any) -> str:
    return when.strftime("%Y-%m-%d %H:%M:%S UTC")


def metrics(cells: list[tuple[Group, MetricTable, Cell]], samples: list[Row]) -> list[Page]:
    """A row per metric and session: summary from the findings, and samples of all sessions from the database."""
    by_metric: dict[str, dict[int, float]] = defaultdict(dict)
    for row in samples:
        by_metric[row["metric"]][row["repetition"]] = row["value"]
    days = session_labels.titles({g.session for g, _, _ in cells})
    several = len({g.session for g, _, _ in cells}) > 1
    return [
        {
            "metric": t.metric,
            "title": t.title,
            "session": days.get(g.session, g.session) if several else "",
            "n": c.n,
            "median": number(c.median, t.unit, t.kind),
            "interval": interval(c.low, c.high, c.median, t.unit, t.kind),
            "ratio": evidence.against_best(c, t)["ratio"],
            "tier": c.tier,
            "range": verdict_labels.is_range(c),
            "noisy": sum(c.noisy),
            "unstable": not c.stable,
            "strip": strip(c.samples, c.noisy, c.low, c.median, c.high),
            "samples": [{"n": n, "text": number(v, t.unit, t.kind)} for n, v in sorted(by_metric[t.metric].items())],
        }
        for g, t, c in cells
    ]


def gates(rows: list[Row], broken: list[Row]) -> Page:
    """Every gate with the number of times it held, and each failure of a gate."""
    return {
        "failed": [
            _gate(r)
            | {
                "n": r["repetition"],
                "observed": _quantity(r["observed"], r["unit"]),
                "bound": _quantity(r["bound"], r["unit"]),
            }
            for r in broken
        ],
        "all": [
            _gate(r)
            | {
                "asked": r["asked"],
                "held": r["held"],
                "observed": _span(r["least"], r["most"], r["unit"]),
                "bound": _span(r["low"], r["high"], r["unit"]),
            }
            for r in rows
        ],
        "asked": sum(r["asked"] for r in rows),
        "held": sum(r["held"] for r in rows),
    }


def _gate(row: Row) -> Page:
    return {"gate": row["gate"].replace("_", " "), "step": row["step"] or "", "detail": row["detail"]}


def _span(low: float | None, high: float | None, unit: str) -> str:
    ends = dict.fromkeys((_quantity(low, unit), _quantity(high, unit)))
    return " to ".join(ends)


def _quantity(value: float | None, unit: str) -> str:
    if value is None:
        return MISSING
    return number(value, unit) if unit != "1" else f"{value:,.0f}" if value.is_integer() else f"{value:.4g}"


def environment(found: dict[str, list[str]]) -> tuple[str, list[Page], list[Page]]:
    """Name and groups of the facts that were equal in all repetitions, and groups of those that differed.

    Experiments of one session share the equal facts, so pages store each set once.
    """
    equal = fact_labels.grouped({name: values for name, values in found.items() if len(values) == 1})
    digest = hashlib.sha256(json.dumps(equal, sort_keys=True).encode()).hexdigest()[:12]
    return digest, equal, fact_labels.grouped({name: values for name, values in found.items() if len(values) > 1})


def load(rows: list[Row]) -> list[Page]:
    """One chart per load series, one line per repetition, all on the same scale."""
    by_name: dict[str, dict[int, tuple[list[float], list[float]]]] = defaultdict(dict)
    units = {}
    for r in rows:
        units[r["name"]] = r["unit"]
        by_name[r["name"]][r["repetition"]] = (r["seconds"], r["values"])
    return [_load_chart(name, units[name], lines) for name, lines in sorted(by_name.items())]


def _load_chart(name: str, unit: str, lines: dict[int, tuple[list[float], list[float]]]) -> Page:
    end = max((s[-1] for s, _ in lines.values() if s), default=0.0)
    most = max((max(v) for _, v in lines.values() if v), default=0.0)
    top = 1.0 if unit == "1" and most <= 1 else most
    return {
        "name": name.replace("_", " "),
        "top": number(top, unit) if unit != "1" else f"{top:g}",
        "end": number(end, "s"),
        "lines": [{"n": n, "points": line(s, v, end, top, len(lines))} for n, (s, v) in sorted(lines.items()) if s],
    }
