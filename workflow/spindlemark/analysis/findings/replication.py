"""Sessions: whether the same question has the same answer on another machine or at another time, and how far costs move between."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from spindlemark.analysis.findings.evidence import Evidence
from spindlemark.analysis.findings.model import Recommendation, Sessions

PRIOR_FREEDOM = 4.0  # that the declared spread counts as, next to what the version's own sessions show


def agreement(evidence: Sequence[Evidence], advice: Sequence[Recommendation | None]) -> list[Recommendation | None]:
    """Each recommendation with what other sessions answer to the same question."""
    known = {at: found for at, found in enumerate(advice) if found}
    alike: dict[str, list[int]] = defaultdict(list)
    for at in known:
        alike[evidence[at].group.alike or evidence[at].group.group].append(at)
    result = list(advice)
    for members in alike.values():
        decided = [at for at in members if known[at].verdict != "undecided"]
        for at in members:
            own = known[at]
            others = [other for other in decided if other != at] if own.verdict != "undecided" else []
            against = [evidence[other].group.group for other in others if not set(own.first) & set(known[other].first)]
            same = [
                other
                for other in others
                if known[other].verdict == own.verdict and evidence[other].group.group not in against
            ]
            itself = int(own.verdict != "undecided")
            result[at] = own.model_copy(
                update={
                    "sessions": Sessions(
                        session=evidence[at].group.session,
                        of=len(others) + itself,
                        agreeing=len(same) + itself,
                        contradicting=against,
                        inconclusive=len(members) - len(decided),
                        decided=[]
                        if own.verdict != "undecided"
                        else [evidence[other].group.group for other in decided],
                    )
                }
            )
    return result


def leading(evidence: Sequence[Evidence], advice: Sequence[Recommendation | None]) -> list[int]:
    """The places of the groups in the order in which readers meet them: of the sessions of a question the one that answers.

    That is the newest; where it is inconclusive and others agree on an answer, the newest of those. A session that a busy
    machine disturbed removes no answer, and the page names the inconclusive sessions next to it.
    """
    places: dict[str, list[int]] = defaultdict(list)
    for at, each in enumerate(evidence):
        places[each.group.alike or each.group.group].append(at)
    order = list(range(len(evidence)))
    for members in places.values():
        if not any(_contradicted(advice[at]) for at in members):
            chosen = sorted(members, key=lambda at: not _conclusive(advice[at]))
            for place, at in zip(members, chosen, strict=True):
                order[place] = at
    return order


def _contradicted(advice: Recommendation | None) -> bool:
    return bool(advice and advice.sessions and advice.sessions.contradicting)


def _conclusive(advice: Recommendation | None) -> bool:
    return advice is not None and advice.verdict != "undecided"


def spreads(evidence: Sequence[Evidence], declared: float) -> list[list[float]]:
    """Per group and counted task: the variance of a configuration's cost between sessions.

    From the groups that ask the same on one kind of testbed, per metric over all workloads: how far a configuration's mean
    cost, relative to the others', differs between sessions, less what repetitions explain (a one-way analysis of
    variance by moments), moderated by `declared`, a standard deviation that counts as PRIOR_FREEDOM. What never scatters
    is a fact, which no session moves.
    """
    sums: dict[tuple, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for members in _alike(evidence):
        for metric in {each.task.metric for each in members[0].counted}:
            squares, freedom = _between([each for each in members if metric in each.matrices], metric)
            total = sums[members[0].group.testbed, members[0].group.family, metric]
            total[0], total[1] = total[0] + squares, total[1] + freedom
    return [[_variance(sums, each, task.task.metric, declared) for task in each.counted] for each in evidence]


def _variance(sums: Mapping[tuple, list[float]], evidence: Evidence, metric: str, declared: float) -> float:
    if evidence.matrices[metric].exact:
        return 0.0
    squares, freedom = sums.get((evidence.group.testbed, evidence.group.family, metric), (0.0, 0.0))
    return max(0.0, (PRIOR_FREEDOM * declared**2 + squares) / (PRIOR_FREEDOM + freedom))


def _alike(evidence: Sequence[Evidence]) -> list[list[Evidence]]:
    found: dict[str, list[Evidence]] = defaultdict(list)
    for each in evidence:
        if each.group.alike and each.counted:
            found[each.group.alike].append(each)
    return [members for members in found.values() if len(members) > 1]


def _between(members: Sequence[Evidence], metric: str) -> tuple[float, float]:
    """Sum of squares between sessions less what repetitions explain, and its degrees of freedom."""
    names = (
        sorted(
            set.intersection(
                *(
                    {s.name for s in each.group.configurations if s.candidate and metric in s.metrics}
                    for each in members
                )
            )
        )
        if members
        else []
    )
    if len(members) < 2 or len(names) < 2:
        return 0.0, 0.0
    means, noise = [], []
    for each in members:
        rows = [next(at for at, s in enumerate(each.group.configurations) if s.name == name) for name in names]
        matrix, spread = each.matrices[metric], each.spreads[-1][metric]
        own = matrix.means[rows]
        means.append(own - own.mean())
        noise.append(np.nan_to_num(spread.variance[rows]) / np.maximum(matrix.counts[rows], 1))
    apart = np.stack(means)
    freedom = (len(members) - 1) * (len(names) - 1)
    squares = float(((apart - apart.mean(axis=0)) ** 2).sum())
    return squares - freedom * float(np.mean(noise)), float(freedom)
