"""Metrics: the meaning of the numbers in a record."""

from typing import Literal

from pydantic import Field, model_validator

from spindlemark.core import formula
from spindlemark.core.record import Better, Closed

Kind = Literal["time", "size", "rate", "bitrate", "count", "searched", "estimated", "ratio", "density", "quality"]
Moves = Literal["written", "read"]
Work = Literal["written", "read", "writes", "reads", "cpu"]
# What there is to say apart from a comparison, see analysis/findings/observations.py.
Topic = Literal["inodes created", "inodes needed", "reserved space", "format time"]
UNITS: dict[Kind, tuple[str, ...]] = {
    "time": ("s",),
    "size": ("B",),
    "rate": ("B/s", "1/s"),
    "bitrate": ("bit/s",),
    "count": ("1",),
    "searched": ("1",),
    "estimated": ("1",),
    "ratio": ("1",),
    "density": ("1",),
    "quality": ("levels", "dB", "points"),
}
COUNTS: tuple[Kind, ...] = ("count", "searched")
TIMED: tuple[Kind, ...] = ("time", "rate", "searched", "estimated")  # kinds that other work on the machine disturbs


def kind_of_unit(unit: str) -> Kind | None:
    """The kind that a unit implies; None for 1, which several kinds have, and for an unknown unit."""
    kinds: list[Kind] = [kind for kind, units in UNITS.items() if unit in units]
    return kinds[0] if len(kinds) == 1 else None


class Metric(Closed):
    """What a number means. Later stages read it here and never from the metric's name."""

    title: str
    unit: str = Field(description="s, B, 1, B/s, 1/s, bit/s, levels, dB, points")
    better: Better
    description: str
    kind: Kind = Field(
        default="count",
        description=(
            "what the number is: searched is the largest number that a search found, estimated one that was interpolated, "
            "density a number per amount, "
            "bitrate the size of a stream per second of content; without it, the unit decides"
        ),
    )
    step: str | None = Field(
        default=None,
        description="of a timed number: the step in which it was measured, whose gates mark it as noisy; null: any step",
    )
    work: Work | None = Field(
        default=None,
        description="of a number that counts work instead of time: bytes written or read, requests, or processor time",
    )
    timed_by: str | None = Field(default=None, description="of a rate: the metric of its time")
    limited_by: str | None = Field(
        default=None, description="of a searched number: the environment field with the reason why the search ended"
    )
    most: str | None = Field(
        default=None,
        description="of a searched number: the factor with the largest number that is tried; reaching it means at least so many",
    )
    resolution: str | None = Field(
        default=None,
        description="of a count: the factor with the share within which a search found it; null: it is exact to one",
    )
    failed: str | None = Field(
        default=None,
        description="of a searched number: the metric of the smallest number that failed, which is 0 where none did",
    )
    shortest_seconds: float | None = Field(
        default=None,
        ge=0,
        description=(
            "of a time: a shorter one counts as this long, because the overhead of the clock dominates it; null: the value "
            "for commands in config/recommendations.yaml"
        ),
    )
    by_chance: str | None = Field(
        default=None,
        description="why the number is a matter of chance, so that no ratio is reported; null if it is not",
    )

    formula: str | None = Field(
        default=None,
        description="how the number follows from the rest of its record, see core/formula.py; null: measured",
    )
    projected: bool = Field(
        default=False,
        description="of a time: it is for more than was done, so that it may be longer than the repetition",
    )
    of_device: bool = Field(
        default=False, description="of a size: a part of the device, so a larger one than the device is an error"
    )
    moves: Moves | None = Field(
        default=None,
        description=(
            "of a rate in B/s, or of a number of streams: what the device does with every byte, so that a number beyond its "
            "declared limit is an error; null: some bytes may not reach the device"
        ),
    )
    each: str | None = Field(
        default=None,
        description="of a number of streams that the device moves: the factor with the bytes per second of one",
    )
    exact: str | None = Field(
        default=None,
        description=(
            "of a time or rate: why repetitions may give exactly the same number, for example because it counts whole "
            "frames; null: the same number three times is an error"
        ),
    )
    topic: Topic | None = Field(default=None, description="the observation that the number is for; null: none")

    @model_validator(mode="before")
    @classmethod
    def _kind_of_unit(cls, given: dict) -> dict:
        if "kind" in given:
            return given
        kind = kind_of_unit(given.get("unit", ""))
        if kind is None:
            raise ValueError("kind is missing, and the unit does not imply it")
        return {**given, "kind": kind}

    @model_validator(mode="after")
    def _is_consistent(self) -> "Metric":
        if self.unit not in UNITS[self.kind]:
            raise ValueError(f"kind {self.kind} has the unit {' or '.join(UNITS[self.kind])}, and not {self.unit!r}")
        if self.step is not None and self.kind not in TIMED:
            raise ValueError(f"kind {self.kind} is not timed, so it has no step")
        if self.timed_by is not None and self.kind != "rate":
            raise ValueError(f"kind {self.kind} is not a rate, so it has no time")
        if self.resolution is not None and self.kind not in COUNTS:
            raise ValueError(f"kind {self.kind} is not a count, so it has no resolution")
        if self.of_device and self.kind != "size":
            raise ValueError(f"kind {self.kind} is not a size, so it is not a part of the device")
        if self.projected and self.kind != "time":
            raise ValueError(f"kind {self.kind} is not a time, so it is not projected")
        if (self.each is not None) != (self.moves is not None and self.kind in COUNTS):
            raise ValueError("a number of streams that the device moves has both moves and each; a rate only moves")
        if self.formula is not None:
            formula.parse(self.formula)
        return self

    @model_validator(mode="after")
    def _is_checkable(self) -> "Metric":
        if self.most is not None and (self.kind != "searched" or self.limited_by is None):
            raise ValueError("most belongs to a searched number with limited_by")
        if self.moves is not None and self.each is None and self.unit != "B/s":
            raise ValueError(f"unit {self.unit} is not B/s, so the device does not move it")
        if self.exact is not None and self.kind not in ("time", "rate"):
            raise ValueError(f"kind {self.kind} is not a time or rate, so it needs no reason to be exact")
        return self


OWN_CLOCK = 0.02  # shortest_seconds of a time from the program's own clock, without the start of a process
OF_MANY = (
    0.0  # shortest_seconds of a mean or quantile over many operations, such as a latency: they were timed together
)
