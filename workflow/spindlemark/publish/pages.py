"""One version's folder for Hugo: data, charts, downloads. Reads everything first, then writes file after file."""

import json
from pathlib import Path
from typing import Any

from spindlemark.findings.report import Findings, Group
from spindlemark.publish import (address, charts, compare, differences, downloads, experiments, glance, library,
                                 overview, palette, query, version)
from spindlemark.publish.sources import Sources, read_findings
from spindlemark.publish.studies import build as studies
from spindlemark.reference.published import Published
from spindlemark.reference.published import read as read_published


def build(sources: Sources, output: Path) -> None:
    """Write `data/`, `assets/` and `static/` of one version below `output`, which must be empty.

    The same inputs give the same bytes. Raises UserError for inputs that are missing or damaged.
    """
    findings, published = read_findings(sources.findings), read_published(sources.published)
    with query.connect(sources.database) as connection:
        records = query.records(connection)
        context = _context(connection, sources, findings, published, records)
        titles = {g.library: context.title(g) for g in findings.groups}
        _experiments(connection, findings, records, context, titles, output)
        studied = studies.build(connection, sources, published, findings, context, output)
    for name, content in studied.items():
        _write(output / "data" / f"{name}.json", content)
    _libraries(findings, context, output)
    _compare(findings, published, context, output)
    _write(output / "data" / "glance.json", glance.table(findings, context))
    downloads.records([r for found in records.values() for r in found], sources.records, output / "static")
    offered = downloads.offer(sources.frozen, sources.database, sources.findings, output / "static")
    _write(output / "data" / "downloads.json", offered)
    _write(output / "data" / "cited.json", version.cited(sources, offered))
    _write(output / "data" / "version.json", version.about(sources, records, findings))
    _write(output / "data" / "differences.json",
           [{"version": name, **differences.compare(findings, other)} for name, other in sources.others().items()])
    _text(output / "assets" / "vega.js", charts.bundle())


def _context(connection: Any, sources: Sources, findings: Findings, published: Published, records: dict
             ) -> library.Context:
    named = {r["subject"] for found in records.values() for r in found} | _subjects(findings.groups)
    families = {g.family for g in findings.groups}
    every = [g for study in published.studies for g in study.groups]
    alike = sorted(_subjects([g for g in every if g.family in families]))
    looks = palette.assign(named, [*alike, *sorted(_subjects(every))])
    return library.Context(looks, address.experiments(records), address.libraries(findings), sources.libraries(),
                           len({g.testbed for g in findings.groups}) > 1, studies.studied(connection, published))


def _subjects(groups: list[Group]) -> set[str]:
    return {s for g in groups for s in [*g.subjects, *(a.subject for a in g.absent)]}


def _libraries(findings: Findings, context: library.Context, output: Path) -> None:
    pages = []
    for group in findings.groups:
        page = library.page(group, context)
        weighed = group.recommendation.tasks if group.recommendation else []
        tasks = [t.metric for t in weighed]
        for shown, table in zip(page["metrics"], group.metrics, strict=True):
            shown["task"] = table.metric in tasks
            shown["for"] = next((f"task {t.title}, weight {t.weight:g}" + ("" if t.counted else ", not counted")
                                 for t in weighed if t.metric == table.metric), None)
            spec = charts.metric_chart(table, context.looks) if shown["task"] else None
            if spec:
                shown["svg"] = charts.svg(spec, f"{table.title}, {page['title']}: every sample. {table.statement}")
                shown["spec"] = f"chart/{address.slug(group.group)}/{address.slug(table.metric)}.json"
                _write(output / "static" / shown["spec"], spec)
        if group.recommendation:
            page["draws"] = page["path"] + "draws.json"
            _write(output / "static" / page["draws"], group.recommendation.draws.model_dump())
        page["metrics"].sort(key=lambda shown: tasks.index(shown["metric"]) if shown["task"] else len(tasks))
        pages.append(page)
    _write(output / "data" / "libraries.json", pages)


def _compare(findings: Findings, published: Published, context: library.Context, output: Path) -> None:
    pages = compare.pages(findings, published, context)
    for page in pages:
        page["data"] = f"compare/{address.slug(page['metric'])}.json"
        columns = page.pop("columns")
        spec = overview.chart(columns)
        if spec:
            name = f"{page['title']}: ratio to the best, by library and setting. The table has the numbers."
            page["svg"] = charts.svg(overview.chart(columns, whole=False), name)
            page["spec"] = f"chart/compare/{address.slug(page['metric'])}.json"
            _write(output / "static" / page["spec"], spec)
        _write(output / "static" / page["data"], columns)
    _write(output / "data" / "compare.json", pages)


def _experiments(connection: Any, findings: Findings, records: dict, context: library.Context, titles: dict[str, str],
                 output: Path) -> None:
    cells = experiments.cells_by_experiment(findings)
    samples, factors = query.measurements(connection), query.factors(connection)
    commands, gates, series = query.commands(connection), query.gates(connection), query.series(connection)
    environments, sets = query.environments(connection), {}
    pages = []
    for key, found in records.items():
        name, equal, differing = experiments.environment(environments.get(key[1], {}))
        sets[name] = equal
        shown = _library_of(found[0], findings, context, titles)
        pages.append(experiments.head(found, context.experiments[key], context.looks[found[0]["subject"]], shown) | {
            "metrics": experiments.metrics(cells[key], samples.get(key, [])),
            "factors": [{"name": f["name"], "value": f["value"]} for f in factors.get(key, [])],
            "commands": experiments.commands(commands.get(key[1], [])),
            "gates": experiments.gates(gates.get(key[1], [])),
            "load": experiments.load(series.get(key[1], [])), "environment": name, "differing": differing})
    _write(output / "data" / "experiments.json", pages)
    _write(output / "data" / "environments.json", sets)


def _library_of(row: dict, findings: Findings, context: library.Context, titles: dict[str, str]) -> dict:
    group = next((g for g in findings.groups if (g.testbed, g.library) == (row["testbed"], row["library"])), None)
    known = context.declared.get(row["library"])
    return {"name": row["library"], "title": titles.get(row["library"]) or (known.title if known else row["library"]),
            "path": context.libraries[group.group] if group else None}


def _write(path: Path, content: Any) -> None:
    _text(path, json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True))


def _text(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
