"""The answers of two versions next to each other, and what changed where an answer did."""

from typing import Any

from spindlemark.analysis.findings import question_list
from spindlemark.analysis.findings.model import Findings, Group

Page = dict[str, Any]
Key = tuple[str, str, str]
MACHINE = ("host", "machine.cpu", "kernel")


def answers(new: Findings, old: Findings) -> list[Page]:
    """The answers to common questions, those that changed first, with the new version's names of configurations."""
    names = {(g.family, c.experiment): c.configuration for g in new.groups for t in g.metrics for c in t.cells}
    before, now = _advised(old), _advised(new)
    rows = [_row(now[key], before[key], names) for key in now if key in before]
    return sorted(rows, key=lambda row: not row["why"])


def _advised(findings: Findings) -> dict[Key, Group]:
    """The groups with an answer; of several with the same name the newest, which comes first."""
    return {(g.family, g.testbed, g.library): g for g in reversed(findings.groups) if g.recommendation}


def _row(new: Group, old: Group, names: dict[tuple[str, str], str]) -> Page:
    sides = {"old": _first(old, names), "new": _first(new, names)}
    return {
        "family": question_list.title(new.family),
        "testbed": new.testbed,
        "library": new.workload_title or new.library,
        "why": "; ".join(reasons(new, old)) if sides["old"] != sides["new"] else "",
        **sides,
    }


def _first(group: Group, names: dict[tuple[str, str], str]) -> Page:
    found = group.advice
    decided = [] if found.verdict == "undecided" else found.first
    called = {
        c.configuration: names.get((group.family, c.experiment), c.configuration)
        for t in group.metrics
        for c in t.cells
    }
    first = [called.get(s, s) for s in (decided[:1] if found.supported else decided)]
    return {"verdict": found.verdict, "names": ", ".join(first)}


def reasons(new: Group, old: Group) -> list[str]:
    """What differs between two answers to one question; other statistics where nothing else does."""
    weights = [_weights(group) for group in (old, new)]
    method = [group.conditions.get("method") for group in (old, new)]
    repetitions = [_repetitions(group) for group in (old, new)]
    found = {
        f"weights: {weights[0]} before, {weights[1]} now": weights[0] != weights[1],
        f"method {method[0]} before, {method[1]} now": method[0] != method[1],
        "another machine or kernel": any(old.conditions.get(key) != new.conditions.get(key) for key in MACHINE),
        "other files": old.library_factors != new.library_factors,
        f"{repetitions[0]} repetitions before, {repetitions[1]} now": repetitions[0] != repetitions[1],
        "other candidates": set(old.configurations) != set(new.configurations),
    }
    return [reason for reason, holds in found.items() if holds] or ["other statistics"]


def _weights(group: Group) -> str:
    return ", ".join(f"{task.title} {task.weight:g}" for task in group.advice.tasks)


def _repetitions(group: Group) -> int:
    """The samples of the metric that has most."""
    return max((sum(c.n for c in table.cells) for table in group.metrics), default=0)
