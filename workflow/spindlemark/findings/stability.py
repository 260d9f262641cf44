"""Stability: which cells deserve more repetitions. Light to import: no statistics here."""

from collections.abc import Collection
from typing import NamedTuple

from spindlemark.findings.report import Findings, Recommendation


class Unstable(NamedTuple):
    """An experiment to measure again; `width` of its widest interval as a share of the median, infinite when n < 3."""

    experiment: str
    identity: str
    width: float


def unstable(findings: Findings, metrics: Collection[str]) -> list[Unstable]:
    """Experiments with a ranked cell of `metrics` that is wider than the findings' target, widest first.

    Where a group has a recommendation, only its counted tasks matter: more samples elsewhere change no advice.
    """
    widest: dict[tuple[str, str], float] = {}
    for group in findings.groups:
        wanted = counted(group.recommendation, metrics)
        for table in group.metrics:
            for cell in table.cells if table.ranked and table.metric in wanted else []:
                if not cell.stable:
                    known = cell.low is not None and cell.median != 0
                    width = (cell.high - cell.low) / abs(cell.median) if known else float("inf")
                    key = (cell.experiment, cell.identity)
                    widest[key] = max(width, widest.get(key, 0.0))
    found = [Unstable(*key, width) for key, width in widest.items()]
    return sorted(found, key=lambda cell: (-cell.width, cell.experiment, cell.identity))


def counted(recommendation: Recommendation | None, metrics: Collection[str]) -> set[str]:
    """Those of `metrics` that the advice of a group rests on; all of them where there is no advice yet."""
    if recommendation is None:
        return set(metrics)
    return {task.metric for task in recommendation.tasks if task.counted} & set(metrics)
