"""How often the verdicts are wrong, and how often they find what is there, in worlds whose truth is known (truth_model.py).

Run: .venv/bin/python tests/bench/bench_truth.py [--database FILE] [--runs 200] [--json FILE]
With --json tests/bench/truth.json the method page shows the table.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from spindlemark.analysis import findings
from spindlemark.analysis.findings import samples
from spindlemark.analysis.findings.blocks import WEIGHTED
from spindlemark.analysis.findings.comparisons import DIFFERENT, EQUIVALENT
from spindlemark.analysis.findings.samples import Comparable
from spindlemark.config import questions
from spindlemark.core import paths
from truth_model import Judged, World

SEED = 20261122
LOOKS = (3, 5, 8, 12)
OUTLIERS, SLOWER = 0.06, 0.25  # share of samples that one-sided noise prolongs, and by how much (a logarithm)
# Name, and how many times as much the sessions move costs as declared; sessions that were measured.
WORLDS = (
    ("one session, as declared", 1.0, 1),
    ("one session that moves five times as far", 5.0, 1),
    ("two sessions, as declared", 1.0, 2),
    ("two sessions that move five times as far", 5.0, 2),
    ("four sessions that move five times as far", 5.0, 4),
)
Row = dict[str, str | float]


def alarms(worlds: list[Judged]) -> dict[str, float]:
    """Share of answers, of tables and of releases (any answer of one) in which something is called better though all are equal."""
    tally: Counter = Counter()
    for judged in worlds:
        answers = []
        for _, found in judged:
            wrong = {name: bool(np.isin(v.judged.verdict, DIFFERENT).any()) for name, v in found.items()}
            answers += [wrong[WEIGHTED]] if WEIGHTED in wrong else []
            tally["tables"] += len(wrong) - (WEIGHTED in wrong)
            tally["tables wrong"] += sum(told for name, told in wrong.items() if name != WEIGHTED)
        tally["answers"] += len(answers)
        tally["answers wrong"] += sum(answers)
        tally["releases"] += 1
        tally["releases wrong"] += any(answers)
    return {name: tally[f"{name} wrong"] / max(1, tally[name]) for name in ("answers", "tables", "releases")}


def found_of_first(worlds: list[Judged], *wanted: int) -> float:
    """Share of the comparisons with the first subject, over the weighted tasks, that have one of the verdicts."""
    own = [
        v.judged.verdict[at] in wanted
        for judged in worlds
        for _, found in judged
        if WEIGHTED in found
        for v in [found[WEIGHTED]]
        for at, pair in enumerate(v.places)
        if 0 in pair
    ]
    return float(np.mean(own)) if own else float("nan")


def wrongly_equal(worlds: list[Judged]) -> float:
    """Share of questions in which a comparison with the first subject is called equivalent in any task."""
    own = [
        any(
            v.judged.verdict[at] == EQUIVALENT and v.pairs.variance[at] > 0
            for v in found.values()
            for at, pair in enumerate(v.places)
            if 0 in pair
        )
        for judged in worlds
        for _, found in judged
        if found
    ]
    return float(np.mean(own)) if own else float("nan")


def table(world: World, groups: Sequence[Comparable], runs: int) -> list[Row]:
    """Every figure, in the order in which the page shows them."""
    rows: list[Row] = []

    def add(section: str, label: str, value: float, note: str = "") -> None:
        told = "–" if np.isnan(value) else f"{100 * value:.1f} %"
        rows.append(
            {
                "section": section,
                "label": label,
                "value": None if np.isnan(value) else round(value, 4),
                "text": told + note,
            }
        )

    for rounds in (3, 6, 12):
        for name, share in alarms([world.judge(world.draw(rounds)) for _ in range(runs)]).items():
            add(f"False alarms where all are equal, {rounds} rounds", f"of {name}", share)
    stopped = [world.until_decided(LOOKS) for _ in range(runs)]
    for name, share in alarms(stopped).items():
        add("False alarms where all are equal, measured until decided", f"of {name}", share)
    for percent in (5, 10, 20, 50):
        for rounds in (3, 6, 12):
            drawn = [world.judge(world.draw(rounds, float(np.log1p(percent / 100)))) for _ in range(max(10, runs // 4))]
            add(f"Found better where one costs {percent} % more", f"{rounds} rounds", found_of_first(drawn, *DIFFERENT))
    equal = [world.judge(world.draw(12)) for _ in range(max(10, runs // 4))]
    add("Found equivalent where all are equal", "12 rounds", found_of_first(equal, EQUIVALENT))
    edge = world.declared.log_margin()
    for rounds in (3, 6, 12):
        drawn = [world.judge(world.draw(rounds, edge)) for _ in range(runs)]
        add(
            "Called equivalent where one costs as much more as the threshold",
            f"questions, {rounds} rounds",
            wrongly_equal(drawn),
        )
    for label, times, count in WORLDS:
        moved = times * world.declared.session_spread
        judged = [world.judge(world.sessions(3, moved, count)) for _ in range(max(10, runs // 2))]
        add("False alarms where sessions move costs, 3 rounds each", label, alarms(judged)["answers"])
    noisy = World(groups, world.asked, world.declared, SEED + 1, outliers=(OUTLIERS, SLOWER))
    for rounds in (3, 6, 12):
        judged = [noisy.judge(noisy.draw(rounds)) for _ in range(max(10, runs // 2))]
        add("False alarms where 6 % of samples take a quarter longer", f"{rounds} rounds", alarms(judged)["answers"])
    return rows


def main() -> None:
    """Print the table; with --json also write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", type=Path, default=paths.BUILD / "current" / "spindlemark.duckdb")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    asked, declared = questions.load(), findings.load()
    groups = samples.read(given.database, asked)
    rows = table(World(groups, asked, declared, SEED), groups, given.runs)
    print("| what | of | share |\n|---|---|---:|")
    for row in rows:
        print(f"| {row['section']} | {row['label']} | {row['text']} |")
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
