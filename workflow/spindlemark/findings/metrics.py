"""Metrics: their titles and order, from the family that measures them, or the studies that publish them."""

from collections.abc import Iterable
from functools import cache

from spindlemark import families


def title(family: str, metric: str) -> str:
    """The family's title of a metric; the metric's own name in words where the family no longer has it."""
    known = _declared(family).get(metric)
    return known.title if known else metric.replace("_", " ").capitalize()


def ordered(family: str, metrics: Iterable[str]) -> list[str]:
    """`metrics` in the order in which the family declares them, then those that it no longer has."""
    places = {metric: place for place, metric in enumerate(_declared(family))}
    return sorted(metrics, key=lambda metric: (places.get(metric, len(places)), metric))


@cache
def _declared(family: str) -> dict[str, families.Metric]:
    if family in families.names():
        return families.metrics(family)
    from spindlemark.reference.metrics import metrics  # here: only studies have other families

    return metrics().get(family, {})
