"""Known errors of a version for its pages: the errata of a release, and none for unreleased results."""

from itertools import groupby
from typing import Any

from spindlemark.analysis import errata
from spindlemark.analysis.findings import question_list
from spindlemark.analysis.format import number
from spindlemark.core import declared
from spindlemark.site.sources import Sources

Page = dict[str, Any]
NONE = "no value"


def build(sources: Sources) -> list[Page]:
    """One entry per erratum of the version, in the order of the file."""
    found = errata.of_release(sources.version, errata.read(sources.errata))
    return [
        {
            "name": name,
            "title": each.title,
            "family": question_list.title(each.family),
            "why": each.why,
            "instead": each.instead,
            "figures": _figures(each.family, figures),
        }
        for name, (each, figures) in found.items()
    ]


def _figures(family: str, figures: list[errata.Figure]) -> list[Page]:
    """The figures by testbed and quantity."""
    place = lambda figure: (figure.testbed, figure.quantity)  # noqa: E731
    return [
        {
            "testbed": testbed,
            "quantity": _title(family, quantity),
            "experiments": [
                {"name": one.experiment, "values": _values(family, quantity, one.values)} for one in together
            ],
        }
        for (testbed, quantity), together in groupby(sorted(figures, key=place), key=place)
    ]


def _title(family: str, quantity: str) -> str:
    """The title of a metric, or the name of a factor."""
    metric = declared.metrics(family).get(quantity)
    return metric.title if metric else quantity


def _values(family: str, quantity: str, values: list[float]) -> str:
    """Different values as readers see them; of those that read the same way, one is enough."""
    metric = declared.metrics(family).get(quantity)
    unit = metric.unit if metric else "B" if quantity.endswith("bytes") else "1"
    return ", ".join(dict.fromkeys(number(value, unit) for value in values)) or NONE
