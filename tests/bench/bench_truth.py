"""How often the verdicts are wrong, and how often they find what is there, in worlds whose truth is known (truth_model.py).

Run: .venv/bin/python tests/bench/bench_truth.py [--database FILE] [--runs 200] [--json FILE]
With --json tests/bench/truth.json the method page shows the table.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

import truth_chances
from spindlemark.analysis import findings
from spindlemark.analysis.findings import samples
from spindlemark.analysis.findings.comparisons import BETTER, EQUIVALENT
from spindlemark.analysis.findings.evidence import WEIGHTED
from spindlemark.analysis.findings.samples import Comparable
from spindlemark.analysis.findings.settings import Recommendations
from spindlemark.config import questions
from spindlemark.core import paths
from truth_model import Judged, World

SEED = 20261122
LOOKS = (3, 5, 8, 12)
# Name, and how many times the real ones the spreads are: of samples, of sessions as declared; sessions that were measured.
WORLDS = (
    ("as measured", 1.0, 1.0, 1),
    ("another seed", 1.0, 1.0, 1),
    ("samples scatter half as much", 0.5, 1.0, 1),
    ("samples scatter twice as much", 2.0, 1.0, 1),
    ("two sessions", 1.0, 1.0, 2),
    ("two sessions that move half as far", 1.0, 0.5, 2),
    ("two sessions that move twice as far", 1.0, 2.0, 2),
    ("one session that moves twice as far as it is thought to", 1.0, 2.0, 1),
)
Row = dict[str, str | float]


def alarms(worlds: list[Judged]) -> dict[str, float]:
    """Share of tables, questions, pages and releases in which something is called better though all are equal."""
    tally: Counter = Counter()
    for judged in worlds:
        pages: dict[tuple, bool] = {}
        for each, found in judged:
            wrong = {name: bool((v.judged.verdict == BETTER).any()) for name, v in found.items()}
            tally["tables"] += len(wrong)
            tally["tables wrong"] += sum(wrong.values())
            if wrong:
                tally["questions"] += 1
                tally["questions wrong"] += any(wrong.values())
                page = each.group.testbed, each.group.family, each.group.library
                pages[page] = pages.get(page, False) or any(wrong.values())
        tally["pages"] += len(pages)
        tally["pages wrong"] += sum(pages.values())
        tally["releases"] += 1
        tally["releases wrong"] += any(pages.values())
    return {name: tally[f"{name} wrong"] / max(1, tally[name]) for name in ("tables", "questions", "pages", "releases")}


def found_of_first(worlds: list[Judged], verdict: int) -> float:
    """Share of the comparisons with the first subject, over the weighted tasks, that have the verdict."""
    own = [
        v.judged.verdict[at] == verdict
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


def calibration(
    groups: Sequence[Comparable], asked: Mapping[str, questions.Questions], declared: Recommendations, runs: int
) -> list[tuple[str, float, int]]:
    """Label, share and count of each world: other seeds, samples that scatter half or twice as much, sessions that do."""
    spread, rows = declared.session_spread, []
    for at, (name, scale, moved, times) in enumerate(WORLDS):
        said = truth_chances.told(World(groups, asked, declared, SEED + 1 + at, scale), runs, moved * spread, times)
        rows += [
            (f"{name}, {which}", *truth_chances.right(said, printed))
            for which, printed in (("all", False), ("printed, since decided", True))
        ]
    return rows


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
            add(f"Found better where one costs {percent} % more", f"{rounds} rounds", found_of_first(drawn, BETTER))
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
    for label, share, count in calibration(groups, world.asked, world.declared, runs):
        add("Right in the next session, of chances said to be 85 to 95 %", label, share, f" of {count}")
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
