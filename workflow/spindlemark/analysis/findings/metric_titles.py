"""Metrics: their titles and order, from the family that measures them, or the studies that publish them."""

from collections.abc import Iterable
from functools import cache

from spindlemark.families import registry as families


def title(family: str, metric: str) -> str:
    """The family's title of a metric; the metric's own name in words where the family no longer has it."""
    known = _declared(family).get(metric) or _published(family).get(metric)
    return known.title if known else metric.replace("_", " ").capitalize()


def chance(family: str, metric: str) -> str | None:
    """What makes a metric chance, in the family's words; None where it is none."""
    known = _declared(family).get(metric)
    return known.by_chance if known else None


def ordered(family: str, metrics: Iterable[str]) -> list[str]:
    """`metrics` in the order in which the family declares them, then those that it no longer has."""
    places = {metric: place for place, metric in enumerate(_declared(family) or _published(family))}
    return sorted(metrics, key=lambda metric: (places.get(metric, len(places)), metric))


@cache
def _declared(family: str) -> dict[str, families.Metric]:
    return families.metrics(family) if family in families.names() else {}


@cache
def _published(family: str) -> dict[str, families.Metric]:
    from spindlemark.analysis.studies.published_metrics import (
        metrics,  # here: only studies have other families and metrics
    )

    return metrics().get(family, {})
