"""Pages of experiments: every sample, the commands as run, the environment, the gates and the load."""

import hashlib
import json
import re
import shlex
from collections import Counter, defaultdict
from typing import Any

from spindlemark.findings.report import Cell, Findings, Group, MetricTable
from spindlemark.publish import address, configuration, verdicts
from spindlemark.publish.drawing import line, strip
from spindlemark.publish.numbers import MISSING, interval, number, ratio
from spindlemark.publish.query import Details, Key, Row

MOST_LISTED = 3000  # experiments on one page
PIECES = re.compile(r": (\d+) extents? found", re.MULTILINE)
Page = dict[str, Any]
Found = dict[Key, list[tuple[Group, MetricTable, Cell]]]


def entry(page: Page) -> Page:
    """What the list of all experiments says of one."""
    return {name: page[name] for name in ("path", "title", "testbed", "family", "subject", "library", "statuses")} | {
        "n": len(page["repetitions"])}


def placed(tables: list[Page]) -> list[Page]:
    """Each table with its page: one for all of them, or one per testbed where that would be too large."""
    large = sum(table["count"] for table in tables) > MOST_LISTED
    return [t | {"page": f"experiment/{address.slug(t['testbed'])}/" if large else "experiment/"} for t in tables]


def index(pages: list[Page], titles: dict[str, str]) -> list[Page]:
    """Every experiment, as `entry` tells it, as a table per testbed and family: subject by workload. `titles`: family -> its title."""
    found: dict[tuple[str, str], list[Page]] = defaultdict(list)
    for page in pages:
        found[page["testbed"], page["family"]].append(page)
    order = list(titles)
    return [_index_table(testbed, titles[family], found[testbed, family])
            for testbed, family in sorted(found, key=lambda key: (key[0], order.index(key[1])))]


def _index_table(testbed: str, title: str, pages: list[Page]) -> Page:
    columns = list(dict.fromkeys(p["library"]["title"] for p in pages))
    rows: dict[str, Page] = {}
    for p in pages:
        row = rows.setdefault(p["subject"]["name"], {"subject": p["subject"], "cells": [[] for _ in columns]})
        row["cells"][columns.index(p["library"]["title"])].append({
            "path": p["path"], "title": p["title"], "n": p["n"], "statuses": [s for s in p["statuses"] if s != "ok"]})
    blocks = [rows[s] for own in configuration.by_base(sorted(rows)).values() for s in own]
    return {"testbed": testbed, "family": title, "columns": columns, "rows": blocks, "count": len(pages)}


def cells_by_experiment(findings: Findings) -> Found:
    """Experiment -> its group and cell under every metric, in the order of the findings."""
    found: Found = defaultdict(list)
    for group in findings.groups:
        for table in group.metrics:
            for cell in table.cells:
                found[cell.experiment, cell.identity].append((group, table, cell))
    return found


def workload(row: Row) -> str:
    """What was stored or done: the name of the experiment after its subject; empty for families without workloads."""
    return row["experiment"].partition("--")[2]


def head(records: list[Row], path: str, look: Page, library: Page) -> Page:
    """What identifies an experiment and where its raw records are; `library` is its workload."""
    first = records[0]
    return {
        "path": path, "title": f"{first['subject']} · {library['title'] or first['testbed']}",
        "experiment": first["experiment"],
        "identity": first["identity"], "testbed": first["testbed"], "family": first["family"],
        "method": first["method"], "subject": {"name": first["subject"], **look}, "library": library,
        "repetitions": [repetition(r) for r in records],
        "statuses": sorted({r["status"] for r in records}),
    }


def details(key: Key, cells: list[tuple[Group, MetricTable, Cell]], found: Details) -> Page:
    """What the records of an experiment hold, as text."""
    commanded = found.commands.get(key[1], [])
    return {"metrics": metrics(cells, found.measurements.get(key, [])),
            "factors": [{"name": f["name"], "value": f["value"]} for f in found.factors.get(key, [])],
            "commands": commands(commanded), "pieces": pieces(commanded), "gates": gates(found.gates.get(key[1], [])),
            "load": load(found.series.get(key[1], []))}


def repetition(row: Row) -> Page:
    return {"n": row["repetition"], "status": row["status"], "reason": row["reason"],
            "started": _moment(row["started_at"]), "raw": address.raw(row),
            "seconds": number((row["finished_at"] - row["started_at"]).total_seconds(), "s")}


