"""Known errors in the figures of a release (`data/page.html`); the banner of each page counts them."""

from spindlemark.site.models.base import Part


class WrongExperiment(Part):
    """One experiment with its wrong values, written with their unit."""

    name: str
    values: str


class WrongFigures(Part):
    """Wrong figures of one quantity in several experiments of a testbed."""

    testbed: str
    quantity: str
    experiments: list[WrongExperiment]


class Erratum(Part):
    """One error: what is wrong, why, and what replaces it."""

    name: str
    title: str
    family: str
    why: str
    instead: str
    figures: list[WrongFigures]
