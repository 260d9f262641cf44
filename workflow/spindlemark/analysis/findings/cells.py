"""Comparable: what was measured of configurations that may be compared, as findings see it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from spindlemark.analysis.findings.model import Absent
from spindlemark.core.declared import Caveat
from spindlemark.core.metric import Kind, Metric
from spindlemark.core.record import Better, Part, Scalar


@dataclass(frozen=True)
class Samples:
    """All counted values of one configuration under one metric, in the order of sessions and `repetitions`.

    `rounds`: samples measured close together have one name, empty where it is not known; `sessions`: of each sample, empty
    for what is published. `rounding`: of a number that was searched for, the share within
    which the search ended, at least one whole; None for everything else. `shortest`: seconds that a shorter time counts
    as; None: as declared for all. `kind`: None of a metric that nothing declares.
    """

    unit: str
    better: Better
    values: list[float]
    noisy: list[bool]
    repetitions: list[int]
    rounds: list[str]
    sessions: list[str]
    rounding: float | None = None
    shortest: float | None = None
    kind: Kind | None = None


@dataclass(frozen=True)
class Configuration:
    """One configuration of a group: `missing` repetitions left no sample, and `absent` says why.

    `seconds`: how long one repetition takes. `candidate`: whether the question may recommend it; the others are shown for
    comparison. `legacy`: why its filesystem is never recommended. `noted`: what every repetition found out, such as
    codec.setting.
    """

    name: str
    experiment: str
    identity: str
    missing: int
    absent: list[Absent]
    settings: dict[str, str]
    metrics: dict[str, Samples]
    limits: dict[str, dict[str, int]] = field(default_factory=dict)  # metric -> what ended its search -> repetitions
    seconds: float = 0.0
    candidate: bool = True
    legacy: str = ""
    noted: dict[str, str] = field(default_factory=dict)

    @property
    def failed(self) -> bool:
        """Whether the configuration itself failed at least once (an invalid repetition is the measurement's fault)."""
        return any(entry.status == "failed" for entry in self.absent)


class Session(NamedTuple):
    """A session and where it was measured; empty texts where it was not recorded."""

    name: str
    machine: str = ""
    kernel: str = ""


@dataclass(frozen=True)
class Comparable:
    """Identities that agree in every factor but those that the question compares, with the samples of all `sessions`.

    `shared`: the parts that all their names share, as ext4 and picture for two kernels. `workload`: those parts without
    what the question compares, and `library` the same as a name. `alike`: equal for groups that ask the same on another machine or
    at another time. `sides`: configuration -> testbed, where there are several. `own`: configuration -> the parts of its name that
    it says. `caveats` and `fields`: what the family declares, `fields` as field of its settings -> factor.
    """

    group: str
    testbed: str
    family: str
    library: str
    library_factors: dict[str, Scalar]
    conditions: dict[str, Scalar]
    configurations: list[Configuration] = field(default_factory=list)
    question: str = ""
    session: str = ""
    sessions: tuple["Session", ...] = ()
    shared: tuple[Part, ...] = ()
    workload: tuple[Part, ...] = ()
    own: Mapping[str, tuple[Part, ...]] = field(default_factory=dict)
    alike: str = ""
    baseline: str | None = None
    sides: dict[str, str] = field(default_factory=dict)
    declared: Mapping[str, Metric] = field(default_factory=dict)  # what the family's metrics mean, in its order
    caveats: Sequence[Caveat] = ()
    fields: Mapping[str, str] = field(default_factory=dict)

    @property
    def emulated(self) -> bool:
        """Whether the machine itself was emulated, down to its processor."""
        return self.conditions.get("machine.emulated") is True

    @property
    def device_kind(self) -> str:
        """The kind of the testbed."""
        return str(self.conditions.get("device.kind", ""))

    @property
    def device_bytes(self) -> int:
        """The size of the testbed's device; 0 if there is none."""
        size = self.conditions.get("device.bytes")
        return size if isinstance(size, int) else 0

    def samples(self, metric: str) -> list[Samples]:
        """The samples of each configuration that has any of a metric."""
        return [each.metrics[metric] for each in self.configurations if metric in each.metrics]

    @property
    def metrics(self) -> set[str]:
        """Every metric that any configuration has."""
        return {metric for each in self.configurations for metric in each.metrics}