def _moment(when: Any) -> str:
    return when.strftime("%Y-%m-%d %H:%M:%S UTC")


def metrics(cells: list[tuple[Group, MetricTable, Cell]], samples: list[Row]) -> list[Page]:
    """A row per metric: summary from the findings, samples by repetition from the database."""
    by_metric: dict[str, dict[int, float]] = defaultdict(dict)
    for row in samples:
        by_metric[row["metric"]][row["repetition"]] = row["value"]
    return [{
        "metric": t.metric, "title": t.title, "n": c.n, "median": number(c.median, t.unit, t.metric),
        "interval": interval(c.low, c.high, c.median, t.unit, t.metric), "ratio": ratio(c.ratio),
        "tier": c.tier, "range": verdicts.is_range(c),
        "noisy": sum(c.noisy), "unstable": not c.stable,
        "strip": strip(c.samples, c.noisy, c.low, c.median, c.high),
        "samples": [{"n": n, "text": number(v, t.unit, t.metric)} for n, v in sorted(by_metric[t.metric].items())],
    } for _, t, c in cells]


def commands(rows: list[Row]) -> list[Page]:
    """Commands as run, per repetition."""
    found: dict[int, list[Page]] = defaultdict(list)
    for r in rows:
        argv = r["argv"] if isinstance(r["argv"], list) else json.loads(r["argv"])
        found[r["repetition"]].append({
            "step": r["step"], "line": shlex.join(argv), "exit_code": r["exit_code"],
            "seconds": number(r["seconds"], "s"), "used": used(r),
            "output": "\n".join(o for o in (r["stdout"], r["stderr"]) if o).strip()})
    return [{"n": n, "commands": found[n]} for n in sorted(found)]


def used(row: Row) -> str:
    """CPU time and page faults of a command, as far as its record says them."""
    cpu = [f"{number(row[key], 's')} {name}" for key, name in (("user_seconds", "user"), ("system_seconds", "system"))
           if row.get(key) is not None]
    faults = [f"{row[key]:,} {name}" for key, name in (("minor_faults", "minor"), ("major_faults", "major"))
              if row.get(key) is not None]
    return "; ".join(f"{what}: {', '.join(own)}" for what, own in (("CPU", cpu), ("page faults", faults)) if own)


def pieces(rows: list[Row]) -> list[Page]:
    """Per repetition and step that counted pieces of recordings: how many recordings lie in how many pieces."""
    found: dict[tuple[int, str], list[int]] = defaultdict(list)
    for r in rows:
        if r["step"].endswith("-pieces"):
            found[r["repetition"], r["step"]] += map(int, PIECES.findall(r["stdout"] or ""))
    return [{"n": n, "step": step.replace("-", " "), "recordings": len(own), "pieces": f"{sum(own):,}",
             "most": f"{max(own):,}",
             "spread": ", ".join(f"{count} in {many:,}" for many, count in sorted(Counter(own).items()))}
            for (n, step), own in found.items() if own]


def gates(rows: list[Row]) -> Page:
    """Gates with the ones that did not hold first; those that held are counted by kind."""
    shown = [{"n": r["repetition"], "gate": r["gate"].replace("_", " "), "step": r["step"] or "", "ok": r["ok"],
              "observed": _quantity(r["observed"], r["unit"]), "bound": _quantity(r["bound"], r["unit"]),
              "detail": r["detail"]} for r in rows]
    return {"failed": [g for g in shown if not g["ok"]], "all": shown, "held": sum(g["ok"] for g in shown)}


def _quantity(value: float | None, unit: str) -> str:
    return MISSING if value is None else number(value, unit) if unit != "1" else f"{value:.4g}"


def environment(found: dict[str, list[str]]) -> tuple[str, dict[str, str], dict[str, list[str]]]:
    """Fields that were equal in all repetitions, with the name of their set, and the fields that differed.

    Experiments of one session share the equal fields, so the pages keep one copy of each set.
    """
    equal = {name: values[0] for name, values in found.items() if len(values) == 1}
    digest = hashlib.sha256(json.dumps(equal, sort_keys=True).encode()).hexdigest()[:12]
    return digest, equal, {name: values for name, values in found.items() if len(values) > 1}


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
    return {"name": name.replace("_", " "), "top": number(top, unit) if unit != "1" else f"{top:g}",
            "end": number(end, "s"), "lines": [{"n": n, "points": line(s, v, end, top)}
                                               for n, (s, v) in sorted(lines.items()) if s]}
