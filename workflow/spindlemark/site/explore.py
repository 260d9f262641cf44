"""The page Explore: a list of metrics, one columnar file per metric over every group of the version, and its presets."""

from collections.abc import Iterator
from math import floor
from typing import Any, get_args

from spindlemark.analysis.findings import question_list
from spindlemark.analysis.findings.emulation import emulated
from spindlemark.analysis.findings.model import Absent, Cell, Findings, Group, MetricTable, Verdict
from spindlemark.analysis.format import shortened, steps
from spindlemark.analysis.studies.published_model import Published
from spindlemark.site import address, testbed_labels
from spindlemark.site.context import Context
from spindlemark.site.evidence import bound
from spindlemark.site.studies import locations

Page = dict[str, Any]
MOST_METRICS = 4  # side by side
DEFAULT = "default"
VERDICTS = get_args(Verdict)
# The axis of ratios ends at this multiple of the greatest ratio, and at this ratio below 1; wider intervals are cut and marked.
FARTHEST, LEAST = 3.0, 0.5


def metrics(findings: Findings, published: Published, context: Context) -> Iterator[tuple[Page, Page]]:
    """Every metric with its columns: first the tasks that advice rests on, last those metrics that only studies have.

    Groups of studies are listed with ours, each with its own ratios; no ratio compares two sources.
    """
    studies = [g for study in published.studies for g in study.groups]
    names = metric_names(findings)
    every = list(dict.fromkeys([*names, *(t.metric for g in studies for t in g.metrics)]))
    tables: dict[str, list[tuple[Group, MetricTable]]] = {}
    for group in [*findings.groups, *studies]:
        for table in group.metrics:
            tables.setdefault(table.metric, []).append((group, table))
    return (_metric(tables[name], [*findings.groups, *studies], context, name in names) for name in every)


def metric_names(findings: Findings) -> list[str]:
    """Metrics by family, by their weight in its advice, then in the order of the findings."""
    weights: dict[str, float] = {}
    order = list(dict.fromkeys(g.family for g in findings.groups))
    places = {t.metric: order.index(g.family) for g in reversed(findings.groups) for t in g.metrics}
    for group in findings.groups:
        for task in group.recommendation.tasks if group.recommendation else []:
            weights[task.metric] = max(weights.get(task.metric, 0.0), task.weight)
    names = list(dict.fromkeys(t.metric for g in findings.groups for t in g.metrics))
    return sorted(names, key=lambda name: (places[name], -weights.get(name, -1.0)))


def presets(findings: Findings) -> list[Page]:
    """Per family its most important tasks side by side; none for a family whose answers weigh a single task."""
    found: dict[str, dict[str, float]] = {}
    for group in findings.groups:
        for task in group.recommendation.tasks if group.recommendation else []:
            if task.counted:
                own = found.setdefault(group.family, {})
                own[task.metric] = max(own.get(task.metric, 0.0), task.weight)
    chosen = {family: sorted(own, key=lambda name: -own[name])[:MOST_METRICS] for family, own in found.items()}
    return [
        {"title": question_list.title(family), "query": f"metric={','.join(chosen[family])}"}
        for family in question_list.order(chosen)
        if len(chosen[family]) > 1
    ]


def _metric(
    tables: list[tuple[Group, MetricTable]], groups: list[Group], context: Context, measured: bool
) -> tuple[Page, Page]:
    """One metric. `tables`: its tables with their groups; `groups`: all groups; `measured`: not only by studies."""
    entries = [(g, t, c) for g, t in tables for c in t.cells]
    having, families = {g.group for g, *_ in entries}, {g.family for g, *_ in entries}
    absent = [
        (g, a)
        for g in groups
        for a in g.absent
        if g.group in having or (measured and g.group not in context.studied.sources and g.family in families)
    ]
    table = entries[0][1]
    return {
        "family": entries[0][0].family,
        "metric": table.metric,
        "path": address.metric(table.metric),
        "title": table.title,
        "unit": table.unit,
        "kind": table.kind or "",
        "better": table.better,
        "measured": measured,
    }, columns(entries, absent, context)


