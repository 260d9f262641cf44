"""Differences between two versions (`versions/page.html`)."""

from pydantic import Field

from spindlemark.analysis.findings.model import Verdict
from spindlemark.site.models.base import Part


class Change(Part):
    """A result that both versions have."""

    family: str
    testbed: str
    library: str
    metric: str
    title: str
    configuration: str = Field(alias="subject")
    old: str
    old_n: int
    old_interval: str
    new: str
    new_n: int
    new_interval: str
    ratio: str
    size: float
    shared: bool
    changed: bool
    verdict: str


class NotCompared(Part):
    """How many results of a family and testbed have other conditions."""

    family: str
    testbed: str
    count: str


class MachineFact(Part):
    """A fact of a testbed in both versions."""

    label: str
    differs: bool
    old: str
    new: str


class Machine(Part):
    """A testbed in both versions."""

    testbed: str
    differs: bool
    facts: list[MachineFact]


class OnlyBase(Part):
    """Experiments of one base configuration."""

    base: str
    summary: str
    names: list[str]


class Only(Part):
    """Experiments that only one version has."""

    family: str
    testbed: str
    count: str
    bases: list[OnlyBase]


class Lead(Part):
    """A recommendation in one version."""

    verdict: Verdict
    names: str


class Advice(Part):
    """The recommendations of both versions."""

    family: str
    testbed: str
    library: str
    why: str = Field(description="what differs where the recommendation does; empty for the same one")
    old: Lead
    new: Lead


class Difference(Part):
    """A version compared with one older version."""

    version: str
    changed: list[Change]
    level: list[Change]
    level_count: int
    apart: list[NotCompared]
    apart_count: int
    compared: int
    machines: list[Machine]
    added: list[Only] = Field(description="only the newer version has them")
    removed: list[Only] = Field(description="only the older version has them")
    added_metrics: list[str]
    removed_metrics: list[str]
    advice: list[Advice]
