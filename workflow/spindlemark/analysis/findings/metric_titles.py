"""Metrics of a group: their titles and order, as its family or the studies that publish them declare."""

from collections.abc import Iterable

from spindlemark.analysis.findings.cells import Comparable


def title(group: Comparable, metric: str) -> str:
    """The declared title of a metric; without one, its name as words."""
    known = group.declared.get(metric)
    return known.title if known else metric.replace("_", " ").capitalize()


def chance(group: Comparable, metric: str) -> str | None:
    """Why a metric is a matter of chance, as its family declares; None if it is not."""
    known = group.declared.get(metric)
    return known.by_chance if known else None


def ordered(group: Comparable, metrics: Iterable[str]) -> list[str]:
    """`metrics` in the order of their declaration, then those without one."""
    places = {metric: place for place, metric in enumerate(group.declared)}
    return sorted(metrics, key=lambda metric: (places.get(metric, len(places)), metric))
