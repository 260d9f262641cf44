"""Which profiles declare what was measured: a release of everything can hold several."""

from collections.abc import Collection

from spindlemark import config
from spindlemark.core.errors import UserError
from spindlemark.core.record import Experiment
from spindlemark.measure import experiments


def of(registry: config.Registry, measured: Collection[Experiment], first: str) -> dict[str, list[str]]:
    """Profile -> the families of `measured` that it declares: profile `first`, then the shortest.

    An experiment counts for one profile only, and for none where no profile declares it any more.
    """
    left = {_without_machine(each): each.family for each in measured}
    testbeds = sorted({each.testbed for each in measured} & registry.testbeds.keys())
    found: dict[str, list[str]] = {}
    for name in sorted(registry.profiles, key=lambda name: (name != first, registry.profiles[name].budget_minutes)):
        declared = {identity for testbed in testbeds for identity in _declared(registry, name, testbed)}
        if families := {family for identity, family in left.items() if identity in declared}:
            found[name] = sorted(families)
        left = {identity: family for identity, family in left.items() if identity not in declared}
    return found


def _declared(registry: config.Registry, profile: str, testbed: str) -> set[str]:
    """The identities, without the machine, of a profile's experiments on a testbed; none where it cannot be planned."""
    try:
        return {spec.identity for spec in experiments.specs(registry, profile, testbed, read_machine=False)}
    except UserError:
        return set()


def _without_machine(experiment: Experiment) -> str:
    return experiment.model_copy(update={"fingerprint": {}}).identity()