def columns(
    entries: list[tuple[Group, MetricTable, Cell]], absent: list[tuple[Group, Absent]], context: Context
) -> Page:
    """All rows as columns: names as numbers of a dictionary, figures with the digits in which they are displayed.

    Ends of intervals are in units of the median's last digit, ratios in hundredths: small whole numbers halve the
    compressed file, and are displayed exactly as on every other page.
    """
    every = [*(entry[0] for entry in entries), *(entry[0] for entry in absent)]
    groups = list({g.group: g for g in every}.values())
    named = sorted({c.configuration for _, _, c in entries} | {a.configuration for _, a in absent})
    statuses = ["ok", *sorted({a.status for _, a in absent})]
    order = {g.group: i for i, g in enumerate(groups)}
    number_of = {s: i for i, s in enumerate(named)}
    full = [c for _, _, c in entries]
    none = [None] * len(absent)
    return {
        "groups": [_group(g, context) for g in groups],
        "subjects": [context.configuration(s) | {"parts": _parts(s, context)} for s in named],
        "statuses": statuses,
        "group": [order[g.group] for g in every],
        "subject": [number_of[c.configuration] for c in full] + [number_of[a.configuration] for _, a in absent],
        "status": [0] * len(full) + [statuses.index(a.status) for _, a in absent],
        "n": [c.n for c in full] + [0] * len(absent),
        "median": [_median(c, t) for _, t, c in entries] + none,
        "low": [_end(c.low, c, t) for _, t, c in entries] + none,
        "high": [_end(c.high, c, t) for _, t, c in entries] + none,
        "ratio": [_hundredths(c.ratio) for c in full] + none,
        "ratio_low": [_hundredths(c.ratio_low) for c in full] + none,
        "ratio_high": [_hundredths(c.ratio_high) for c in full] + none,
        "bounds": {i: kind for i, (_, t, c) in enumerate(entries) if (kind := bound(c, t))},
        "tier": [c.tier for c in full] + none,
        "verdicts": VERDICTS,
        "verdict": [_verdict(c) for _, t, c in entries] + none,
        "parts": parts(entries, absent),
        "least": nearest(full),
        "most": farthest(full),
        "marks": [any(c.noisy) + 2 * (not c.stable) + 4 * c.short for c in full] + [0] * len(absent),
        "paths": _paths(entries, absent, context),
    }


def parts(entries: list, absent: list) -> list[dict[str, str]]:
    """Key and title of each part of a configuration's name, after the factors of the family's main question."""
    family = next(g.family for g, *_ in [*entries, *absent])
    first, *others = question_list.factors(family)
    names = [first, "setting", others[0] if others else "under"]
    return [{"key": name, "title": name.replace("_", " ").capitalize()} for name in names]


def _parts(name: str, context: Context) -> list[str]:
    """The parts of a configuration's name in the order of `parts`."""
    found = context.configurations.parts(name)
    return [found.value, found.setting or DEFAULT, found.under or DEFAULT]


def farthest(cells: list[Cell]) -> float:
    """Upper end of the axis of ratios: the widest interval, but not far above the ratios themselves."""
    ratios = [c.ratio for c in cells if c.ratio is not None]
    ends = [c.ratio_high for c in cells if c.ratio_high is not None]
    return min(max([1.01, *ratios, *ends]), max(ratios, default=1.0) * FARTHEST)


def nearest(cells: list[Cell]) -> float:
    """Lower end of the axis of ratios: the lowest end of an interval, but not far below 1."""
    return max(LEAST, min([1.0, *(c.ratio_low for c in cells if c.ratio_low is not None)]))


def _verdict(cell: Cell) -> int | None:
    return VERDICTS.index(cell.verdict) if cell.verdict else None


def _group(group: Group, context: Context) -> Page:
    """Shared data of a group's rows; `start` and `end` surround the configuration in the address of its experiment."""
    return {
        "name": group.group,
        "title": context.title(group),
        "library": group.library,
        "session": ", ".join(group.sessions) or group.session,
        "days": context.sessions(group),
        "workload": context.workload(group),
        "testbed": group.testbed,
        "device": testbed_labels.title(group.testbed),
        "emulated": emulated(group.conditions),
        "family": group.family,
        "source": context.studied.sources.get(group.group, "measured"),
        "page": _group_page(group, context),
        "start": address.experiment_folder(group.testbed, group.family),
        "end": _end_of_name(group),
    }


def _end_of_name(group: Group) -> str:
    return f"--{group.library}" if group.library else ""


def _paths(entries: list, absent: list, context: Context) -> dict[int, str | None]:
    """Addresses that cannot be derived from group and configuration, by number of the row."""
    found = [(g, c.configuration, _cell_page(g, t, c, context)) for g, t, c in entries]
    found += [(g, a.configuration, _absent_page(g, a, context)) for g, a in absent]
    folders = {g.group: address.experiment_folder(g.testbed, g.family) for g, *_ in found}
    plain = (f"{folders[g.group]}{address.slug(s + _end_of_name(g))}/" for g, s, _ in found)
    return {i: path for i, ((_, _, path), usual) in enumerate(zip(found, plain, strict=True)) if path != usual}


def _group_page(group: Group, context: Context) -> str:
    source = context.studied.sources.get(group.group)
    return locations.study(source) if source else context.groups[group.group]


def _cell_page(group: Group, table: MetricTable, c: Cell, context: Context) -> str | None:
    """Address of the samples of a cell: its experiment, or the table that prints them."""
    source = context.studied.sources.get(group.group)
    if source:
        return context.studied.tables.get((source, c.identity, table.metric))
    return context.experiments.get((c.experiment, c.identity))


def _absent_page(group: Group, a: Absent, context: Context) -> str | None:
    return context.places.get((group.testbed, group.family, a.experiment)) if group.group in context.groups else None


def _median(c: Cell, table: MetricTable) -> float | int:
    short = shortened(c.median, table.unit, table.kind)
    return int(short) if short.is_integer() else short


def _end(end: float | None, c: Cell, table: MetricTable) -> int | None:
    if end is None:
        return None
    return steps(end, table.unit, c.median, table.kind) - steps(c.median, table.unit, c.median, table.kind)


def _hundredths(ratio: float | None) -> int | None:
    return None if ratio is None else floor(ratio * 100 + 0.5)
