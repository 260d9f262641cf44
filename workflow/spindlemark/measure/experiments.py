"""Experiments: resolve each declared set into specs in which every default is filled in."""

import itertools
from collections.abc import Iterator
from typing import Any

from spindlemark import config
from spindlemark.core.errors import ProfileError
from spindlemark.core.record import Experiment, Spec, join_parts
from spindlemark.families import registry as families
from spindlemark.families import shared_factors as factors
from spindlemark.families.factors.factor import Choice
from spindlemark.measure import question_checks
from spindlemark.testbeds import fingerprint as testbed_fingerprint
from spindlemark.testbeds import hosts


def specs(registry: config.Registry, profile: str, testbed: str | None = None, read_machine: bool = True) -> list[Spec]:
    """Every experiment of `profile`, each once. Without `read_machine`, identities lack the properties of the machine.

    `testbed` None: each set on its own testbeds, or on the configured one. Otherwise only the experiments of that
    testbed: the sets that name it; if no set of the profile names it, those that name a network which it can replace;
    if there are none either, those that name no testbed. Experiments on other hosts are planned only there. Raises
    UserError naming file and key.
    """
    question_checks.require_known(registry)
    found: dict[str, Spec] = {}
    try:
        for experiment in _declared(registry, profile, testbed, read_machine):
            spec = Spec(identity=experiment.identity(), experiment=experiment)
            found.setdefault(spec.identity, spec)
    except ProfileError as error:
        raise error.of(profile) from None
    question_checks.check(registry, (spec.experiment for spec in found.values()))
    return list(found.values())


def amount(profile: config.Profile, experiment: Experiment) -> config.Amount:
    """How much the profile measures of the experiment on its testbed: as of its family, or fewer repetitions of a long one."""
    return limited(profile.on(experiment.testbed).amount(experiment.family), experiment)


def limited(found: config.Amount, experiment: Experiment) -> config.Amount:
    """The amount of a family, with fewer repetitions where the experiment lasts long."""
    most = families.most_repetitions(experiment.family, experiment.factors)
    return found if most is None else found.model_copy(update={"repetitions": min(most, found.repetitions or 0)})


def _declared(registry: config.Registry, profile: str, testbed: str | None, read_machine: bool) -> Iterator[Experiment]:
    for family, declared in registry.experiments.items():
        for each in declared.sets:
            _known(each, family, registry)
            if each.profiles and profile not in each.profiles:
                continue
            for name in filter(
                lambda name: hosts.is_here(registry.testbeds[name]), _testbeds(each, registry, profile, testbed)
            ):
                yield from _product(family, each, name, registry, registry.profiles[profile].on(name), read_machine)


def _known(each: config.Set, family: str, registry: config.Registry) -> None:
    where = f"config/experiments/{family}.yaml: sets"
    for name in each.testbeds:
        config.choose(registry.testbeds, name, "testbed", where)
    for name in each.profiles:
        config.choose(registry.profiles, name, "profile", where)


def _testbeds(each: config.Set, registry: config.Registry, profile: str, requested: str | None) -> list[str]:
    """The testbeds that measure a set."""
    if requested is None:
        found = each.testbeds or [registry.config.testbed]
    else:
        found = [requested] if each.testbeds in _naming(requested, registry, profile) else []
    return [name for name in found if not each.kinds or registry.testbeds[name].kind in each.kinds]


def _naming(requested: str, registry: config.Registry, profile: str) -> list[list[str]]:
    """The lists of testbeds of the sets that are measured on the requested one."""
    named = [
        each.testbeds
        for declared in registry.experiments.values()
        for each in declared.sets
        if not each.profiles or profile in each.profiles
    ]
    if requested == registry.config.testbed:
        return [[], *(beds for beds in named if requested in beds)]
    bed = registry.testbeds[requested]
    exactly = [beds for beds in named if requested in beds]
    similar = [beds for beds in named if any(_can_replace(bed, registry.testbeds[name]) for name in beds)]
    return exactly or similar or [[]]


def _can_replace(bed: config.Testbed, other: config.Testbed) -> bool:
    """Whether a network can measure what is declared for another one: it needs a disk if that one has one."""
    return (
        isinstance(bed, config.Network)
        and isinstance(other, config.Network)
        and (other.storage is None or bed.storage is not None)
    )


def _product(
    family: str,
    each: config.Set,
    testbed_name: str,
    registry: config.Registry,
    profile: config.Profile,
    read_machine: bool,
) -> Iterator[Experiment]:
    testbed = registry.testbeds[testbed_name]
    amount = profile.amount(family)
    size = int(testbed.image_size or amount.image_size or 0)
    for values in itertools.product(*each.factors.values()):
        chosen = dict(zip(each.factors, values, strict=True))
        choice = Choice(chosen, registry, profile, testbed, f"config/experiments/{family}.yaml")
        resolved, name = _resolved(family, choice, amount.scale, size), factors.name_parts(family, choice)
        yield Experiment(
            family=family,
            testbed=testbed_name,
            experiment=join_parts(name),
            configuration=name[0],
            workload=name[1:],
            factors=resolved,
            method=families.method(family),
            fingerprint=fingerprint(family, testbed_name, resolved, size, registry) if read_machine else {},
        )


def _resolved(family: str, choice: Choice, scale: dict[str, Any], size: int) -> dict[str, Any]:
    """Every factor with every default filled in."""
    own = {name: value for name, value in choice.chosen.items() if name not in factors.of(family)}
    return factors.resolve(family, choice) | families.factors(family, own, scale, size)


def fingerprint(
    family: str, testbed: str, resolved: dict[str, Any], size: int, registry: config.Registry
) -> dict[str, Any]:
    """Properties of this machine that may change a number of an experiment on `size` bytes; see testbeds/fingerprint.py."""
    return testbed_fingerprint.of(
        testbed,
        registry.testbeds[testbed],
        size,
        factors.tools(family, resolved, registry),
        factors.modules(family, resolved),
    )
