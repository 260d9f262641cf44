"""Families of experiments: each folder here with a module `family` is one, found by its name.

It has METHOD, METRICS, steps(session) and expected(factors, size), a first guess of how long they take; TOOLS, if its
numbers depend on a tool's version; UNPACKED, names of the programs that are never installed (see
`spindlemark.core.process.unpacked`), if it starts such, and BUILT, those that are built from sources of ours (see
`spindlemark.families.aaf_scale.build`); FACTORS, the names of those in `spindlemark.families.factors` that it shares with others; and
Scale with factors(), if it has factors of its own; recipe(settings), the lines that reproduce a subject.
"""

import pkgutil
from collections.abc import Collection, Mapping
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from pydantic import Field, ValidationError

from spindlemark import families
from spindlemark.core.errors import ProfileError, UserError
from spindlemark.core.limits import key_of, message, shown
from spindlemark.core.record import Better, Closed


class Metric(Closed):
    """What a number means; its name ends in its unit."""

    title: str
    unit: str = Field(description="s, B, 1, B/s, 1/s, bit/s, levels, dB, points")
    better: Better
    description: str
    shortest_seconds: float | None = Field(
        default=None,
        ge=0,
        description=(
            "of a time: what a shorter one counts as, since it measures the clock's surroundings; null: as "
            "config/recommendations.yaml declares it for commands"
        ),
    )
    by_chance: str | None = Field(
        default=None, description="what makes it chance, so that no ratio of it is said; null where it is none"
    )


OWN_CLOCK = 0.02  # shortest_seconds of a program's own clock around one call: no start of a process is in it
OF_MANY = 0.0  # of a time that many operations share, as a latency or that of a frame: what was timed is all of them
LIBRARIES = "filesystem_lifecycle"  # the family whose workloads are the media libraries


def work(part: str, title: str, what: str, shortest_seconds: float | None = None) -> dict[str, Metric]:
    """Metrics of what a part of a repetition asked of device and processors; see Session.measure_work.

    `title` is the part's, `what` says which commands it is, `shortest_seconds` is that of their processor time. They hardly
    scatter, and explain where time went.
    """
    cpu = "user and system time of the commands, without that of kernel threads"
    return {
        f"{part}_{name}": Metric(
            title=f"{title}: {of}",
            unit=unit,
            better="lower",
            description=f"{means}: {what}",
            shortest_seconds=shortest_seconds if unit == "s" else None,
        )
        for name, unit, of, means in (
            ("device_reads_count", "1", "read requests", "requests to read that the device was asked for"),
            ("device_writes_count", "1", "write requests", "requests to write that the device was asked for"),
            ("device_read_bytes", "B", "bytes read", "bytes that the device read"),
            ("device_written_bytes", "B", "bytes written", "bytes that the device wrote"),
            ("cpu_seconds", "s", "processor time", cpu),
        )
    }


@cache
def names() -> tuple[str, ...]:
    """The families there are; looked for once, since a plan of thousands of experiments asks for each."""
    return tuple(
        sorted(
            module.name
            for module in pkgutil.iter_modules(families.__path__)
            if module.ispkg and module.name not in ("factors", "shared")
        )
    )


@cache
def get(name: str) -> ModuleType:
    """The module of a family; raises UserError when there is none."""
    if name not in names():
        raise UserError(f"no family is called {name!r}", f"there are: {', '.join(names())}")
    return import_module(f"spindlemark.families.{name}.family")


def method(name: str) -> int:
    """The number that a developer raises when the family's measurement itself changes."""
    return get(name).METHOD


def metrics(name: str) -> dict[str, Metric]:
    """What the family measures, by metric name."""
    return get(name).METRICS


def tools(name: str) -> dict[str, tuple[str, ...]]:
    """Package -> command that prints its version, of the tools that the family measures with."""
    return getattr(get(name), "TOOLS", {})


def unpacked(name: str | None = None) -> set[str]:
    """Programs that the family starts and that are unpacked instead of installed; without a name, those of all."""
    return {program for family in ([name] if name else names()) for program in getattr(get(family), "UNPACKED", ())}


def built(name: str) -> tuple[str, ...]:
    """Programs that the family starts and that are built from sources of this project."""
    return getattr(get(name), "BUILT", ())


def recipe(name: str, settings: Mapping[str, str]) -> list[str]:
    """The family's own lines of what reproduces a subject, from its factors as text; none for a family that is not here."""
    return getattr(get(name), "recipe", lambda _: [])(settings) if name in names() else []


def factors(name: str, chosen: Mapping[str, str], scale: Mapping[str, Any], size: int) -> dict[str, Any]:
    """The family's own factors, resolved: what was `chosen` of them, at the profile's `scale`, on `size` bytes.

    Raises ProfileError when the scale does not fit the family, UserError when the choice does not, both naming the key.
    """
    module = get(name)
    if not hasattr(module, "Scale"):
        for key in chosen:
            raise UserError(
                f"config/experiments/{name}.yaml: sets: factors: unknown key {key}",
                "remove it: the family has no such factor",
            )
        for key in scale:
            raise ProfileError(
                f"families.{name}.scale: unknown key {key}", "remove it: the family has no measure of its own"
            )
        return {}
    try:
        measure = module.Scale.model_validate(scale)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = key_of(("families", name, "scale", *first["loc"]))
        raise ProfileError(
            f"{key}: {message(first)}",
            f"it is now {shown(first['input'])}: see Scale in workflow/spindlemark/families/{name}/family.py",
        ) from None
    return module.factors(dict(chosen), measure, size)


def require_known(chosen: Mapping[str, str], known: Mapping[str, Collection[str]], family: str) -> None:
    """Raise UserError naming file and key unless `chosen` has one of the `known` values of each of a family's factors."""
    where = f"config/experiments/{family}.yaml: sets: factors"
    for key in (*known, *(chosen.keys() - known.keys())):
        if key not in known:
            raise UserError(f"{where}: {key}: the family has no such factor", f"there are: {', '.join(known)}")
        if chosen.get(key) not in known[key]:
            raise UserError(f"{where}: {key}: there is no {chosen.get(key)!r}", f"use {', '.join(known[key])}")


def expected(name: str, factors: Mapping[str, Any], size: int) -> tuple[float, float]:
    """A first guess of a repetition on `size` bytes: seconds that it lasts however fast the device is, and bytes moved."""
    return get(name).expected(factors, size)
