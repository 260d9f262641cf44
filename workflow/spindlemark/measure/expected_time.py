"""First guesses of how long a repetition takes that was never measured here."""

from typing import Any

from spindlemark import config
from spindlemark.core.record import Experiment
from spindlemark.families import registry as families
from spindlemark.measure import experiments

# The start, and each GiB that is copied, checked and deleted.
START_SECONDS = 2.0
SECONDS_PER_GIB = 1.5
EMULATED = 3.0  # factor by which emulated processors are slower at starting programs


def guess(family: str, factors: dict[str, Any], size: int, emulated: bool) -> float:
    """Expected seconds of one repetition on a device of `size` bytes."""
    own, moved = families.expected(family, factors, size)
    return (START_SECONDS + own + SECONDS_PER_GIB * moved / 2**30) * (EMULATED if emulated else 1)


def declared(experiment: Experiment, registry: config.Registry, profile: config.Profile) -> float:
    """The same from declarations alone, so that all machines agree: virtual machines count as emulated."""
    testbed = registry.testbeds[experiment.testbed]
    size = int(testbed.image_size or experiments.amount(profile, experiment).image_size or 0)
    return guess(experiment.family, experiment.factors, size, testbed.kind == "vm")
