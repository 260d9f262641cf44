"""The repetitions of a plan that are still missing: their order, the reasons, and the expected time."""

import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

from pydantic import Field

from spindlemark.core import migrations, paths, private_files
from spindlemark.core.errors import UserError
from spindlemark.core.limits import MOST_REPETITIONS
from spindlemark.core.record import (
    Closed,
    Experiment,
    Scalar,
    Spec,
    canonical,
    read_model,
    read_record,
    read_spec,
    records_in,
)
from spindlemark.harness.session import INTERIM_ANALYSES
from spindlemark.measure import block_order, expected_time
from spindlemark.measure.plan import Plan, Planned

PROVENANCE = "provenance.json"


class Job(NamedTuple):
    """A repetition to be measured. Those of the same `round` are measured close together."""

    experiment: Planned
    repetition: int
    round: int = 1

    @property
    def record(self) -> str:
        """The path of its result, relative to the project's root."""
        return self.experiment.record(self.repetition)


class Provenance(Closed):
    """Which block each repetition of a call of the workflow belongs to, in the order of measuring.

    `run` is the first part of the blocks' names, `interim_analyses` the number of evaluations before these repetitions
    were chosen.
    """

    run: str
    interim_analyses: int = Field(default=0, ge=0)
    blocks: dict[str, int] = Field(description="record, relative to the project's root -> number of its block")

    def block(self, spec: Path, repetition: int) -> str:
        """The name of a repetition's block; empty for one that the run did not choose."""
        place = "/".join(paths.record_path(spec, repetition).parts[-7:])
        return f"{self.run}.{self.blocks[place]}" if place in self.blocks else ""


def provenance_of(jobs: list[Job], run: str, interim_analyses: int = 0) -> Provenance:
    """The provenance of `jobs`, which keeps their order."""
    return Provenance(run=run, interim_analyses=interim_analyses, blocks={job.record: job.round for job in jobs})


def provenance(folder: Path) -> Provenance | None:
    """The provenance of the run with this folder; None where none was written."""
    file = folder / PROVENANCE
    return read_model(Provenance, file, "run it again") if file.exists() else None


def requested(plan: Plan, folder: Path) -> tuple[list[Job], Provenance]:
    """The jobs of one call of the workflow, in their order: those of its provenance, else everything that is missing.

    Raises UserError where the plan does not contain all experiments of the run any more.
    """
    given = provenance(folder)
    if given is None:
        jobs = missing(plan)
        return jobs, provenance_of(jobs, folder.name)
    known = {e.identity: e for e in plan.experiments}
    places = [(Path(record), block) for record, block in given.blocks.items()]
    if gone := len({record.parent.name for record, _ in places} - known.keys()):
        raise UserError(
            f"the plan is out of date: {gone} of its experiments changed, since config/, a tool or the kernel changed",
            "run it again",
        )
    return [Job(known[record.parent.name], repetition_of(record), block) for record, block in places], given


def repetition_of(record: Path) -> int:
    """The number of the repetition whose record has this path; 0 for another file."""
    number = record.stem.removeprefix("rep-")
    return int(number) if number.isdecimal() else 0


def missing(plan: Plan, root: Path = paths.ROOT, everything: bool = False) -> list[Job]:
    """The repetitions without a result, in the order of measuring.

    Only those of the requested experiments, unless `everything`. If an experiment lacks more of them than its concurrent
    controls, one control is measured again in the same rounds, since only repetitions of one round can be compared.
    """
    chosen = [e for e in plan.experiments if e.chosen or everything]
    wanted = {e.identity: _lacking(e, root) for e in chosen}
    if not everything:
        _add_controls(wanted, plan, root)
    known = {e.identity: e for e in plan.experiments}
    return block_order.ordered(
        [Job(known[identity], n, r) for identity, numbers in wanted.items() for r, n in enumerate(numbers, 1)],
        _order_key(plan),
    )


def new_session(plan: Plan, session: str, root: Path = paths.ROOT) -> list[Job]:
    """The repetitions that `session` still lacks of all declared rounds of the requested experiments."""
    return more(
        plan,
        {e.identity: len(e.rounds or e.records) - in_session(e, session, root) for e in plan.experiments if e.chosen},
        root=root,
    )


def more(plan: Plan, rounds: Mapping[str, int], first: int = 1, root: Path = paths.ROOT) -> list[Job]:
    """Further repetitions in `rounds` (identity -> number), in addition to all existing and wanted ones."""
    jobs = [
        Job(e, n, r)
        for e in plan.experiments
        for r, n in enumerate(_further(e, rounds.get(e.identity, 0), root), first)
    ]
    return block_order.ordered(jobs, _order_key(plan))


def existing_records(plan: Plan, root: Path = paths.ROOT) -> list[str]:
    """Every raw result of the plan's experiments, sorted, with additional repetitions and those of other sessions.

    Other sessions may have other identities, because of another kernel, tool or device, which are not declared.
    """
    found = []
    for experiment in plan.experiments:
        for folder in _equally_declared(experiment, root):
            found += [str(path.relative_to(root)) for path in records_in(folder)]
    return sorted(found)


def in_session(planned: Planned, session: str, root: Path = paths.ROOT) -> int:
    """The number of repetitions that a session has of an experiment."""
    return sum(migrations.session(environment) == session for environment in _environments(planned, root))


