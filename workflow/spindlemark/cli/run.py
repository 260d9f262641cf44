"""Measure what is missing, add rounds to inconclusive comparisons while the budget lasts, then build the site."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from rich.console import Console

from spindlemark import config
from spindlemark.analysis.findings import findings_files, inconclusive
from spindlemark.cli import adaptive, progress, snakemake_process, workflow_call
from spindlemark.cli.budget import Budget
from spindlemark.cli.failures import Failures, NotMeasuredError
from spindlemark.cli.publishable import require_publishable
from spindlemark.cli.snakemake_process import Engine
from spindlemark.cli.terminal import standings
from spindlemark.core import paths
from spindlemark.core.errors import UserError
from spindlemark.core.process import unpacked
from spindlemark.core.record import Spec
from spindlemark.families import registry as families
from spindlemark.families.aaf_scale import build
from spindlemark.families.factors.filesystem import FILESYSTEM
from spindlemark.harness import session
from spindlemark.measure import pending, plan
from spindlemark.measure.pending import Job
from spindlemark.measure.plan import Plan
from spindlemark.measure.request import TEXTS, Request, testbeds
from spindlemark.testbeds import fingerprint, hosts
from spindlemark.testbeds.vm import zfs

FINDINGS = paths.BUILD / "current" / "findings.json"
WORTH_SHOWING = 60.0  # seconds of a round, after which a run shows what it knows so far
LAST_ANALYSIS = (
    "This was the last planned analysis of this session: more would find differences by chance. On another day or after "
    "a restart, ./spindlemark run --new-session can decide more."
)
ONE_SESSION_A_DAY = (
    "The session of today has all declared rounds. Another one begins on another day or after a restart."
)


def settings(request: Request) -> dict[str, object]:
    """The request as Snakemake `--config` values."""
    return {key: getattr(request, key) for key in (*TEXTS, "repetitions")}


def require_valid(request: Request) -> set[str]:
    """The testbeds of the run; raises UserError for a wrong request or declaration, before anything is installed."""
    registry = config.load()
    require_publishable()
    return testbeds(registry, request)


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
    _fetch(registry, request, console)
    with progress.activity(console, "planning"):
        planned, specs = plan.make(registry, request)
        plan.write(planned, specs)
        session = present_session()
        jobs = pending.new_session(planned, session) if new_session else pending.missing(planned)
    if new_session and not jobs:
        console.print(ONE_SESSION_A_DAY, highlight=False, markup=False, soft_wrap=True)
    budget = Budget(60 * (minutes or registry.profiles[planned.profile].minutes(request.family, request.part)))
    run = _Run(request, console, planned, {spec.identity: spec for spec in specs}, budget)
    with workflow_call.cleaned(console):
        run.declared(jobs)
        if adaptive_sampling:
            run.adaptive_rounds()
        if site:
            workflow_call.publish(console)
        run.report_failures(jobs)


def _fetch(registry: config.Registry, request: Request, console: Console) -> None:
    """Unpack the servers and build the programs of the families that this run measures.

    This comes before the plan, since identities include their versions.
    """
    profile = registry.profiles.get(request.profile or registry.config.profile)
    default = [name for name in registry.experiments if profile and profile.amount(name).alone_minutes is None]
    names = [request.family] if request.family else default
    wanted = {program for name in names for program in families.unpacked(name)}
    failed = [*unpacked.fetch(wanted), *build.make(program for name in names for program in families.built(name))]
    for kernels, suite in _kernels_with_zfs(registry, request, names):
        failed += zfs.make(kernels, suite)
    for reason in failed:
        console.print(reason, markup=False)
    fingerprint.forget_versions()


def _kernels_with_zfs(registry: config.Registry, request: Request, names: list[str]) -> set[tuple[str, str]]:
    """Folder and suite of the kernels of the virtual machines on which this run measures ZFS."""
    profile = request.profile or registry.config.profile
    chosen = [
        testbed
        for name in names
        for each in registry.experiments[name].sets
        if zfs.FILESYSTEM in each.factors.get(FILESYSTEM.name, []) and (not each.profiles or profile in each.profiles)
        for testbed in each.testbeds
        if request.testbed in (None, testbed)
    ]
    machines = [bed for name in chosen if isinstance(bed := registry.testbeds.get(name), config.VmTestbed)]
    return {(machine.kernels, machine.kernel) for machine in machines}


def present_session() -> str:
    """The session that a repetition measured now would belong to."""
    return str(session.present(datetime.now(UTC))["session.id"])


@dataclass
class _Run:
    """One `run`: all its calls of the workflow share the budget, the name, the count of rounds and the failures."""

    request: Request
    console: Console
    planned: Plan
    specs: dict[str, Spec]
    budget: Budget
    name: str = field(default_factory=snakemake_process.name)
    rounds: int = 0
    failures: Failures = field(default_factory=Failures)

    def declared(self, jobs: list[Job]) -> None:
        """Measure `jobs`, one kind of testbed after the other, each with its share of the time; then unfinished ones."""
        expected = self._seconds(jobs)
        self._announce(jobs, expected)
        left, unfinished = expected, []
        for kind in dict.fromkeys(job.experiment.kind for job in jobs):
            own = [job for job in jobs if job.experiment.kind == kind]
            seconds = self._seconds(own)
            if self._by_round(own, self.budget.left * seconds / left):
                unfinished += own
            left -= seconds
        if self._unfinished(unfinished) and self.budget.left > 0:
            self._measured(self._unfinished(unfinished), 0, self.budget.left)
        if rest := self._unfinished(unfinished):
            self.console.print(
                f"The time budget ended: {len(rest)} of {len(jobs)} declared repetitions are left for the next run."
            )

    def _by_round(self, jobs: list[Job], seconds: float) -> bool:
        """Measure `jobs` for up to `seconds`, and after each long round show what is known; returns as `_measured`."""
        reserved = self.budget.left - seconds
        rounds = [[job for job in jobs if job.round == number] for number in dict.fromkeys(job.round for job in jobs)]
        if min(map(self._seconds, rounds)) < WORTH_SHOWING:
            return self._measured(jobs, 0, seconds)
        for number, own in enumerate(rounds, start=1):
            if self._measured(own, 0, self.budget.left - reserved):
                return True
            left = sum(map(self._seconds, rounds[number:]))
            if left and any((paths.ROOT / job.record).exists() for job in own):
                workflow_call.publish(self.console, str(FINDINGS.relative_to(paths.ROOT)))
                standings.show(self.console, findings_files.read(FINDINGS), number, len(rounds), left)
        return False

    def adaptive_rounds(self) -> None:
        """Evaluate the results and add rounds for inconclusive questions, until no more can be decided in time."""
        session = present_session()
        analyses = pending.interim_analyses(self.planned, session)
        away = {name for names in hosts.others(config.load()).values() for name in names}
        while True:
            workflow_call.publish(self.console, str(FINDINGS.relative_to(paths.ROOT)))
            found = [each for each in inconclusive.questions(findings_files.read(FINDINGS)) if each.testbed not in away]
            present = [question for question in found if question.session == session]
            analyses += 1
            with progress.activity(self.console, "choosing what to measure next"):
                spending = adaptive.spend(present, self._known(session), self.budget.left)
                jobs = pending.more(self.planned, spending.rounds, self.rounds + 1)
            title = f"Interim analysis {analyses} of at most {adaptive.PLANNED_ANALYSES}:"
            last = bool(jobs) and analyses >= adaptive.PLANNED_ANALYSES
            self._print([title, *adaptive.verdict_counts(present), *([LAST_ANALYSIS] if last else spending.lines())])
            if last:
                return
            if not jobs:
                self._print(_earlier_sessions(found, session))
                return
            if self._measured(jobs, analyses, self.budget.left):
                self._print(["The time budget ended: inconclusive questions are left for the next run."])
                return

    def report_failures(self, jobs: list[Job]) -> None:
        """Raise NotMeasuredError that lists what was not measured, or UserError if no testbed of `jobs` was usable."""
        skipped = self.failures.skipped
        fixable = [each for each in skipped.values() if each.fixable]
        if fixable and {job.experiment.testbed for job in jobs} <= skipped.keys():
            raise UserError(fixable[0].problem, fixable[0].remedy)
        if lines := list(self.failures.lines()):
            raise NotMeasuredError("\n".join(["Not everything was measured:", *lines]))

    def _measured(self, jobs: list[Job], analyses: int, seconds: float) -> bool:
        """Measure `jobs` for up to `seconds`; returns whether that time ended before they did.

        `analyses` is the number of interim analyses before. When a testbed becomes unusable after its trial, the workflow is
        called again for the other testbeds.
        """
        self.rounds = max(self.rounds, *(job.round for job in jobs), 0)
        reserved = self.budget.left - seconds
        while jobs := self._unfinished(jobs):
            if self.budget.left <= reserved:
                return True
            provenance = pending.provenance_of(jobs, self.name, analyses)
            workflow = Engine(settings(self.request), ["measured"], provenance)
            watch = progress.Watch(jobs, self._seconds(jobs))
            self.failures.stop = False
            with workflow_call.cleaned(self.console, last=False):
                try:
                    if workflow_call.follow(workflow, watch, self.console, self.failures, self.budget, reserved):
                        return True
                finally:
                    self._forget_measured(jobs)
            if not self.failures.stop:
                return False
        return False

    def _forget_measured(self, jobs: list[Job]) -> None:
        for job in jobs:
            if (paths.ROOT / job.record).exists():
                e = job.experiment
                self.failures.measured(e.testbed, f"{e.experiment} #{job.repetition}")

    def _known(self, session: str) -> dict[str, adaptive.Known]:
        """Experiments that may be measured further: requested, and on a testbed that is not skipped."""
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
            self._print(["All declared rounds are measured: nothing to run."])
            return
        shorter = ", which is shorter: whole rounds come first" if expected > self.budget.left else ""
        self._print(
            [
                f"{len(jobs)} repetitions of {len({job.experiment.identity for job in jobs})} experiments are missing, "
                f"about {progress.duration(expected)} of measuring; the budget is "
                f"{progress.duration(self.budget.left)}{shorter}."
            ]
        )

    def _print(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.console.print(line, highlight=False, markup=False, soft_wrap=True)


def _earlier_sessions(found: Iterable[inconclusive.Question], session: str) -> list[str]:
    """The message about inconclusive questions of sessions before `session`."""
    earlier = [question for question in found if question.session != session and question.verdict == "undecided"]
    if not earlier:
        return []
    return [
        f"{len(earlier)} questions are inconclusive in earlier sessions. To measure a session of today, run: "
        "./spindlemark run --new-session"
    ]
