"""Experiments: each declared set, resolved into specs in which every default is filled in."""

import itertools
from collections.abc import Iterator
from typing import Any

from spindlemark import declare, families, media, testbeds
from spindlemark.errors import UserError
from spindlemark.record import Experiment, Spec

DEFAULT = "default"
# Inodes asked for, as a multiple of what the library needs: room to grow, as source 001 left it.
INODES_MARGIN = 1.5
INODES = "{inodes}"


def specs(registry: declare.Registry, profile: str, testbed: str | None = None) -> list[Spec]:
    """Every experiment that `profile` asks for, each once.

    `testbed` None: each set on its own testbeds, or on the configured one. Otherwise only what that testbed measures: the
    sets that name it; where no set of the profile names it, those that name none. Raises UserError naming file and key.
    """
    found: dict[str, Spec] = {}
    for family, declared in registry.experiments.items():
        for each in declared.sets:
            _known(each, family, registry)
            if each.profiles and profile not in each.profiles:
                continue
            for name in _testbeds(each, registry, profile, testbed):
                for experiment in _product(family, each, name, registry, registry.profiles[profile].on(name)):
                    spec = Spec(identity=experiment.identity(), experiment=experiment)
                    found.setdefault(spec.identity, spec)
    return list(found.values())


def amount(profile: declare.Profile, experiment: Experiment) -> declare.Amount:
    """How much of the experiment's family is measured on its testbed."""
    return profile.on(experiment.testbed).amount(experiment.family)


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
    where = f"config/experiments/{family}.yaml"
    size = int(testbed.image_size or profile.amount(family).image_size)
    for values in itertools.product(*each.factors.values()):
        chosen = dict(zip(each.factors, values, strict=True))
        if "filesystem" not in chosen:
            raise UserError(f"{where}: sets: factors: filesystem: is missing", "name at least one filesystem")
        if family == families.LIBRARIES and "library" not in chosen:
            raise UserError(f"{where}: sets: factors: library: is missing", "name at least one library")
        filesystem, factors = _resolved(family, registry, profile, testbed, chosen, size, where)
        yield Experiment(
            family=family, testbed=testbed_name, experiment=_slug(chosen, testbed), factors=factors,
            method=families.method(family),
            fingerprint=testbeds.fingerprint(testbed_name, testbed, size, filesystem, families.tools(family)))


def _slug(chosen: dict[str, str], testbed: declare.Testbed) -> str:
    """The configuration first, as ext4+m0@bfq: it is what is compared; the rest says with what."""
    scheduler = chosen.get("scheduler", testbed.scheduler)
    configuration = chosen["filesystem"] + (f"@{scheduler}" if scheduler != testbed.scheduler else "")
    return "--".join([configuration, *(v for k, v in chosen.items() if k not in ("filesystem", "scheduler"))])


def _resolved(family: str, registry: declare.Registry, profile: declare.Profile, testbed: declare.Testbed,
              chosen: dict[str, str], size: int, where: str) -> tuple[declare.Filesystem, dict[str, Any]]:
    """The filesystem's registry entry, and every factor with every default filled in."""
    library = _library(registry, profile, chosen["library"], where) if "library" in chosen else None
    filesystem, settings = _filesystem(registry, chosen["filesystem"], library, where)
    scheduler = chosen.get("scheduler", testbed.scheduler)
    if scheduler not in declare.SCHEDULERS:
        raise UserError(f"{where}: no scheduler is called {scheduler!r}", f"there are: {', '.join(declare.SCHEDULERS)}")
    own = {k: v for k, v in chosen.items() if k not in ("filesystem", "scheduler", "library")}
    return filesystem, {
        "filesystem": settings, **({"library": library} if library else {}), "scheduler": scheduler,
        **families.factors(family, own, profile.amount(family).scale, size)}


def _library(registry: declare.Registry, profile: declare.Profile, name: str, where: str) -> dict[str, Any]:
    library = declare.choose(registry.libraries, name, "library", where)
    scale = declare.choose(profile.libraries, name, "library", "config/profiles/: libraries")
    return media.resolve(name, library, scale, profile.content, registry.config.seed)


def _filesystem(registry: declare.Registry, value: str, library: dict[str, Any] | None,
                where: str) -> tuple[declare.Filesystem, dict[str, Any]]:
    name, _, variant = value.partition("+")
    filesystem = declare.choose(registry.filesystems, name, "filesystem", where)
    variant = variant or DEFAULT
    if variant != DEFAULT:
        declare.choose(filesystem.variants, variant, f"variant of {name}", where)
    options = filesystem.options(variant)
    return filesystem, {
        "name": name, "module": filesystem.module, "variant": variant,
        "mkfs": [*filesystem.mkfs, *_with_inodes(options.mkfs, library, value, where)],
        "mount": options.mount, "preallocate": options.preallocate, "check": filesystem.check}


def _with_inodes(words: list[str], library: dict[str, Any] | None, value: str, where: str) -> list[str]:
    if INODES not in words:
        return words
    if library is None:
        raise UserError(f"{where}: {value} makes as many inodes as a library needs, and there is no library here",
                        "choose another variant, or add the factor library")
    inodes = round(INODES_MARGIN * media.needed_inodes(library))
    return [str(inodes) if word == INODES else word for word in words]
