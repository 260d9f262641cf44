"""Contrasts: what each configuration of a question gains or loses against the question's baseline."""

from collections.abc import Mapping
from dataclasses import replace
from statistics import median

import numpy as np

from spindlemark.analysis.findings import metric_titles, table_text, verdicts
from spindlemark.analysis.findings.blocks import WEIGHTED
from spindlemark.analysis.findings.comparisons import DIFFERENT, bounded
from spindlemark.analysis.findings.evidence import Evidence
from spindlemark.analysis.findings.model import Contrast, Contrasts
from spindlemark.analysis.findings.settings import Recommendations
from spindlemark.analysis.findings.tables import verdict
from spindlemark.analysis.findings.verdicts import Places, Verdicts
from spindlemark.config import questions
from spindlemark.core.record import join_parts

DECIMALS = 6


def against(evidence: Evidence) -> dict[str, Places]:
    """Metric -> pairs (baseline, configuration) that a question with a baseline compares, over all tasks first."""
    base = next(place for place, s in enumerate(evidence.group.configurations) if s.name == evidence.group.baseline)
    found: dict[str, Places] = {}
    if evidence.counted and base in evidence.able:
        found[WEIGHTED] = [(base, place) for place in evidence.able if place != base]
    for each in evidence.counted:
        found[each.task.metric] = _pairs(evidence, each.task.metric, base)
    return found


def contrast(
    evidence: Evidence,
    question: questions.Question,
    found: Mapping[str, Verdicts],
    described: Mapping[str, str],
    workload: str,
    same_title: str,
    group: str | None,
    declared: Recommendations,
) -> Contrasts | None:
    """Answer one question; None where no configuration can be compared.

    `described`: configuration -> its settings in words; `workload` and `same_title`: what all share, in words too.
    """
    own = evidence.group
    base = next(place for place, s in enumerate(own.configurations) if s.name == own.baseline)
    primary = [
        row for name, judged in found.items() for row in _rows(evidence, name, judged, True, described, declared)
    ]
    rows = [*primary, *_others(evidence, found, base, described, declared)]
    if not rows:
        return None
    places = {configuration.name: place for place, configuration in enumerate(own.configurations)}
    return Contrasts(
        question=own.question,
        title=question.title,
        family=own.family,
        testbed=own.testbed,
        same=join_parts(own.shared),
        same_parts=[part.name for part in own.shared],
        same_title=same_title,
        slugs={name: join_parts(parts) for name, parts in own.own.items()},
        slug_parts={name: [part.name for part in parts] for name, parts in own.own.items()},
        library=own.library,
        workload_title=workload,
        group=group,
        sides=own.sides,
        identities={configuration.name: configuration.identity for configuration in own.configurations},
        emulated=own.emulated,
        session=own.session,
        baseline=own.configurations[base].name,
        rows=sorted(rows, key=lambda row: places[row.configuration]),
        statement=table_text.of_contrasts(rows, question.title),
    )


def _others(
    evidence: Evidence,
    found: Mapping[str, Verdicts],
    base: int,
    described: Mapping[str, str],
    declared: Recommendations,
) -> list[Contrast]:
    """The metrics that are not weighted tasks: shown with their intervals, each by itself."""
    rows, own = [], evidence.group
    for name in evidence.matrices:
        places = _pairs(evidence, name, base) if name not in found and name != WEIGHTED else []
        if places:
            margin = declared.log_margin(None, own.samples(name))
            judged = verdicts.alone(evidence, name, places, margin, declared.confidence)
            rows += _rows(evidence, name, judged, False, described, declared)
    return rows


def _pairs(evidence: Evidence, name: str, base: int) -> Places:
    n = evidence.matrices[name].counts
    return [(base, place) for place in range(len(n)) if place != base and min(n[base], n[place]) > 1]


def _rows(
    evidence: Evidence,
    name: str,
    found: Verdicts,
    primary: bool,
    described: Mapping[str, str],
    declared: Recommendations,
) -> list[Contrast]:
    rows, ratios = [], bounded(np.array([found.judged.difference, found.judged.low, found.judged.high]).T, DECIMALS)
    for at, (base, place) in enumerate(found.places):
        if np.isnan(found.judged.low[at]):
            continue
        ratio, low, high = ratios[at]
        better = found.judged.verdict[at] in DIFFERENT
        sides = (base, place) if found.judged.difference[at] < 0 else (place, base)
        named = verdict(found.judged.verdict[at], {*sides}, evidence, name)
        wanted = (
            verdicts.need(found, at, verdicts.seconds(evidence, (base, place)), evidence.capped(name))
            if primary and named
            else None
        )
        row = Contrast(
            **_figures(evidence, name, base, place),
            ratio=ratio,
            low=low,
            high=high,
            p=round(float(found.judged.p[at]), DECIMALS),
            short=sides[0] in evidence.short(name),
            verdict=named,
            side="level" if not better else "gain" if found.judged.difference[at] > 0 else "loss",
            primary=primary,
            need=wanted,
            statement="",
        )
        statement = table_text.of_contrast(
            row, described.get(row.configuration, ""), declared.confidence, float(np.expm1(found.thresholds[at]))
        )
        rows.append(replace(row, statement=statement))
    return rows


def _figures(evidence: Evidence, name: str, base: int, place: int) -> dict:
    """Names and medians of both sides."""
    sides = [evidence.group.configurations[base], evidence.group.configurations[place]]
    shared = {"configuration": sides[1].name, "baseline": sides[0].name}
    if name == WEIGHTED:
        n = evidence.matrices[name].counts
        rows = {p: row for row, p in enumerate(evidence.able)}
        return shared | {
            "metric": None,
            "title": table_text.WEIGHTED,
            "n": int(n[rows[place]]),
            "baseline_n": int(n[rows[base]]),
        }
    samples = [side.metrics[name] for side in sides]
    return shared | {
        "metric": name,
        "title": metric_titles.title(evidence.group, name),
        "unit": samples[0].unit,
        "better": samples[0].better,
        "median": float(median(samples[1].values)),
        "n": len(samples[1].values),
        "baseline_median": float(median(samples[0].values)),
        "baseline_n": len(samples[0].values),
    }