def interim_analyses(plan: Plan, session: str, root: Path = paths.ROOT) -> int:
    """The number of interim analyses in a session before its newest repetitions were requested."""
    seen = [environment for e in plan.experiments for environment in _environments(e, root)]
    counts = (int(each.get(INTERIM_ANALYSES) or 0) for each in seen if migrations.session(each) == session)
    return max(counts, default=0)


def _order_key(plan: Plan) -> str:
    """What the order is drawn from: each session has an order of its own, so that positions are not tied to configurations.

    An order that all sessions shared would repeat the effect of a position, such as that of the first after a new library, in
    each of them, and no number of sessions would show it. A session is a boot on a day; its kept state needs root, a plan does not.
    """
    return f"{plan.seed} {private_files.boot()} {datetime.now(UTC):%Y-%m-%d}"


def _lacking(planned: Planned, root: Path) -> list[int]:
    existing = {path.name for path in records_in(_folder(planned, root))}
    return [
        n
        for n, record in enumerate(planned.records, 1)
        if Path(record).name not in existing and (not planned.rounds or n in planned.rounds)
    ]


def _add_controls(wanted: dict[str, list[int]], plan: Plan, root: Path) -> None:
    """Add repetitions of a measured control to as many rounds as an experiment lacks."""
    known = {e.identity: e for e in plan.experiments}
    lacking = {identity: len(numbers) for identity, numbers in wanted.items() if numbers}
    rounds: dict[str, int] = {}
    for identity, count in lacking.items():
        for possible in known[identity].controls:
            control = next((i for i in possible if i in known and records_in(_folder(known[i], root))), None)
            if control and count > lacking.get(control, 0):
                rounds[control] = max(rounds.get(control, 0), count)
    for identity, count in rounds.items():
        own = _lacking(known[identity], root)[:count]
        wanted[identity] = own + _further(known[identity], count - len(own), root, plan.stability.most_repetitions)


def _further(planned: Planned, count: int, root: Path, most: int = MOST_REPETITIONS) -> list[int]:
    """Numbers of further repetitions, none above `most`."""
    last = max(
        [len(planned.records), *(int(path.stem.removeprefix("rep-")) for path in records_in(_folder(planned, root)))]
    )
    return list(range(last + 1, min(last + count, most) + 1))


def _folder(planned: Planned, root: Path) -> Path:
    return (root / planned.spec).parent


def _equally_declared(planned: Planned, root: Path, declared: str | None = None) -> Iterator[Path]:
    """Yield the folders of all identities with the same factors and method, `declared` or those of its spec, including its own."""
    own = _folder(planned, root)
    names = os.listdir(own.parent) if own.parent.is_dir() else []
    others = [own.parent / name for name in names if name != own.name]
    for folder in sorted([own, *(other for other in others if (other / "spec.json").exists())]):
        if folder != own and records_in(folder):
            declared = declared or _declared(own / "spec.json")
            if _declared(folder / "spec.json") != declared:
                continue
        yield folder


def _declared(spec: Path) -> str | None:
    """The declared part of an experiment as text; None where its spec was never written."""
    if not spec.exists():
        return None
    return _declaration(read_spec(spec).experiment)


def _declaration(experiment: Experiment) -> str:
    return canonical([experiment.factors, experiment.method])


def _environments(planned: Planned, root: Path) -> Iterator[dict[str, Scalar]]:
    for path in records_in(_folder(planned, root)):
        yield read_record(path).environment


def reason(spec: Spec, root: Path = paths.ROOT) -> str:
    """Why repetitions of an experiment are missing, as one line."""
    e = spec.experiment
    folder = root / paths.spec_path(e.testbed, e.family, e.experiment, spec.identity).parent
    if records_in(folder):
        return "more repetitions wanted"
    earlier = [path for path in folder.parent.glob("*/spec.json") if path.parent != folder and records_in(path.parent)]
    if not earlier:
        return "new"
    # Of several earlier declarations, the most similar one was probably changed.
    now = e.model_dump(mode="json")
    changes: list[list[str]] = [
        differences(read_spec(path).experiment.model_dump(mode="json"), now) for path in earlier
    ]
    nearest = min(changes, key=len)
    return "changed: " + "; ".join(nearest)


def differences(before: Any, after: Any, key: str = "") -> list[str]:
    """Lines `key: old -> new` for every value that differs."""
    if isinstance(before, dict) and isinstance(after, dict):
        return [
            line
            for k in sorted(before.keys() | after.keys())
            for line in differences(before.get(k), after.get(k), f"{key}.{k}" if key else k)
        ]
    return [] if before == after else [f"{key}: {_short(before)} -> {_short(after)}"]


def seconds_of(jobs: list[Job], specs: Mapping[str, Spec], root: Path = paths.ROOT) -> float:
    """Expected seconds for measuring `jobs`."""
    known = {e.identity: e for e, _, _ in jobs}
    each = {identity: seconds(e, specs[identity], root) for identity, e in known.items()}
    return sum(each[e.identity] for e, _, _ in jobs)


def seconds(planned: Planned, spec: Spec, root: Path = paths.ROOT) -> float:
    """Expected seconds of one repetition: the mean of earlier ones, also under another kernel, else the family's guess."""
    declared = _declaration(spec.experiment)
    if records := [path for folder in _equally_declared(planned, root, declared) for path in records_in(folder)]:
        spans = [read_record(path) for path in records]
        return mean((r.finished_at - r.started_at).total_seconds() for r in spans)
    e = spec.experiment
    device = e.fingerprint["device"]
    return expected_time.guess(e.family, e.factors, device["bytes"], device.get("kind", ""))


def _short(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else "none" if value is None else str(value)
