"""The repetition: a family's steps run in it. Timing, gates and bookkeeping are the same for all families."""

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import reduce
from pathlib import Path
from typing import Any

from spindlemark import config
from spindlemark.core import running
from spindlemark.core.formula import Facts, evaluate
from spindlemark.core.metric import Metric
from spindlemark.core.outcome import Broken, Failed, Invalid, TimedOut, Unsupported, external_signal
from spindlemark.core.process.command import Finished, execute, without_project_paths
from spindlemark.core.process.interrupts import check, interruptible
from spindlemark.core.process.tools import find
from spindlemark.core.record import Command, Gate, Measurement, Record, Scalar, Series, Spec, Status
from spindlemark.testbeds import load
from spindlemark.testbeds.device import Traffic
from spindlemark.testbeds.kernel_modules import kernel_has
from spindlemark.testbeds.other_traffic import DiskBelow

PREPARE = "prepare"  # the step of commands that run outside of all steps
WAITED = "control.waited_seconds"  # environment field: the time by which steps were prolonged, all together


@dataclass
class Step:
    """A named part of the repetition. `seconds` is the time in its commands, without what the harness does between.

    `cpu_seconds` are those of its commands, `traffic` is what the device was asked for.
    """

    name: str
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    traffic: Traffic = Traffic()

    @property
    def read_bytes(self) -> int:
        """Bytes that the device read."""
        return self.traffic.read_bytes

    @property
    def written_bytes(self) -> int:
        """Bytes that the device wrote."""
        return self.traffic.written_bytes


