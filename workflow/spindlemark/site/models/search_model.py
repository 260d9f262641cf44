"""The index of the page Search (`search/page.html`)."""

from typing import Literal

from spindlemark.site.models.base import Part


class Found(Part):
    """A page, or a part of one, that can be found by the words of its title."""

    title: str
    path: str
    kind: Literal["Answer", "Question", "Page", "Study", "Metric", "Term", "Experiment"]
