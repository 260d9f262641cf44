"""Pooling: the sessions of one machine that answer the same question become one group, with a round of each for itself."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from spindlemark.analysis.findings.cells import Comparable, Configuration, Samples, Session
from spindlemark.core.record import Scalar


def pool(groups: Sequence[Comparable]) -> list[Comparable]:
    """The groups, each question, workload and device of a machine once, in the order of the first of each.

    The name, the conditions and the identities are those of the newest session; conditions that sessions do not share
    say all their values. What was recorded without its session stays for itself: nothing says what was measured together.
    """
    alike: dict[tuple, list[Comparable]] = defaultdict(list)
    for group in groups:
        alike[_place(group)].append(group)
    return [_pooled(members) for members in alike.values()]


def _place(group: Comparable) -> tuple:
    machine = {name: value for name, value in group.conditions.items() if name.partition(".")[0] in ("machine", "host")}
    return (group.alike if group.session else group.group, *sorted(machine.items(), key=str))


def _pooled(members: Sequence[Comparable]) -> Comparable:
    """One group; the newest of the members comes first."""
    newest = members[0]
    oldest_first = list(reversed(members))
    sessions = [
        Session(each.session, str(each.conditions.get("host") or ""), str(each.conditions.get("kernel") or ""))
        for each in oldest_first
    ]
    names = dict.fromkeys(configuration.name for each in members for configuration in each.configurations)
    return replace(
        newest,
        conditions=_conditions([each.conditions for each in oldest_first]),
        configurations=[_configuration(name, oldest_first) for name in sorted(names)],
        sessions=tuple(dict.fromkeys(sessions)),
        own={name: parts for each in oldest_first for name, parts in each.own.items()},
        sides={name: side for each in oldest_first for name, side in each.sides.items()},
    )


def _conditions(every: Sequence[Mapping[str, Scalar]]) -> dict[str, Scalar]:
    newest = every[-1]
    found: dict[str, Scalar] = {}
    for name, value in newest.items():
        values = list(dict.fromkeys(each[name] for each in every if name in each))
        found[name] = value if len(values) == 1 else ", ".join(map(str, values))
    return found


def _configuration(name: str, groups: Sequence[Comparable]) -> Configuration:
    """The configuration with the samples of all sessions, oldest first."""
    found = [(group.session, each) for group in groups for each in group.configurations if each.name == name]
    newest = found[-1][1]
    if len(found) == 1:
        return replace(newest, metrics={metric: _alone(own, found[0][0]) for metric, own in newest.metrics.items()})
    metrics = dict.fromkeys(metric for _, each in found for metric in each.metrics)
    return replace(
        newest,
        missing=sum(each.missing for _, each in found),
        absent=[entry for _, each in found for entry in each.absent],
        metrics={metric: _samples(metric, found) for metric in metrics},
        limits=_limits([each.limits for _, each in found]),
        noted={key: value for _, each in found for key, value in each.noted.items()},
    )


def _samples(metric: str, found: Sequence[tuple[str, Configuration]]) -> Samples:
    parts = [_alone(each.metrics[metric], session) for session, each in found if metric in each.metrics]
    first = parts[-1]
    return replace(
        first,
        values=[value for part in parts for value in part.values],
        noisy=[noisy for part in parts for noisy in part.noisy],
        repetitions=[number for part in parts for number in part.repetitions],
        rounds=[name for part in parts for name in part.rounds],
        sessions=[name for part in parts for name in part.sessions],
    )


def _alone(samples: Samples, session: str) -> Samples:
    """The samples with the name of their session, which is a part of the names of its rounds."""
    rounds = [f"{session}/{name}" if session else name for name in samples.rounds]
    return replace(samples, rounds=rounds, sessions=[session] * len(samples.values))


def _limits(every: Sequence[Mapping[str, Mapping[str, int]]]) -> dict[str, dict[str, int]]:
    """Metric -> what ended its search -> repetitions, over all sessions."""
    found: dict[str, dict[str, int]] = {}
    for limits in every:
        for metric, causes in limits.items():
            own = found.setdefault(metric, {})
            for cause, repetitions in causes.items():
                own[cause] = own.get(cause, 0) + repetitions
    return found