@dataclass
class Repetition:
    """One repetition while it runs. Attributes that families read: factors, registry, declared (testbed), testbed.

    `metrics` are those that the family declares. `slowdown` is the share of its own time by which each step is prolonged; a
    family whose numbers come from a program's own clock has to prolong those itself.
    """

    spec: Spec
    number: int
    registry: config.Registry
    declared: config.Testbed
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    limit_seconds: float | None = None
    inherit: Sequence[int] = ()
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    testbed: Any = None
    slowdown: float = 0.0
    measurements: list[Measurement] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)
    validity: list[Gate] = field(default_factory=list)
    notes: dict[str, Scalar] = field(default_factory=dict)
    attachments: dict[str, Any] = field(default_factory=dict)
    _step: Step = field(default_factory=lambda: Step(PREPARE))

    @property
    def factors(self) -> dict[str, Any]:
        """The experiment's resolved factors."""
        return self.spec.experiment.factors

    @contextmanager
    def step(self, name: str, cold: bool = True) -> Iterator[Step]:
        """A step, on cold caches by default.

        Its commands are timed, its device traffic is counted, other load on the machine is noticed.
        """
        check()
        running.write(self.spec, self.number, name, self.started)
        if cold:
            drop_caches()
        step = self._step = Step(name)
        traffic, below = self.testbed.transferred(), DiskBelow.of(self.testbed.counters())
        before = load.cpu_times()
        ran = len(self.commands)
        try:
            yield step
            if self.slowdown and len(self.commands) > ran:
                self._prolong(step)
        finally:
            self._step = Step(PREPARE)
            after = load.cpu_times()
            step.traffic = self.testbed.transferred().since(traffic)
            self._note_quiet(
                "quiet_machine",
                name,
                load.share_of_others(before, after),
                "share of the CPUs stolen or used by other processes",
            )
            if below:
                self._note_quiet(
                    "quiet_disk",
                    name,
                    below.others(step.traffic, after.at - before.at),
                    "share of the time in which others kept the disk below busy",
                )

    def run(self, argv: Sequence[str | Path], limit_seconds: float = 600.0, accept: Sequence[int] = (0,)) -> Finished:
        """Run one command of the step and time it. Raises Failed when it ends badly or not within its limit.

        Raises Broken when something else ended it, as the kernel does where memory is short.
        """
        check()
        limit = min(limit_seconds, self.limit_seconds or limit_seconds)
        done = _recorded(execute(argv, limit, self.inherit))
        self._step.seconds += done.seconds
        self._step.cpu_seconds += done.user_seconds + done.system_seconds
        self.commands.append(
            Command(
                step=self._step.name,
                argv=done.argv,
                exit_code=done.exit_code,
                seconds=done.seconds,
                user_seconds=done.user_seconds,
                system_seconds=done.system_seconds,
                minor_faults=done.minor_faults,
                major_faults=done.major_faults,
                stdout=done.stdout,
                stderr=done.stderr,
            )
        )
        if done.timed_out:
            raise TimedOut(f"{self._step.name}: {done.argv[0]} was killed after {limit:g} s, its limit")
        if sign := external_signal(done.exit_code):
            raise Broken(f"{self._step.name}: {done.argv[0]} was ended from outside by {sign}")
        if done.exit_code not in accept:
            raise Failed(f"{self._step.name}: {done.argv[0]} ended with exit code {done.exit_code}: {_last_line(done)}")
        return done

    def measure(self, metric: str, value: float | int) -> None:
        """Record a value of one of the family's METRICS."""
        known = self.metrics[metric]
        self.measurements.append(Measurement(metric=metric, unit=known.unit, value=value, better=known.better))

    def compute(self, metric: str) -> None:
        """Record a value by the formula of its metric, from what the repetition has recorded so far."""
        recorded = {each.metric: each.value for each in self.measurements}
        facts = Facts(self.factors, recorded, self.commands, self.attachments)
        if (found := evaluate(self.metrics[metric].formula or "", facts)) is None:
            raise ValueError(f"{metric}: its formula needs a number that was not recorded yet")
        self.measure(metric, found)

    def measure_work(self, part: str, *steps: Step, runs: int = 1) -> None:
        """Record what `steps` asked of device and processors, as the metrics that `work(part)` describes.

        The mean of `runs` where the steps repeat one command.
        """
        requested = reduce(Traffic.plus, (step.traffic for step in steps))
        work = {
            "device_reads_count": requested.reads,
            "device_writes_count": requested.writes,
            "device_read_bytes": requested.read_bytes,
            "device_written_bytes": requested.written_bytes,
        }
        for name, value in work.items():
            self.measure(f"{part}_{name}", value / runs if runs > 1 else value)
        if self.metrics[f"{part}_cpu_seconds"].formula:
            self.compute(f"{part}_cpu_seconds")
        else:
            self.measure(f"{part}_cpu_seconds", sum(step.cpu_seconds for step in steps) / runs)

    def note(self, fields: dict[str, Scalar]) -> None:
        """Add fields to the environment."""
        self.notes |= fields

    def record(self, status: Status, reason: str | None, series: list[Series], fields: dict[str, Scalar]) -> Record:
        """The record so far; `fields` are the environment's."""
        return Record(
            identity=self.spec.identity,
            experiment=self.spec.experiment,
            repetition=self.number,
            status=status,
            reason=reason,
            started_at=self.started,
            finished_at=datetime.now(UTC),
            measurements=self.measurements,
            series=series,
            commands=self.commands,
            validity=self.validity,
            environment=dict(sorted((fields | self.notes).items())),
            attachments=self.attachments,
        )

    def require(
        self, gate: str, ok: bool, observed: float, bound: float, unit: str, detail: str, whole: bool = False
    ) -> None:
        """Record a validity gate of the present step (or of the `whole`); raises Invalid when it does not hold."""
        step = None if whole else self._step.name
        self.validity.append(
            Gate(gate=gate, step=step, ok=ok, observed=observed, bound=bound, unit=unit, detail=detail)
        )
        if not ok:
            raise Invalid(f"{step or 'repetition'}: {gate} does not hold: {detail}: {observed:g} against {bound:g}")

    def need_tools(self, tools: Sequence[str], package: str) -> None:
        """Raises Unsupported when a tool is not on this machine."""
        for tool in tools:
            if find(tool) is None:
                raise Unsupported(f"{tool} is not installed: the package {package} brings it")

    def need_filesystem(self, module: str) -> None:
        """Raises Unsupported when this kernel cannot mount the filesystem."""
        if not kernel_has(module):
            raise Unsupported(
                f"kernel {os.uname().release} has no {module}: install the kernel package that brings "
                f"the module, as linux-modules-extra-{os.uname().release} on Ubuntu"
            )

    def _prolong(self, step: Step) -> None:
        """Wait at the end of a step, and count that time as part of its last command.

        It is at the end, because what the kernel writes while a command waits would make the next one shorter.
        """
        begun = time.perf_counter()
        with interruptible():
            time.sleep(self.slowdown * step.seconds)
        waited = time.perf_counter() - begun
        step.seconds += waited
        last = self.commands[-1]
        self.commands[-1] = last.model_copy(update={"seconds": last.seconds + waited})
        before = float(self.notes.get(WAITED) or 0.0)
        self.note({"control.slowdown": self.slowdown, WAITED: before + waited})

    def _note_quiet(self, gate: str, step: str, observed: float, detail: str) -> None:
        bound = self.declared.busy_bound
        self.validity.append(
            Gate(
                gate=gate,
                step=step,
                ok=observed <= bound,
                observed=round(observed, 4),
                bound=bound,
                unit="1",
                detail=detail,
            )
        )


def drop_caches() -> None:
    """Let the kernel forget clean pages, directory entries and inodes."""
    Path("/proc/sys/vm/drop_caches").write_text("3")


def _recorded(done: Finished) -> Finished:
    """The command as it is recorded."""
    out, err = without_project_paths([done.stdout, done.stderr])
    return replace(done, argv=without_project_paths(done.argv), stdout=out, stderr=err)


def _last_line(done: Finished) -> str:
    lines = (done.stderr.strip() or done.stdout.strip()).splitlines()
    return lines[-1] if lines else "it printed nothing"
