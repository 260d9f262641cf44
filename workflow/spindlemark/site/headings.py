"""Headings of experiments: the compared configuration, then the rest of its name, in words."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from spindlemark.analysis.findings import labels, question_list
from spindlemark.config import Library
from spindlemark.core.record import Part
from spindlemark.site import address


class Heading(NamedTuple):
    """`name`: the configuration, such as ext4+m0; `rest`: such as ext4, one edit of a file of 55.1 MB."""

    name: str
    rest: str


def of(family: str, name: Sequence[Part], settings: labels.Settings, libraries: Mapping[str, Library]) -> Heading:
    """The heading of an experiment by the parts of its name and its factors (name -> value).

    It is unique within a family, testbed and session. Without questions, the first part is the configuration.
    """
    questions = question_list.declared().get(family)
    compared = next(iter(questions.questions.values())).compare if questions else []
    parts = [
        _titled(part, family, libraries) for part in labels.parts(name, questions.words if questions else {}, settings)
    ]
    own = [part for part in parts if any(f"{part.factor}.".startswith(f"{name}.") for name in compared)] or parts[:1]
    return Heading(labels.configuration(own), labels.workload([part for part in parts if part not in own]))


def _titled(part: labels.Part, family: str, libraries: Mapping[str, Library]) -> labels.Part:
    """A library is called by its title."""
    known = libraries.get(part.text) if family == address.FIRST else None
    return part._replace(text=known.title, labelled=True) if known else part
