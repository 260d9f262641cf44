"""Whether chances of being best come true: what they say, against who is best in further sessions of the same world."""

import numpy as np

from spindlemark.analysis.findings import replication
from spindlemark.analysis.findings.blocks import shortest_of
from spindlemark.analysis.findings.evidence import WEIGHTED, Evidence
from spindlemark.analysis.findings.verdicts import Verdicts
from spindlemark.analysis.findings.weights import weigh, weighing
from truth_model import World, candidates

NEAR = (0.85, 0.95)
FURTHER = 200  # sessions in which a chance can come true: the share of them, not the luck of one
Said = list[tuple[float, float, bool]]


def told(world: World, runs: int, moved: float, times: int = 1) -> Said:
    """Chances, each with the share of further sessions in which it came true, and whether it would be printed.

    `moved`: standard deviation of what a session adds to each cost that scatters; `times`: sessions that were measured.
    The findings know of it only what is declared and what the sessions tell.
    """
    said: Said = []
    for _ in range(runs):
        judged = [
            (each, found)
            for each, found in world.judge(world.sessions(3, moved, times))
            if WEIGHTED in found and each.group.baseline is None
        ]
        spreads = replication.spreads([each for each, _ in judged], world.declared.session_spread)
        for (each, found), spread in zip(judged, spreads, strict=True):
            places = sorted({place for pair in found[WEIGHTED].places for place in pair})
            best = _best(world, each, places, moved)
            printed = not candidates(each, found)
            said += [
                (chance, float(right), printed)
                for chance, right in zip(_chances(world, each, found, places, spread), best, strict=True)
            ]
    return said


def right(said: Said, printed: bool) -> tuple[float, int]:
    """Of chances said to be 85 to 95 %, those `printed` alone or all: the share that came true, and how many they are."""
    near = [true for chance, true, shown in said if NEAR[0] <= chance < NEAR[1] and (shown or not printed)]
    return float(np.mean(near)) if near else float("nan"), len(near)


def _chances(
    world: World, each: Evidence, found: dict[str, Verdicts], places: list[int], spread: list[float]
) -> list[float]:
    level, freedom = (float(np.nanmin(x)) for x in (found[WEIGHTED].judged.level, found[WEIGHTED].pairs.freedom))
    return weigh(weighing(each, places, level, freedom, spread, world.declared.draws), each.weights)[1]


def _best(world: World, each: Evidence, places: list[int], moved: float) -> np.ndarray:
    """Of further sessions the share in which each is best; times below the shortest that counts are equal, and share it."""
    cost = np.zeros((FURTHER, len(places)))
    for task, weight in zip(each.counted, each.weights, strict=True):
        name = task.task.metric
        true, scatters = (side[places] for side in world.true(each.group, name))
        like = each.group.configurations[places[0]].metrics[name]
        shortest = shortest_of(like, world.declared.shortest_rankable_seconds)
        least = np.log(shortest) if shortest else -np.inf
        cost += weight / sum(each.weights) * np.maximum(least, true + world.rng.normal(0, moved, cost.shape) * scatters)
    best = cost < cost.min(axis=1, keepdims=True) + 1e-9
    return (best / best.sum(axis=1, keepdims=True)).mean(axis=0)
