"""Experiments: each declared set, resolved into specs in which every default is filled in."""

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


def specs(registry: config.Registry, profile: str, testbed: str | None = None) -> list[Spec]:
    """Every experiment that `profile` asks for, each once.

    `testbed` None: each set on its own testbeds, or on the configured one. Otherwise only what that testbed measures: the
    sets that name it; where no set of the profile names it, those that name a network which it can stand in for; where there
    are none of those either, those that name no testbed. What a testbed of another host measures
    is known there alone. Raises UserError naming file and key.
    """
    question_checks.require_known(registry)
    found: dict[str, Spec] = {}
    try:
        for experiment in _declared(registry, profile, testbed):
            spec = Spec(identity=experiment.identity(), experiment=experiment)
            found.setdefault(spec.identity, spec)
    except ProfileError as error:
        raise error.of(profile) from None
    question_checks.check(registry, (spec.experiment for spec in found.values()))
    return list(found.values())


def amount(profile: config.Profile, experiment: Experiment) -> config.Amount:
    """How much of the experiment's family is measured on its testbed."""
    return profile.on(experiment.testbed).amount(experiment.family)


def _declared(registry: config.Registry, profile: str, testbed: str | None) -> Iterator[Experiment]:
    for family, declared in registry.experiments.items():
        for each in declared.sets:
            _known(each, family, registry)
            if each.profiles and profile not in each.profiles:
                continue
            for name in filter(
                lambda name: hosts.is_here(registry.testbeds[name]), _testbeds(each, registry, profile, testbed)
            ):
                yield from _product(family, each, name, registry, registry.profiles[profile].on(name))


def _known(each: config.Set, family: str, registry: config.Registry) -> None:
    where = f"config/experiments/{family}.yaml: sets"
    for name in each.testbeds:
        config.choose(registry.testbeds, name, "testbed", where)
    for name in each.profiles:
        config.choose(registry.profiles, name, "profile", where)


def _testbeds(each: config.Set, registry: config.Registry, profile: str, asked: str | None) -> list[str]:
    """The testbeds that measure a set."""
    if asked is None:
        found = each.testbeds or [registry.config.testbed]
    else:
        found = [asked] if each.testbeds in _naming(asked, registry, profile) else []
    return [name for name in found if not each.kinds or registry.testbeds[name].kind in each.kinds]


def _naming(asked: str, registry: config.Registry, profile: str) -> list[list[str]]:
    """How a set names its testbeds that is to be measured on the one that was asked for: in one of these ways."""
    named = [
        each.testbeds
        for declared in registry.experiments.values()
        for each in declared.sets
        if not each.profiles or profile in each.profiles
    ]
    if asked == registry.config.testbed:
        return [[], *(beds for beds in named if asked in beds)]
    bed = registry.testbeds[asked]
    exactly = [beds for beds in named if asked in beds]
    like = [beds for beds in named if any(_stands_in(bed, registry.testbeds[name]) for name in beds)]
    return exactly or like or [[]]


def _stands_in(bed: config.Testbed, other: config.Testbed) -> bool:
    """Whether what is declared for one network can be measured on another: it has a disk where that one has."""
    return (
        isinstance(bed, config.Network)
        and isinstance(other, config.Network)
        and (other.storage is None or bed.storage is not None)
    )


def _product(
    family: str, each: config.Set, testbed_name: str, registry: config.Registry, profile: config.Profile
) -> Iterator[Experiment]:
    testbed = registry.testbeds[testbed_name]
    size = int(testbed.image_size or profile.amount(family).image_size or 0)
    for values in itertools.product(*each.factors.values()):
        chosen = dict(zip(each.factors, values, strict=True))
        choice = Choice(chosen, registry, profile, testbed, f"config/experiments/{family}.yaml")
        resolved, name = _resolved(family, choice, size), factors.name_parts(family, choice)
        yield Experiment(
            family=family,
            testbed=testbed_name,
            experiment=join_parts(name),
            configuration=name[0],
            workload=name[1:],
            factors=resolved,
            method=families.method(family),
            fingerprint=fingerprint(family, testbed_name, resolved, size, registry),
        )


def _resolved(family: str, choice: Choice, size: int) -> dict[str, Any]:
    """Every factor with every default filled in."""
    own = {name: value for name, value in choice.chosen.items() if name not in factors.of(family)}
    return factors.resolve(family, choice) | families.factors(family, own, choice.profile.amount(family).scale, size)


def fingerprint(
    family: str, testbed: str, resolved: dict[str, Any], size: int, registry: config.Registry
) -> dict[str, Any]:
    """What of this machine may change the number of an experiment on `size` bytes; see testbeds/fingerprint.py."""
    return testbed_fingerprint.of(
        testbed,
        registry.testbeds[testbed],
        size,
        factors.tools(family, resolved, registry),
        factors.modules(family, resolved),
    )
