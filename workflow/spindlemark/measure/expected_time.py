"""First guesses of how long a repetition takes that was never measured here."""

from typing import Any

from spindlemark import config
from spindlemark.core.record import Experiment
from spindlemark.families import registry as families
from spindlemark.measure import experiments

# The start, and each GiB that is copied, checked and deleted.
START_SECONDS = 2.0
SECONDS_PER_GIB = 1.5
# Factors by kind of testbed: emulated processors do everything slowly (tried: 46 s for the pictures); a disk with heads
# only what is moved, at about 40 MB/s with its seeks (tried: 105 s for a library of 1.3 GB, which is copied once and
# read several times).
SLOWER = {"vm": 4.5}
SLOWER_MOVING = {"disk_model": 18.0}


def guess(family: str, factors: dict[str, Any], size: int, kind: str) -> float:
    """Expected seconds of one repetition on a device of `size` bytes, on a testbed of this kind."""
    own, moved = families.expected(family, factors, size)
    moving = SECONDS_PER_GIB * SLOWER_MOVING.get(kind, 1) * moved / 2**30
    return (START_SECONDS + own + moving) * SLOWER.get(kind, 1)


def declared(experiment: Experiment, registry: config.Registry, profile: config.Profile) -> float:
    """The same from declarations alone, so that all machines agree."""
    testbed = registry.testbeds[experiment.testbed]
    size = int(testbed.image_size or experiments.amount(profile, experiment).image_size or 0)
    return guess(experiment.family, experiment.factors, size, testbed.kind)
