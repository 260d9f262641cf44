"""Parts of a profile: what one run measures in the profile's `part_minutes`, so that days of measuring fit into evenings.

A part has one kind of testbed. Configurations that are compared, the experiments of one workload on testbeds of one kind, are
in one part; only a workload that takes longer than a part is divided, by rounds. Parts follow from declarations and from first
guesses of the time, never from results, so that a part keeps its name while it is measured. A run stops at the end of the
part's minutes; the same command continues it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from spindlemark import config
from spindlemark.core.errors import UserError
from spindlemark.core.record import Experiment, join_parts
from spindlemark.measure import expected_time, experiments

Key = tuple[str, str, str]  # testbed, family and name of an experiment


@dataclass
class Part:
    """The rounds of experiments that one run measures, and the first guess of their seconds."""

    name: str
    seconds: float = 0.0
    rounds: dict[Key, list[int]] = field(default_factory=dict)

    @property
    def testbeds(self) -> list[str]:
        """The testbeds that it measures on, in the order of declaration."""
        return list(dict.fromkeys(testbed for testbed, _, _ in self.rounds))

    @property
    def families(self) -> list[str]:
        """The families that it measures, in the order of declaration."""
        return list(dict.fromkeys(family for _, family, _ in self.rounds))

    def has(self, experiment: Experiment) -> bool:
        """Whether it measures rounds of an experiment."""
        return key(experiment) in self.rounds


@dataclass(frozen=True)
class _Piece:
    """Rounds of one workload, which stay together."""

    rounds: list[int]
    keys: list[Key]
    seconds: float


def of(registry: config.Registry, profile: str, declared: Iterable[Experiment]) -> dict[str, Part]:
    """Name -> part, for the experiments that the profile measures without a request by name.

    Raises UserError for a profile without parts.
    """
    minutes = registry.profiles[profile].part_minutes
    if minutes is None:
        with_parts = [name for name, each in registry.profiles.items() if each.part_minutes]
        raise UserError(
            f"profile {profile} has no parts",
            f"use a profile with parts: {', '.join(with_parts)}" if with_parts else "set part_minutes in the profile",
        )
    found: dict[str, Part] = {}
    for kind, workloads in _workloads(registry, registry.profiles[profile], declared).items():
        own: list[Part] = []
        for members in workloads:
            for piece in _pieces(registry, profile, members, 60 * minutes):
                _add(own, kind, piece, 60 * minutes)
        found |= {part.name: part for part in own}
    return found


def choose(registry: config.Registry, profile: str, declared: Iterable[Experiment], name: str) -> Part:
    """The part with this name; raises UserError that lists the names."""
    found = of(registry, profile, declared)
    if name not in found:
        raise UserError(f"profile {profile} has no part {name}", f"there are: {', '.join(found)}")
    return found[name]


def key(experiment: Experiment) -> Key:
    """What identifies an experiment on every machine."""
    return experiment.testbed, experiment.family, experiment.experiment


def _workloads(
    registry: config.Registry, profile: config.Profile, declared: Iterable[Experiment]
) -> dict[str, list[list[Experiment]]]:
    """Kind of testbed -> its workloads, each with the experiments that are measured in one block; see block_order.py."""
    found: dict[str, dict[tuple[str, str], list[Experiment]]] = {}
    for each in declared:
        if experiments.amount(profile, each).alone_minutes is None:
            own = found.setdefault(registry.testbeds[each.testbed].kind, {})
            own.setdefault((each.family, join_parts(each.workload)), []).append(each)
    return {testbed: list(own.values()) for testbed, own in found.items()}


def _pieces(registry: config.Registry, profile: str, members: Sequence[Experiment], limit: float) -> Iterator[_Piece]:
    """Yield a workload in pieces of whole rounds, about equally many, each within `limit` seconds where one round is."""
    own = registry.profiles[profile]
    repetitions = max(experiments.amount(own, each).repetitions or 0 for each in members)
    a_round = sum(expected_time.declared(each, registry, own) for each in members)
    at_once = min(repetitions, max(1, int(limit / a_round)))
    keys = [key(each) for each in members]
    pieces = -(-repetitions // at_once) if at_once else 0
    for number in range(pieces):
        rounds = list(range(1 + number * repetitions // pieces, 1 + (number + 1) * repetitions // pieces))
        yield _Piece(rounds, keys, len(rounds) * a_round)


def _add(parts: list[Part], kind: str, piece: _Piece, limit: float) -> None:
    """Put a piece into the last part if it has room for it, else into a new one, so that families stay together."""
    if parts and _has_room(parts[-1], piece, limit):
        part = parts[-1]
    else:
        part = Part(f"{kind}-{len(parts) + 1}")
        parts.append(part)
    part.seconds += piece.seconds
    part.rounds |= dict.fromkeys(piece.keys, piece.rounds)


def _has_room(part: Part, piece: _Piece, limit: float) -> bool:
    return part.seconds + piece.seconds <= limit and part.rounds.keys().isdisjoint(piece.keys)


def by_repetition(parts: Mapping[str, Part]) -> dict[tuple[Key, int], str]:
    """Experiment and number of a repetition -> the part that measures it."""
    return {(each, n): part.name for part in parts.values() for each, rounds in part.rounds.items() for n in rounds}
