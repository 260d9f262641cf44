"""`run`: measure what is missing, repeat what is unstable while the budget lasts, publish."""

import json
import time
from dataclasses import dataclass, replace

from rich.console import Console

from spindlemark import declare, engine, families, findings, paths, pending, plan, programs, progress
from spindlemark.engine import Engine
from spindlemark.errors import UserError, find_in_log, parts
from spindlemark.findings import report
from spindlemark.measure.notes import Notes
from spindlemark.plan import Plan, Request
from spindlemark.record import Spec, read_spec

MORE = paths.BUILD / "more.json"
REPETITIONS_PER_ROUND = 2
PUBLISHING_SECONDS = 30  # kept free at the end of a budget


class NotMeasuredError(Exception):
    """Something was set aside or broke; all else was measured and published. Its text lists what."""


@dataclass(frozen=True)
class Budget:
    """A hard limit on measuring, from the moment it was made."""

    seconds: float
    begun: float

    @classmethod
    def of(cls, minutes: float) -> "Budget":
        """A budget that starts now."""
        return cls(minutes * 60, time.monotonic())

    def left(self) -> float:
        """Seconds left; never below 0."""
        return max(0.0, self.seconds - (time.monotonic() - self.begun))


def settings(request: Request) -> dict[str, object]:
    """The request as Snakemake `--config` values."""
    values = {key: getattr(request, key) for key in (*plan.TEXTS, "repetitions")}
    if request.more:
        plan.write_if_changed(MORE, json.dumps(request.more, sort_keys=True) + "\n")
        values["more"] = MORE
    return values


def measure(request: Request, console: Console, budget: Budget | None = None) -> Plan:
    """Measure what is missing and publish; with a budget, stop measuring when it ends. Returns the plan.

    Raises NotMeasuredError in the end when something was set aside or broke, UserError when that left nothing to do.
    """
    with progress.telling(console, "planning"):
        planned, specs = plan.make(declare.load(), request)
        by_identity = {spec.identity: spec for spec in specs}
        jobs = pending.missing(planned)
        expected = pending.seconds_of(jobs, by_identity)
    _announce(console, jobs, expected)
    workflow = Engine(settings(request), ["all"])
    try:
        if _followed(workflow, progress.Watch(jobs, expected), console, budget):
            console.print("The time budget ended: what is unfinished is left for the next run.")
            publish(console)
        _account(workflow, jobs)
    finally:
        _clean(console)
    return planned


def _followed(workflow: Engine, watch: progress.Watch, console: Console, budget: Budget | None) -> bool:
    """Run the workflow to its end; returns whether the budget ended first. Raises what `wait` raises."""
    deadline = time.monotonic() + budget.left() if budget else float("inf")
    workflow.start()
    try:
        progress.follow(workflow, watch, console,
                        lambda: workflow.running() and time.monotonic() < deadline and not workflow.user_errors())
        if workflow.running():
            workflow.interrupt()
            if told := workflow.user_errors():
                raise UserError(*parts(told[0]))
            return True
        try:
            workflow.wait()
        except engine.WorkflowError:
            if not any(Notes(workflow.folder).lines()):
                raise  # else the last job failed since there is something to account for
    except BaseException:
        workflow.interrupt()
        raise
    return False


def _account(workflow: Engine, jobs: list[pending.Job]) -> None:
    """Say what was not measured."""
    notes = Notes(workflow.folder)
    aside = {name: bed.aside for name, bed in notes.everything().items() if bed.aside}
    refused = [each for each in aside.values() if each.mendable]
    if refused and {e.testbed for e, _ in jobs} <= aside.keys():
        raise UserError(refused[0].problem, refused[0].remedy)
    if lines := list(notes.lines()):
        raise NotMeasuredError("\n".join(["Not everything was measured:", *lines]))


def until_stable(request: Request, console: Console, minutes: float | None) -> Plan:
    """Add repetitions to cells whose interval is too wide until all are stable or the budget ends."""
    registry = declare.load()
    profile = declare.choose(registry.profiles, request.profile or registry.config.profile, "profile", "config/profiles/")
    budget = Budget.of(minutes or profile.budget_minutes)
    more: dict[str, int] = {}
    while True:
        planned = measure(replace(request, more=more), console, budget)
        wanted = _unstable(planned)
        cost = pending.seconds_of(_jobs(planned, wanted), _specs(planned))
        if not wanted:
            console.print("Every cell is as stable as the profile asks, or has its most repetitions.")
            return planned
        if cost + PUBLISHING_SECONDS > budget.left():
            console.print(f"{len(wanted)} cells are still unstable and are marked so; the budget does not hold another round.")
            return planned
        more |= wanted


def publish(console: Console, target: str = "site") -> None:
    """Build the site, or another target, from what exists, without touching a device."""
    workflow = Engine({"measure": "false"}, [target])
    _followed(workflow, progress.Watch([], 0.0), console, None)


def _unstable(planned: Plan) -> dict[str, int]:
    """Identity -> repetitions wanted next, for the cells that advice rests on and that may still grow."""
    found = report.read(paths.BUILD / "current" / "findings.json")
    metrics = {metric for e in planned.experiments for metric in families.metrics(e.family)}
    have: dict[str, int] = {}
    for path in pending.existing_records(planned):
        identity = path.split("/")[-2]
        have[identity] = have.get(identity, 0) + 1
    unstable = {identity for _, identity, _ in findings.unstable(found, metrics)}
    unstable &= {e.identity for e in planned.experiments if e.chosen}
    most = planned.stability.most_repetitions
    return {i: min(most, have[i] + REPETITIONS_PER_ROUND) for i in sorted(unstable) if have.get(i, most) < most}


def _jobs(planned: Plan, wanted: dict[str, int]) -> list[pending.Job]:
    return [(e, n) for e in planned.experiments for n in range(e.repetitions + 1, wanted.get(e.identity, 0) + 1)]


def _specs(planned: Plan) -> dict[str, Spec]:
    return {e.identity: read_spec(paths.ROOT / e.spec) for e in planned.experiments}


def _announce(console: Console, jobs: list[pending.Job], expected: float) -> None:
    if not jobs:
        console.print("Everything is measured: nothing to run.")
        return
    identities = {e.identity for e, _ in jobs}
    console.print(f"{len(jobs)} repetitions of {len(identities)} experiments are missing, "
                  f"about {progress.duration(expected)} of measuring.")


def _clean(console: Console) -> None:
    """Remove what measuring left in memory and on disk; waits for a job that is still ending."""
    with progress.telling(console, "cleaning up"):
        done = programs.run([*programs.PYTHON, "-m", "spindlemark.measure", "--clean"], cwd=paths.ROOT, text=True,
                            stdout=programs.DEVNULL, stderr=programs.PIPE)
    if done.returncode:
        told = find_in_log(done.stderr) or [f"exit code {done.returncode}"]
        console.print(f"Not everything was cleaned up, the next run does it: {told[0]}", markup=False)
