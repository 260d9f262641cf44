"""What a benchmark family is: the module `family` of each folder here ends with `FAMILY = Family(...)`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from spindlemark.core.declared import Caveat
from spindlemark.core.metric import Metric
from spindlemark.core.record import Closed
from spindlemark.families.factors.factor import Factor
from spindlemark.harness.repetition import Repetition

Versions = Mapping[str, tuple[str, ...]]  # package -> command that prints its version


@dataclass(frozen=True, kw_only=True)
class Family:
    """A group of experiments with one procedure.

    `steps` measures one repetition. `expected(factors, size)` is a first guess of how long it takes on `size` bytes:
    seconds however fast the device is, and bytes moved. A developer raises `method` when the measurement itself changes;
    earlier results are then measured again.

    `shared` are the factors that it has in common with other families (see `families/factors/`).
    `factors(chosen, scale, size)` resolves its own ones, from what a set chose and from the `scale` that a profile gives
    it; both are None for a family without any.
    Its numbers depend on the versions of `tools`. `unpacked` programs are unpacked instead of installed (see
    core/process/unpacked.py), `built` ones are built from this project's sources. `recipe(settings)` returns the shell
    lines that reproduce a configuration, from its factors and the environment fields `noted`. `most_repetitions(factors)` limits
    the repetitions of a profile for an experiment that lasts long; None: no limit. `caveats` say what limits its results,
    and `units` maps columns of its attachments to units. `sometimes` names parts of its factors that only some experiments have.
    """

    method: int
    metrics: Mapping[str, Metric]
    steps: Callable[[Repetition], None]
    expected: Callable[[dict[str, Any], int], tuple[float, float]]
    shared: tuple[Factor, ...] = ()
    scale: type[Closed] | None = None
    factors: Callable[[dict[str, str], Any, int], dict[str, Any]] | None = None
    tools: Versions = field(default_factory=dict)
    unpacked: tuple[str, ...] = ()
    built: tuple[str, ...] = ()
    recipe: Callable[[Mapping[str, str]], list[str]] = lambda settings: []
    noted: tuple[str, ...] = ()
    most_repetitions: Callable[[Mapping[str, Any]], int | None] = lambda factors: None
    caveats: tuple[Caveat, ...] = ()
    units: Mapping[str, str] = field(default_factory=dict)
    sometimes: tuple[str, ...] = ()
