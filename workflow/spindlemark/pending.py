"""What of a plan is still to be measured, in which order, why, and how long it should take."""

import os
import random
from pathlib import Path
from statistics import mean
from typing import Any

from spindlemark import families, paths
from spindlemark.plan import Plan, Planned
from spindlemark.record import Spec, read_record, read_spec, records_in

# A first guess for an experiment that was never measured here: a start, and each GiB copied, checked and deleted.
GUESS_START_SECONDS = 2.0
GUESS_SECONDS_PER_GIB = 3.0
GUESS_EMULATED = 3.0  # emulated processors start programs that many times slower

Job = tuple[Planned, int]


def missing(plan: Plan, root: Path = paths.ROOT, everything: bool = False) -> list[Job]:
    """The repetitions without a result, in the order in which they are to be measured.

    Only those that the run was asked for, unless `everything`.
    """
    existing = set(existing_records(plan, root))
    ranks = order(plan)
    chosen = [e for e in plan.experiments if e.chosen or everything]
    wanted = [(e, n) for e in chosen for n, record in enumerate(e.records, 1) if record not in existing]
    return sorted(wanted, key=lambda job: ranks[job[0].records[job[1] - 1]])


def existing_records(plan: Plan, root: Path = paths.ROOT) -> list[str]:
    """Every raw result of the plan's identities that is there, also beyond the repetitions wanted; sorted."""
    found = []
    for experiment in plan.experiments:
        relative = os.path.dirname(experiment.spec)
        found += [f"{relative}/{path.name}" for path in records_in(root / relative)]
    return sorted(found)


def order(plan: Plan) -> dict[str, int]:
    """Result path -> rank: all first repetitions, then all second ones, and so on.

    In each round the workloads come in a seeded random order, and so do the subjects of a workload: what is compared is
    measured side by side, in rounds apart, so that a drift of the machine hits every subject alike. One kind of testbed
    comes after the other, so that no virtual machine idles beside a measurement on the bare one.
    """
    rng = random.Random(plan.seed)
    rounds: dict[tuple[str, int], dict[tuple[str, str], list[str]]] = {}
    for e in plan.experiments:
        workload = e.family, e.experiment.partition("--")[2]
        for n, record in enumerate(e.records, 1):
            rounds.setdefault((e.kind, n), {}).setdefault(workload, []).append(record)
    ranked: list[str] = []
    for key in sorted(rounds):
        for workload in rng.sample(sorted(rounds[key]), len(rounds[key])):
            ranked += rng.sample(sorted(rounds[key][workload]), len(rounds[key][workload]))
    return {record: rank for rank, record in enumerate(ranked)}


def reason(spec: Spec, root: Path = paths.ROOT) -> str:
    """Why an experiment with missing repetitions is to be measured, as one line."""
    e = spec.experiment
    folder = root / paths.spec_path(e.testbed, e.family, e.experiment, spec.identity).parent
    if records_in(folder):
        return "more repetitions wanted"
    earlier = [path for path in folder.parent.glob("*/spec.json")
               if path.parent != folder and records_in(path.parent)]
    if not earlier:
        return "new"
    # Of several earlier declarations the one nearest to this is the one that was changed.
    now = e.model_dump(mode="json")
    changes = [differences(read_spec(path).experiment.model_dump(mode="json"), now) for path in earlier]
    return "changed: " + "; ".join(min(changes, key=len))


def differences(before: Any, after: Any, key: str = "") -> list[str]:
    """Readable lines `key: old -> new` for every leaf that differs."""
    if isinstance(before, dict) and isinstance(after, dict):
        return [line for k in sorted(before.keys() | after.keys())
                for line in differences(before.get(k), after.get(k), f"{key}.{k}" if key else k)]
    return [] if before == after else [f"{key}: {_short(before)} -> {_short(after)}"]


def seconds_of(jobs: list[Job], specs: dict[str, Spec], root: Path = paths.ROOT) -> float:
    """Expected seconds of measuring: as long as the same experiment took before, else a guess from the payload."""
    known: dict[str, float] = {}
    for experiment, _ in jobs:
        if experiment.identity not in known:
            known[experiment.identity] = _expected(experiment, specs[experiment.identity], root)
    return sum(known[experiment.identity] for experiment, _ in jobs)


def _expected(planned: Planned, spec: Spec, root: Path) -> float:
    records = records_in((root / planned.spec).parent)
    if records:
        spans = [read_record(path) for path in records]
        return mean((r.finished_at - r.started_at).total_seconds() for r in spans)
    e = spec.experiment
    seconds, moved = families.expected(e.family, e.factors, e.fingerprint["device"]["bytes"])
    guess = GUESS_START_SECONDS + seconds + GUESS_SECONDS_PER_GIB * moved / 2**30
    return guess * GUESS_EMULATED if e.fingerprint.get("machine", {}).get("emulated") else guess


def _short(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else "none" if value is None else str(value)
