"""Configurations by their name: `ext4+m0@bfq` is ext4 with the setting m0, under bfq."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

MANY = 12  # from here on a table or chart first shows the default and the best of each base


class Parts(NamedTuple):
    """What a configuration is made of; empty where it is the default."""

    base: str
    setting: str
    under: str


def parts(subject: str) -> Parts:
    """The name of a configuration taken apart."""
    plain, _, under = subject.partition("@")
    base, _, setting = plain.partition("+")
    return Parts(base, setting, under)


def is_default(subject: str) -> bool:
    """Whether it is a base with nothing set."""
    return subject == parts(subject).base


def by_base(ordered: Iterable[str]) -> dict[str, list[str]]:
    """Base -> its configurations, the default first, else in the given order, as the bases are."""
    found: dict[str, list[str]] = {}
    for subject in ordered:
        found.setdefault(parts(subject).base, []).append(subject)
    return {name: sorted(own, key=lambda s: not is_default(s)) for name, own in found.items()}


def leading(best_first: Sequence[str], wanted: Iterable[str] = (), chosen: Sequence[str] = ()) -> list[str]:
    """What is shown of many: the default and the best of each base, and `wanted`; all when there are few.

    `chosen`: what is chosen from; of many a base without any of it is not shown, unless none has any.
    """
    if len(best_first) <= MANY:
        return list(best_first)
    kept = set(wanted)
    found = by_base(best_first).values()
    for own in [own for own in found if not {*own}.isdisjoint(chosen)] or found:
        kept |= {own[0], next(s for s in best_first if s in own)}
    return [s for s in best_first if s in kept]
