"""Measure what is missing, add rounds to inconclusive comparisons while the budget lasts, then build the site."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from rich.console import Console

from spindlemark import config
from spindlemark.analysis.findings import findings_files, inconclusive
from spindlemark.cli import adaptive, progress, snakemake_process
from spindlemark.cli.failures import Failures
from spindlemark.cli.publishable import require_publishable
from spindlemark.cli.snakemake_process import Engine
from spindlemark.core import paths
from spindlemark.core.errors import UserError, WorkflowError, find_in_log
from spindlemark.core.process import programs, unpacked
from spindlemark.core.record import Spec
from spindlemark.families import registry as families
from spindlemark.families.aaf_scale import build
from spindlemark.harness import session
from spindlemark.measure import pending, plan
from spindlemark.measure.pending import Job
from spindlemark.measure.plan import Plan, Request
from spindlemark.testbeds import fingerprint, hosts

FINDINGS = paths.BUILD / "current" / "findings.json"


class NotMeasuredError(Exception):
    """Something was skipped or failed; all else was measured and published. Its text lists what."""


class Budget:
    """Seconds of measuring that are left.

    They pass from the start of a call's first repetition to the end of its last, and stand still while testbeds are
    tried, another project measures, results are gathered and pages written.
    """

    def __init__(self, seconds: float) -> None:
        self.left = seconds
        self._last: float | None = None

    def heed(self, measuring: bool) -> None:
        """Let the time since the last call pass if it was, and still is, time of measuring."""
        now = time.monotonic()
        if measuring and self._last is not None:
            self.left -= now - self._last
        self._last = now if measuring else None


def settings(request: Request) -> dict[str, object]:
    """The request as Snakemake `--config` values."""
    return {key: getattr(request, key) for key in (*plan.TEXTS, "repetitions")}


def measure(
    request: Request,
    console: Console,
    minutes: float | None = None,
    adaptive_sampling: bool = True,
    new_session: bool = False,
    site: bool = True,
) -> None:
    """Measure what is missing, or all declared rounds in a `new_session`; then add rounds that decide most; then build the `site`.

    Measuring stops after `minutes`, by default those of the profile. Raises NotMeasuredError at the end if a testbed was
    skipped or a measurement failed, UserError if that left nothing to measure.
    """
    registry = config.load()
    require_publishable()
    _fetch(registry, request, console)
    with progress.telling(console, "planning"):
        planned, specs = plan.make(registry, request)
        plan.write(planned, specs)
        session = present_session()
        jobs = pending.new_session(planned, session) if new_session else pending.missing(planned)
    budget = Budget(60 * (minutes or registry.profiles[planned.profile].minutes(request.family)))
    run = _Run(request, console, planned, {spec.identity: spec for spec in specs}, budget)
    try:
        run.declared(jobs)
        if adaptive_sampling:
            run.decide()
        if site:
            publish(console)
        run.account(jobs)
    finally:
        _clean(console)


def _fetch(registry: config.Registry, request: Request, console: Console) -> None:
    """Unpack the servers, and build the programs, of the families that this run measures: before the plan, since identities
    hold their versions.
    """
    profile = registry.profiles.get(request.profile or registry.config.profile)
    asked = [name for name in registry.experiments if profile and profile.amount(name).alone_minutes is None]
    names = [request.family] if request.family else asked
    wanted = {program for name in names for program in families.unpacked(name)}
    for reason in [*unpacked.fetch(wanted), *build.make(program for name in names for program in families.built(name))]:
        console.print(reason, markup=False)
    fingerprint.forget_versions()


def publish(console: Console, target: str = "site") -> None:
    """Build the site, or another target, from what exists, without touching a device."""
    workflow = Engine({"measure": "false"}, [target])
    _followed(workflow, progress.Watch([], 0.0), console, Failures())


def present_session() -> str:
    """The session that a repetition measured now would belong to."""
    return str(session.present(datetime.now(UTC))["session.id"])


@dataclass
class _Run:
    """One `run`: all its calls of the workflow share the budget, the names of rounds, and what failed."""

    request: Request
    console: Console
    planned: Plan
    specs: dict[str, Spec]
    budget: Budget
    name: str = field(default_factory=snakemake_process.name)
    rounds: int = 0
    failures: Failures = field(default_factory=Failures)

    def declared(self, jobs: list[Job]) -> None:
        """Measure `jobs`, one kind of testbed after the other, each with its share of the time; then what was cut off."""
        expected = self._seconds(jobs)
        self._announce(jobs, expected)
        left, cut = expected, []
        for kind in dict.fromkeys(job.experiment.kind for job in jobs):
            own = [job for job in jobs if job.experiment.kind == kind]
            seconds = self._seconds(own)
            if self._measured(own, 0, self.budget.left * seconds / left):
                cut += own
            left -= seconds
        if self._unfinished(cut) and self.budget.left > 0:
            self._measured(self._unfinished(cut), 0, self.budget.left)
        if rest := self._unfinished(cut):
            self.console.print(
                f"The time budget ended: {len(rest)} of {len(jobs)} declared repetitions are left for the next run."
            )

    def decide(self) -> None:
        """Look at the verdicts, add rounds for what is undecided, look again; until nothing more can be decided in time."""
        session = present_session()
        looks = pending.looks(self.planned, session)
        away = {name for names in hosts.others(config.load()).values() for name in names}
        while True:
            publish(self.console, str(FINDINGS.relative_to(paths.ROOT)))
            found = [each for each in inconclusive.questions(findings_files.read(FINDINGS)) if each.testbed not in away]
            present = [question for question in found if question.session == session]
            looks += 1
            with progress.telling(self.console, "choosing what to measure next"):
                spending = adaptive.spend(present, self._known(session), self.budget.left)
                jobs = pending.more(self.planned, spending.rounds, self.rounds + 1)
            self._tell([f"Look {looks}:", *adaptive.told(present), *spending.words()])
            if not jobs:
                if earlier := [q for q in found if q.session != session and q.verdict == "undecided"]:
                    self._tell(
                        [
                            f"{len(earlier)} questions are inconclusive in earlier sessions. To measure a session of today, run: "
                            "./spindlemark run --new-session"
                        ]
                    )
                return
            if self._measured(jobs, looks, self.budget.left):
                self._tell(["The time budget ended: what is undecided is left for the next run."])
                return

    def account(self, jobs: list[Job]) -> None:
        """Say what was not measured."""
        skipped = self.failures.skipped
        fixable = [each for each in skipped.values() if each.fixable]
        if fixable and {job.experiment.testbed for job in jobs} <= skipped.keys():
            raise UserError(fixable[0].problem, fixable[0].remedy)
        if lines := list(self.failures.lines()):
            raise NotMeasuredError("\n".join(["Not everything was measured:", *lines]))

    def _measured(self, jobs: list[Job], looks: int, seconds: float) -> bool:
        """Measure `jobs` for up to `seconds`; returns whether that time ended before they did.

        When a testbed turns out to be unusable after its trial, the workflow is called again for the other testbeds.
        """
        self.rounds = max(self.rounds, *(job.round for job in jobs), 0)
        kept = self.budget.left - seconds
        while jobs := self._unfinished(jobs):
            if self.budget.left <= kept:
                return True
            provenance = pending.provenance_of(jobs, self.name, looks)
            workflow = Engine(settings(self.request), ["measured"], provenance)
            watch = progress.Watch(jobs, self._seconds(jobs))
            self.failures.stop = False
            try:
                if _followed(workflow, watch, self.console, self.failures, self.budget, kept):
                    return True
            finally:
                self._forget_measured(jobs)
                _clean(self.console, "--keep-memory")
            if not self.failures.stop:
                return False
        return False

    def _forget_measured(self, jobs: list[Job]) -> None:
        for job in jobs:
            if (paths.ROOT / job.record).exists():
                e = job.experiment
                self.failures.measured(e.testbed, f"{e.experiment} #{job.repetition}")

    def _known(self, session: str) -> dict[str, adaptive.Known]:
        """What of the run's experiments may be measured further: neither what it was not asked for, nor what is skipped."""
        return {
            e.identity: adaptive.Known(
                e.repetitions,
                pending.in_session(e, session),
                pending.seconds(e, self.specs[e.identity]),
                self.planned.stability.most_repetitions,
            )
            for e in self.planned.experiments
            if e.chosen and e.testbed not in self.failures.skipped
        }

    def _seconds(self, jobs: list[Job]) -> float:
        return pending.seconds_of(jobs, self.specs)

    def _unfinished(self, jobs: list[Job]) -> list[Job]:
        return [
            job
            for job in jobs
            if job.experiment.testbed not in self.failures.skipped and not (paths.ROOT / job.record).exists()
        ]

    def _announce(self, jobs: list[Job], expected: float) -> None:
        if not jobs:
            self._tell(["All declared rounds are measured: nothing to run."])
            return
        longer = ", more than that" if expected > self.budget.left else ""
        self._tell(
            [
                f"{len(jobs)} repetitions of {len({job.experiment.identity for job in jobs})} experiments are missing, "
                f"about {progress.duration(expected)} of measuring; the budget is "
                f"{progress.duration(self.budget.left)}{longer and ', less than that: whole rounds come first'}."
            ]
        )

    def _tell(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.console.print(line, highlight=False, markup=False, soft_wrap=True)


def _followed(
    workflow: Engine,
    watch: progress.Watch,
    console: Console,
    failures: Failures,
    budget: Budget | None = None,
    kept: float = 0.0,
) -> bool:
    """Run the workflow until it ends, the budget has no more than `kept`, or it has to be called again for fewer testbeds.

    Returns whether the budget ended first. Raises what `wait` raises, unless `failures` say what was not measured.
    """
    before = len(failures.failed), len(failures.skipped)

    def goes_on() -> bool:
        if budget:
            budget.heed(workflow.measuring() and not progress.waiting(workflow))
        over = budget is not None and budget.left <= kept
        return workflow.running() and not (over or failures.stop or workflow.user_errors())

    workflow.start()
    try:
        progress.follow(workflow, watch, console, goes_on, failures)
        if workflow.running():
            workflow.interrupt()
            failures.take(workflow.news())
            if told := workflow.user_errors():
                raise told[0]
            return not failures.stop
        try:
            failures.take(workflow.wait())
        except WorkflowError:
            if before == (len(failures.failed), len(failures.skipped)):
                raise  # else the jobs failed as `failures` say
    except BaseException:
        workflow.interrupt()
        raise
    finally:
        if budget:
            budget.heed(False)
    return False


def _clean(console: Console, *words: str) -> None:
    """Remove what measuring left in memory and on disk; waits for a job that is still ending."""
    with progress.telling(console, "cleaning up"):
        done = programs.run(
            [*programs.PYTHON, "-m", "spindlemark.measure", "--clean", *words],
            cwd=paths.ROOT,
            text=True,
            stdout=programs.DEVNULL,
            stderr=programs.PIPE,
        )
    if done.returncode:
        told = find_in_log(done.stderr) or [f"exit code {done.returncode}"]
        console.print(f"Not everything was cleaned up, the next run does it: {told[0]}", markup=False)
