"""Published ratios between configurations compared with measurements here, by library, workload and testbed."""

from collections.abc import Iterable
from typing import Any

from spindlemark.analysis.findings import question_list
from spindlemark.analysis.findings.model import Findings, Group, MetricTable
from spindlemark.analysis.format import count, number
from spindlemark.analysis.studies.published_model import Compared, Published
from spindlemark.analysis.studies.source_model import Source, Today
from spindlemark.site import address, page_parts, testbed_labels
from spindlemark.site.context import Context
from spindlemark.site.studies import (
    changes,
    claims_without_figures,
    entries,
    locations,
    ratios,
    same_meaning,
    scaling,
    served_streams,
    slope_chart,
    tuning,
)

Page = dict[str, Any]
BASELINE = "ext4"  # the default of distributions, and part of every study of filesystems
WHOLE = "none"  # library of tests of an empty partition, which apply to each library
MOST_CHARACTERS = 400_000  # of the data of one page, whose HTML is twice as large


def pages(
    findings: Findings, published: Published, context: Context, known: dict[str, Source], noted: same_meaning.Noted
) -> list[Page]:
    """Return one entry per group that was measured here and in a study: filesystems first, then tuned settings.

    Of groups with the same name, the newest counts. Workloads that the study's `today` names share one entry per family and
    testbed. Last come changes such as jumbo frames, growth with size, claims without figures, and comparable figures.
    `noted`: as in `same_meaning`.
    """
    beds = testbed_labels.order(findings)
    newest: dict[tuple, Group] = {}
    for g in sorted(findings.groups, key=lambda g: beds.index(g.testbed)):
        newest.setdefault((g.testbed, g.family, g.library), g)
    own = list(newest.values())
    found: list[Page] = []
    for study in published.studies:
        source = known[study.source]
        found += [
            page for g in own if _groups(study, g, source) and (page := _library(g, study, source, context))["tasks"]
        ]
        found += _workloads(own, study, source, context)
        found += filter(None, (_tuned(g, study, source, context) for g in own))
    found += [
        page
        for each in (served_streams, changes, scaling, claims_without_figures)
        for page in each.pages(own, known, context)
    ]
    return _placed([*found, *same_meaning.pages(own, known, context, noted)])


def _placed(found: list[Page]) -> list[Page]:
    """Add the page of each entry: one per study, or one per testbed if that would be too large.

    Tasks that are not comparable are marked `aside`, and the others have a chart.
    """
    for task in (task for entry in found for task in entry["tasks"]):
        task["aside"] = bool(task["why"]) or all(row["says"] == ratios.NO_COMPARISON for row in task["rows"])
        task["slope"] = None if task["aside"] else slope_chart.of(task["rows"])
    sizes = {
        source: len(page_parts.text([e for e in found if e["source"] == source]))
        for source in {e["source"] for e in found}
    }
    return [
        entry
        | {
            "page": locations.then(entry["source"])
            + (f"{address.slug(entry['testbed']['name'])}/" if sizes[entry["source"]] > MOST_CHARACTERS else "")
        }
        for entry in found
    ]


def _groups(study: Compared, group: Group, source: Source) -> list[Group]:
    """Return the study's groups of this library, or of the empty partition, in its main series."""
    family = _today(source).family(group.family)
    own = [g for g in study.groups if g.family == family and g.conditions.get("series") == "main"]
    if not any(g.library == group.library for g in own):
        return []
    return [g for g in own if g.library in (group.library, WHOLE)]


def _head(group: Group, source: Source, context: Context, kind: str) -> Page:
    head = entries.head(
        source, group, context, kind, context.title(group), f"{'t' if kind == 'default' else kind}-{group.group}"
    )
    return head | ({"link": f"{head['link']} with tuned settings"} if kind == "tuned" else {})


def _library(group: Group, study: Compared, source: Source, context: Context) -> Page:
    then = {t.metric: t for g in _groups(study, group, source) for t in g.metrics}
    tasks = [_task(then[now.metric], now, context) for now in _ranked(group) if now.metric in then]
    return _head(group, source, context, "default") | {
        "tasks": [ratios.with_caveat(t, _today(source), group.family) for t in tasks if t]
    }


def _today(source: Source) -> Today:
    return source.today or Today()


def _ranked(group: Group) -> list[MetricTable]:
    """Sort metrics by their weight in the recommendation."""
    weights = {t.metric: t.weight for t in group.recommendation.tasks} if group.recommendation else {}
    return sorted(group.metrics, key=lambda now: -weights.get(now.metric, 0.0))


def _task(then: MetricTable, now: MetricTable, context: Context) -> Page | None:
    """Return a task: each filesystem's ratio to the baseline with default settings, published and measured here."""
    thens, nows = (_defaults(table, context) for table in (then, now))
    both = [s for s in nows if s in thens]
    if not both:
        return None
    base = BASELINE if BASELINE in both else both[0]
    names = dict.fromkeys([base, *sorted(both), *sorted({*thens, *nows})])
    rows: list[Page] = [
        {
            "subject": context.configuration(s),
            "base": s == base,
            "then": ratios.ratio(then, base, s),
            "now": ratios.ratio(now, base, s),
        }
        for s in names
    ]
    ratios.draw(rows)
    for row in rows:
        row["says"] = "baseline" if row["base"] else ratios.says(row["then"], row["now"], now.ranked)
    return {
        "metric": now.metric,
        "title": now.title,
        "base": base,
        "why": now.why_unranked,
        "rows": rows,
        "words": ratios.relation(now, base),
    }


def _defaults(table: MetricTable, context: Context) -> list[str]:
    return [c.configuration for c in table.cells if context.configurations.is_default(c.configuration)]


def _workloads(groups: list[Group], study: Compared, source: Source, context: Context) -> Iterable[Page]:
    """Return published workloads with their counterparts of today, one entry per family and testbed."""
    found: dict[tuple[str, str], Page] = {}
    for group in groups:
        for name, published in _today(source).workloads.get(group.family, {}).items():
            theirs = next((g for g in study.groups if g.family == group.family and g.library == name), None)
            if published.today != group.library or theirs is None:
                continue
            then = {t.metric: t for t in theirs.metrics}
            tasks = [_task(then[now.metric], now, context) for now in group.metrics if now.metric in then]
            entry = found.setdefault(
                (group.family, group.testbed),
                _head(group, source, context, "workload") | {"library": question_list.title(group.family), "tasks": []},
            )
            entry["tasks"] += [
                t | {"title": f"{published.title} then, {_size(group, context)} now", "note": published.note}
                for t in tasks
                if t
            ]
    return found.values()


def _size(group: Group, context: Context) -> str:
    """Return number and size of the files here, if the conditions contain them; else the workload."""
    files, each = (group.conditions.get(name) for name in ("files", "file_bytes"))
    if isinstance(files, int) and isinstance(each, int):
        return f"{count(files, 'file')} of {number(each, 'B')}"
    return context.workload(group)


def _tuned(group: Group, study: Compared, source: Source, context: Context) -> Page | None:
    """Return tuned settings of one library relative to their own defaults; None if the study tuned nothing measured here."""
    today = _today(source)
    own = [g for g in study.groups if g.family == today.family(group.family) and g.library in (group.library, WHOLE)]
    tasks = [task for now in _ranked(group) if (task := tuning.task(own, group, now, today, context))]
    return (
        _head(group, source, context, "tuned") | {"tasks": [ratios.with_caveat(t, today, group.family) for t in tasks]}
        if tasks
        else None
    )
