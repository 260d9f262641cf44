"""How much is lost or left over when a run is killed: real runs of a clone, killed at random moments.

    sudo .venv/bin/python tests/bench/bench_kills.py [--rounds 100] [--network-rounds 20] [--clones-seconds 300] [--json FILE]

Needs an idle machine, and root. A tenth of the rounds takes about five minutes. Exit code 1 if a record was lost, changed
or invalid, if SIGTERM, SIGINT or SIGHUP left anything, or if SIGKILL left anything that the next run did not remove.
"""

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

import kills_processes as processes
import kills_round
import kills_two_clones
from kills_clone import NETWORKS, Clone
from kills_leftovers import survey
from kills_round import SIGNALS, Round

LOCAL = "filesystem_lifecycle"
HEAD = (
    "| signal | family | rounds | ended before | new records | lost | changed | invalid | left after the kill | "
    "left after the next run | longest stop, s |\n|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
)


def prepared(clone: Clone, families: list[str]) -> dict[bool, float]:
    """Run each family to its end, so that servers and notes are there; the seconds of a run with the site and without."""
    longest, clone.before = {}, survey(clone.root, clone.temporary)
    for family, site in [*((family, True) for family in families), (LOCAL, True), (LOCAL, False)]:
        begun = time.monotonic()
        if code := clone.finish(clone.run(family, kills_round.BUDGET_MINUTES, *(() if site else ("--no-site",)))):
            raise SystemExit(f"{family}: a run that nobody kills ends with exit code {code}; see {clone.log}")
        longest[site] = time.monotonic() - begun
    if left := [each for each in clone.left() if each.kind != "state"]:  # servers are fetched once
        raise SystemExit("\n".join(["a run that nobody kills leaves:", *map(str, left)]))
    clone.before = survey(clone.root, clone.temporary)
    return longest


def rows(rounds: list[Round]) -> list[str]:
    """Markdown lines: one per signal and family."""
    lines = []
    for family in dict.fromkeys(each.family for each in rounds):
        for sign in SIGNALS:
            these = [each for each in rounds if (each.family, each.signal) == (family, sign.name)]
            counts = [sum(len(getattr(each, kind) or []) for each in these) for kind in ("lost", "changed", "invalid")]
            left = [sum(len(getattr(each, kind) or []) for each in these) for kind in ("left", "left_after_next")]
            stops = [each.stop_seconds for each in these if each.stop_seconds is not None]
            cells = [len(these), sum(each.ended_before for each in these), sum(each.records for each in these)]
            if these:
                longest = f"{max(stops):.1f}" if stops else ""
                lines.append(f"| {sign.name} | {family} | {' | '.join(map(str, cells + counts + left))} | {longest} |")
    return lines


def show(each: Round) -> None:
    """Print a round as it ends: where it was killed, what it left, and what must not be."""
    print(
        f"{each.number} {each.family} {each.signal} to {each.target} at {each.at}: exit code {each.exit_code}, "
        f"{each.records} records, {len(each.left)} left, then {len(each.left_after_next or [])}"
        + (", had ended before" if each.ended_before else "")
        + (f", stopped after {each.stop_seconds} s" if each.stop_seconds is not None else ""),
        *each.failures(),
        sep="\n  ",
        file=sys.stderr,
        flush=True,
    )


def measure(given: argparse.Namespace, work: Path) -> tuple[list[Round], kills_two_clones.Together | None]:
    """All rounds, then two clones at once."""
    rng = random.Random(given.seed)
    clone = Clone(work, "one", given.busy)
    networks = list(NETWORKS) if given.network_rounds else []
    longest = prepared(clone, networks)
    schedule = [LOCAL] * given.rounds + [family for family in networks for _ in range(given.network_rounds)]
    rounds = []
    for number, family in enumerate(schedule):
        rounds.append(kills_round.play(clone, number, family, longest, rng))
        show(rounds[-1])
    if not given.clones_seconds:
        return rounds, None
    clones = [clone, Clone(work, "two", given.busy)]
    prepared(clones[1], [])
    return rounds, kills_two_clones.play(clones, given.clones_seconds, rng)


def main() -> None:
    """Measure, print a table, and end with 1 if anything was lost or left."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=100, help="of filesystem_lifecycle on the testbeds loop and ram")
    parser.add_argument("--network-rounds", type=int, default=20, help="of each network family, killed in a trial")
    parser.add_argument("--clones-seconds", type=float, default=300, help="two clones run at once for so long")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="of the random moments")
    parser.add_argument("--work", type=Path, help="folder for the clones, kept; what is in it already is used")
    parser.add_argument("--busy", action="store_true", help="others measure too: look at less; see kills_clone.py")
    parser.add_argument("--json", type=Path, help="write every round here")
    given = parser.parse_args()
    if os.geteuid() != 0:
        raise SystemExit("killing a measurement needs one, which needs root: run it with sudo")
    processes.adopt_orphans()
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # below nohup it is ignored, and every run would ignore it too
    print(f"seed {given.seed}", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="spindlemark-kills-", ignore_cleanup_errors=True) as folder:
        try:
            rounds, together = measure(given, given.work or Path(folder))
        finally:
            processes.kill_all()
    print(f"seed {given.seed}\n", HEAD, *rows(rounds), sep="\n")
    failures = [f"round {each.number}: {failure}" for each in rounds for failure in each.failures()]
    if together:
        print(f"\nTwo clones for {together.seconds:.0f} s: {together.runs} runs, {together.interrupts} interrupts, "
              f"{together.records} records, {len(together.overlaps)} at once, {len(together.left)} left, "
              f"longest stop {together.stop_seconds} s")  # fmt: skip
        failures += together.failures()
    if given.json:
        found = {"seed": given.seed, "rounds": [*map(asdict, rounds)], "clones": asdict(together) if together else None}
        given.json.write_text(json.dumps(found | {"failures": failures}, indent=1) + "\n")
    if failures:
        raise SystemExit("\n".join(failures))


if __name__ == "__main__":
    main()
