"""Configurations by their name: `ext4+m0@bfq` is the filesystem ext4 with the setting m0 under the scheduler bfq."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

MANY = 12  # from here on a table or chart first shows the default and the best of each filesystem


class Parts(NamedTuple):
    """What a configuration is made of; empty where it is the default."""

    filesystem: str
    setting: str
    scheduler: str


def parts(subject: str) -> Parts:
    """The name of a configuration taken apart."""
    plain, _, scheduler = subject.partition("@")
    filesystem, _, setting = plain.partition("+")
    return Parts(filesystem, setting, scheduler)


def is_default(subject: str) -> bool:
    """Whether it is a filesystem with nothing set."""
    return subject == parts(subject).filesystem


def by_filesystem(ordered: Iterable[str]) -> dict[str, list[str]]:
    """filesystem -> its configurations, the default first, else in the given order, as the filesystems are."""
    found: dict[str, list[str]] = {}
    for subject in ordered:
        found.setdefault(parts(subject).filesystem, []).append(subject)
    return {name: sorted(own, key=lambda s: not is_default(s)) for name, own in found.items()}


def leading(best_first: Sequence[str], wanted: Iterable[str] = ()) -> list[str]:
    """What is shown of many: the default and the best of each filesystem, and `wanted`; all when there are few."""
    if len(best_first) <= MANY:
        return list(best_first)
    kept = set(wanted)
    for own in by_filesystem(best_first).values():
        kept |= {own[0], next(s for s in best_first if s in own)}
    return [s for s in best_first if s in kept]
