"""`run`: measure what is missing, repeat what is unstable while the budget lasts, publish."""

import json
import time
from dataclasses import dataclass, replace

from rich.console import Console

from spindlemark import declare, engine, families, findings, paths, pending, plan, programs, progress
from spindlemark.errors import UserError, parts
from spindlemark.findings import report
from spindlemark.plan import Plan, Request
from spindlemark.record import Spec, read_spec

MORE = paths.BUILD / "more.json"
REPETITIONS_PER_ROUND = 2
PUBLISHING_SECONDS = 30  # kept free at the end of a budget


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
    values = {key: getattr(request, key) for key in ("profile", "testbed", "repetitions", "family", "only")}
    if request.more:
        plan.write_if_changed(MORE, json.dumps(request.more, sort_keys=True) + "\n")
        values["more"] = MORE
    return values


def measure(request: Request, console: Console, budget: Budget | None = None) -> Plan:
    """Measure what is missing and publish; with a budget, stop measuring when it ends. Returns the plan."""
    planned, specs = plan.make(declare.load(), request)
    plan.write(planned, specs)
    jobs = pending.missing(planned)
    expected = pending.seconds_of(jobs, {s.identity: s for s in specs})
    _announce(console, jobs, {s.identity: s for s in specs}, expected)
    workflow = engine.Engine(settings(request), ["all"])
    deadline = time.monotonic() + budget.left() if budget else float("inf")
    workflow.start()
    try:
        progress.follow(progress.Watch(jobs, expected),
                        lambda: workflow.running() and time.monotonic() < deadline and not workflow.user_errors(), console)
        if workflow.running():
            workflow.interrupt()
            _clean()
            if not (told := workflow.user_errors()):
                console.print("The time budget ended: what is unfinished is left for the next run.")
                publish()
                return planned
            raise UserError(*parts(told[0]))
        workflow.wait()
    except BaseException:
        workflow.interrupt()
        raise
    finally:
        _clean()
    return planned


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


def publish() -> None:
    """Build database, findings and site from what exists, without touching a device."""
    engine.run({"measure": "false"}, ["site"])


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


def _announce(console: Console, jobs: list[pending.Job], specs: dict[str, Spec], expected: float) -> None:
    if not jobs:
        console.print("Everything is measured: nothing to run.")
        return
    identities = {e.identity for e, _ in jobs}
    console.print(f"{len(jobs)} repetitions of {len(identities)} experiments are missing, "
                  f"about {progress.duration(expected)} of measuring.")


def _clean() -> None:
    """Remove what measuring left in memory and on disk; waits for a job that is still ending."""
    programs.run([*programs.PYTHON, "-m", "spindlemark.measure", "--clean"], cwd=paths.ROOT, check=True,
                 stdout=programs.DEVNULL)
