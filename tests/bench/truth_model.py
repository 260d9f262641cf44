"""Worlds whose truth is known: real groups, with costs drawn anew around means that are chosen.

Each subject scatters as its real samples do (its variance tempered by its group's), each draw is a residual of a real
sample of the same metric, so that long tails stay; a round moves all its subjects alike. Times below the shortest that
counts are left as they are: the worlds are judged by the program's own code, floors included.
"""

import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from spindlemark.analysis.findings import blocks, contrasts, evidence, pooling, recommendations, tables, verdicts
from spindlemark.analysis.findings.blocks import WEIGHTED
from spindlemark.analysis.findings.cells import Comparable, Samples
from spindlemark.analysis.findings.evidence import Evidence
from spindlemark.analysis.findings.settings import Recommendations
from spindlemark.analysis.findings.verdicts import Verdicts
from spindlemark.config import questions

TEMPER = 4.0  # degrees of freedom with which a group tempers a subject's own variance
ROUND_SPREAD = 0.05
Judged = list[tuple[Evidence, dict[str, Verdicts]]]


@dataclass(frozen=True)
class Cell:
    """One subject under one metric: what it scatters, and the middle of its group."""

    like: Samples
    spread: float
    middle: float


class World:
    """Groups to be drawn from; everything that is random comes from `rng`."""

    def __init__(
        self,
        groups: Sequence[Comparable],
        asked: Mapping[str, questions.Questions],
        declared: Recommendations,
        seed: int,
        scale: float = 1.0,
        outliers: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        """`scale`: how many times as much the samples scatter as the real ones; `outliers`: see `_outliers`."""
        self.scale, self.outliers = scale, outliers
        self.asked, self.declared, self.rng = asked, declared, np.random.default_rng(seed)
        real = evidence.gather(groups, asked, [tables.unranked(group, declared) for group in groups], declared)
        self.pool: dict[tuple, list[float]] = defaultdict(list)
        self.models = [(each.group, self._model(each)) for each in real if each.counted]

    def draw(self, rounds: int, effect: float = 0.0, moved: float | None = None) -> list[Comparable]:
        """Every group with so many rounds, its subjects equal but for the first one, which costs `effect` more (a logarithm).

        `moved`: a session moves each cost by so much (a standard deviation).
        """
        return [self._extended(group, model, rounds, 0, effect, moved, None) for group, model in self.models]

    def sessions(self, rounds: int, moved: float, times: int) -> list[Comparable]:
        """Every group, equal subjects, in so many pooled sessions, each of which moves every cost by `moved` at random."""
        every = [
            [
                replace(
                    self._extended(group, model, rounds, 0, 0.0, moved, None),
                    session=str(number),
                    alike=group.group,
                )
                for group, model in self.models
            ]
            for number in reversed(range(times))
        ]
        return pooling.pool([group for groups in every for group in groups])

    def judge(self, groups: Sequence[Comparable]) -> Judged:
        """The program's own verdicts."""
        every = evidence.gather(groups, self.asked, [{} for _ in groups], self.declared)
        chosen = [recommendations.choices(e) if e.group.baseline is None else contrasts.against(e) for e in every]
        return [
            (e, verdicts.primary(e, places, self.declared.confidence)) for e, places in zip(every, chosen, strict=True)
        ]

    def until_decided(self, looks: Sequence[int], effect: float = 0.0) -> Judged:
        """What is left after rounds were added to the candidates of open questions; `looks`: rounds in all at each."""
        groups = self.draw(looks[0], effect)
        judged = self.judge(groups)
        for number, (before, now) in enumerate(itertools.pairwise(looks), start=1):
            for at, (each, found) in enumerate(judged):
                if wanted := candidates(each, found):
                    groups[at] = self._extended(
                        groups[at], self.models[at][1], now - before, number, effect, None, wanted
                    )
            judged = self.judge(groups)
        return judged

    def _model(self, each: Evidence) -> dict[str, list[Cell | None]]:
        model = {}
        for task in each.counted:
            name = task.task.metric
            samples = [s.metrics.get(name) for s in each.group.configurations]  # raw: outliers are a part of the world
            matrix = blocks.matrix(samples, self.declared.shortest_rankable_seconds)
            left, n = matrix.residuals, matrix.counts
            free = np.maximum((n - 1) * (1 - 1 / max(2, int((n > 1).sum()))), 1e-9)
            own = np.nansum(left**2, axis=1) / free
            known = own[(n > 1) & (own > 1e-20)]
            common = float(np.exp(np.log(known).mean())) if len(known) else 0.0
            spread = np.where(own > 1e-20, np.sqrt((TEMPER * common + free * own) / (TEMPER + free)), 0.0)
            scaled = left / np.sqrt(np.maximum(own, 1e-20))[:, None] * np.sqrt(n / free)[:, None]
            self.pool[each.group.family, name] += [float(x) for x in scaled[own > 1e-20].ravel() if np.isfinite(x)]
            middle = float(np.nanmean(matrix.means))
            model[name] = [
                Cell(
                    s.metrics[name],
                    self.scale * float(spread[at]),
                    middle,
                )
                if name in s.metrics and n[at] > 1
                else None
                for at, s in enumerate(each.group.configurations)
            ]
        return model

    def _extended(
        self,
        group: Comparable,
        model: dict[str, list[Cell | None]],
        rounds: int,
        look: int,
        effect: float,
        moved: float | None,
        wanted: set[int] | None,
    ) -> Comparable:
        """The group with further rounds of the `wanted` places; a first look starts from nothing."""
        metrics: list[dict[str, Samples]] = [dict(s.metrics) if look else {} for s in group.configurations]
        for name, cells in model.items():
            pool = np.array(self.pool[group.family, name] or [0.0])
            together = self.rng.normal(0, ROUND_SPREAD, rounds)
            for place, cell in enumerate(cells):
                if cell is None or (wanted is not None and place not in wanted):
                    continue
                shift = cell.middle + effect * (place == 0)
                shift += self.rng.normal(0, moved) if moved and cell.spread else 0.0
                cost = shift + (
                    together + cell.spread * self.rng.choice(pool, rounds) + self._outliers(rounds)
                    if cell.spread
                    else np.zeros(rounds)
                )
                metrics[place][name] = _added(metrics[place].get(name), cell.like, cost, look)
        return replace(
            group,
            configurations=[
                replace(s, metrics=own, absent=[]) for s, own in zip(group.configurations, metrics, strict=True)
            ],
        )

    def _outliers(self, rounds: int) -> np.ndarray:
        """One-sided noise, as a busy host makes it: a share of the samples costs so much more (a logarithm)."""
        share, much = self.outliers
        return much * (self.rng.random(rounds) < share)


def candidates(each: Evidence, found: Mapping[str, Verdicts]) -> set[int]:
    """Places that deserve further rounds: what is not beaten in an open choice, what is open against a baseline."""
    judged = found.get(WEIGHTED)
    if judged is None or (judged.judged.verdict != 0).all():
        return set()
    if each.group.baseline is not None:
        return {
            place
            for pair, verdict in zip(judged.places, judged.judged.verdict, strict=True)
            if not verdict
            for place in pair
        }
    size = len(each.group.configurations)
    beaten = judged.beaten(size).any(axis=1)
    first = [place for place in sorted({p for pair in judged.places for p in pair}) if not beaten[place]]
    return set(first) if verdicts.leader(judged, first, first)[0] == "undecided" else set()


def _added(before: Samples | None, like: Samples, cost: np.ndarray, look: int) -> Samples:
    values = np.exp(cost * (-1 if like.better == "higher" else 1)).tolist()
    start = len(before.values) if before else 0
    own = replace(
        like,
        values=values,
        noisy=[False] * len(values),
        repetitions=list(range(start + 1, start + 1 + len(values))),
        rounds=[f"{look}.{n}" for n in range(len(values))],
        sessions=["0"] * len(values),
    )
    if before is None:
        return own
    return replace(
        own,
        **{
            name: getattr(before, name) + getattr(own, name)
            for name in ("values", "noisy", "repetitions", "rounds", "sessions")
        },
    )
