"""Experiments: each declared set, resolved into specs in which every default is filled in."""

import itertools
from collections.abc import Iterator
from typing import Any

from spindlemark import answerable, declare, factors, families, hosts, testbeds
from spindlemark.errors import ProfileError
from spindlemark.record import Experiment, Spec


def specs(registry: declare.Registry, profile: str, testbed: str | None = None) -> list[Spec]:
    """Every experiment that `profile` asks for, each once.

    `testbed` None: each set on its own testbeds, or on the configured one. Otherwise only what that testbed measures: the
    sets that name it; where no set of the profile names it, those that name none. What a testbed of another host measures
    is known there alone. Raises UserError naming file and key.
    """
    answerable.require_known(registry)
    found: dict[str, Spec] = {}
    try:
        for experiment in _declared(registry, profile, testbed):
            spec = Spec(identity=experiment.identity(), experiment=experiment)
            found.setdefault(spec.identity, spec)
    except ProfileError as error:
        raise error.of(profile) from None
    answerable.check(registry, (spec.experiment for spec in found.values()))
    return list(found.values())


def amount(profile: declare.Profile, experiment: Experiment) -> declare.Amount:
    """How much of the experiment's family is measured on its testbed."""
    return profile.on(experiment.testbed).amount(experiment.family)


def _declared(registry: declare.Registry, profile: str, testbed: str | None) -> Iterator[Experiment]:
    for family, declared in registry.experiments.items():
        for each in declared.sets:
            _known(each, family, registry)
            if each.profiles and profile not in each.profiles:
                continue
            for name in filter(lambda name: hosts.is_here(registry.testbeds[name]), _testbeds(each, registry, profile, testbed)):
                yield from _product(family, each, name, registry, registry.profiles[profile].on(name))


def _known(each: declare.Set, family: str, registry: declare.Registry) -> None:
    where = f"config/experiments/{family}.yaml: sets"
    for name in each.testbeds:
        declare.choose(registry.testbeds, name, "testbed", where)
    for name in each.profiles:
        declare.choose(registry.profiles, name, "profile", where)


def _testbeds(each: declare.Set, registry: declare.Registry, profile: str, asked: str | None) -> list[str]:
    if asked is None:
        return each.testbeds or [registry.config.testbed]
    named = any(asked in other.testbeds for e in registry.experiments.values() for other in e.sets
                if not other.profiles or profile in other.profiles)
    if asked == registry.config.testbed:
        return [asked] if not each.testbeds or asked in each.testbeds else []
    return [asked] if (asked in each.testbeds if named else not each.testbeds) else []


def _product(family: str, each: declare.Set, testbed_name: str, registry: declare.Registry,
             profile: declare.Profile) -> Iterator[Experiment]:
    testbed = registry.testbeds[testbed_name]
    size = int(testbed.image_size or profile.amount(family).image_size)
    for values in itertools.product(*each.factors.values()):
        chosen = dict(zip(each.factors, values, strict=True))
        choice = factors.Choice(chosen, registry, profile, testbed, f"config/experiments/{family}.yaml")
        resolved = _resolved(family, choice, size)
        yield Experiment(
            family=family, testbed=testbed_name, experiment=factors.slug(family, choice), factors=resolved,
            method=families.method(family), fingerprint=fingerprint(family, testbed_name, resolved, size, registry))


def _resolved(family: str, choice: factors.Choice, size: int) -> dict[str, Any]:
    """Every factor with every default filled in."""
    own = {name: value for name, value in choice.chosen.items() if name not in factors.of(family)}
    return factors.resolve(family, choice) | families.factors(family, own, choice.profile.amount(family).scale, size)


def fingerprint(family: str, testbed: str, resolved: dict[str, Any], size: int, registry: declare.Registry
                ) -> dict[str, Any]:
    """What of this machine may change the number of an experiment on `size` bytes; see testbeds.fingerprint."""
    return testbeds.fingerprint(testbed, registry.testbeds[testbed], size, factors.tools(family, resolved, registry),
                                factors.modules(family, resolved))
