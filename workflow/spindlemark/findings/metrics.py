"""Metrics: their titles, from the family that measures them."""

import importlib
from functools import cache
from typing import Any


def title(family: str, metric: str) -> str:
    """The family's title of a metric; the metric's own name in words where the family no longer has it."""
    known = _declared(family).get(metric)
    return known.title if known else metric.rsplit("_", 1)[0].replace("_", " ").capitalize()


@cache
def _declared(family: str) -> dict[str, Any]:
    try:
        return importlib.import_module(f"spindlemark.families.{family}").METRICS
    except ModuleNotFoundError:
        return {}
