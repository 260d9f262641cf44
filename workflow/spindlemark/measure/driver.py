"""The driver: measures every family in the same way. It handles locks, clocks, gates and records."""

import os
import time
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

from spindlemark import config
from spindlemark.core import paths, running
from spindlemark.core.errors import UserError
from spindlemark.core.gate_bounds import CLOCK_DRIFT
from spindlemark.core.outcome import Outcome
from spindlemark.core.process.lock import machine_lock
from spindlemark.core.record import Record, Scalar, Series, Spec, Status, read_record, read_spec
from spindlemark.core.record_store import write_once
from spindlemark.families import registry as families
from spindlemark.families import shared_factors as factors
from spindlemark.harness import environment, session
from spindlemark.harness.repetition import Repetition
from spindlemark.measure import vm_bundle, vm_library
from spindlemark.measure.cleaning import before_measuring
from spindlemark.measure.preconditions import require_able, require_same_machine, require_sound
from spindlemark.testbeds import kind
from spindlemark.testbeds.load import Sampler
from spindlemark.testbeds.remote import DriverFunctions

FUNCTIONS = DriverFunctions(
    environment.machine, environment.software, environment.passing, vm_bundle.install, vm_library.sent
)


def measure(
    spec_path: Path,
    number: int,
    wait: bool = True,
    limit_seconds: float | None = None,
    interim_analyses: int = 0,
    block: str = "",
) -> Record:
    """Measure one repetition and write its record next to the spec; an existing record is returned as it is.

    `interim_analyses` is the number of evaluations before the repetition was requested, which the stopping rule needs.
    `block` names the repetitions that are measured close together.
    Raises UserError for what the user can fix (kind.Unusable for the testbed), Interrupted after a signal, and any other
    exception for a harness failure: then there is no result, and nothing is written.
    """
    output = paths.record_path(spec_path.absolute(), number)
    if output.exists():
        return read_record(output)
    registry, spec = config.load(), read_spec(spec_path)
    require_sound(spec, spec_path, number)
    name = spec.experiment.testbed
    declared = config.choose(registry.testbeds, name, "testbed", "config/testbeds/")
    require_able(declared)
    with machine_lock(wait, purpose=f"testbed {name}") as lock:
        if output.exists():  # a job that outlived its workflow wrote it while this one waited
            return read_record(output)
        before_measuring(name, declared)
        require_same_machine(spec, registry)
        repetition = Repetition(
            spec, number, registry, declared, families.metrics(spec.experiment.family), limit_seconds, (lock,)
        )
        this_session = session.present(datetime.now(UTC))
        repetition.note(
            this_session | {session.INTERIM_ANALYSES: interim_analyses} | ({session.BLOCK: block} if block else {})
        )
        try:
            record = _measured(repetition)
            session.ended(this_session, datetime.now(UTC))
            # This comes last: a job that is killed later runs once more, and finds its record.
            write_once(output, record.model_dump_json(indent=1) + "\n")
        finally:
            running.remove()
    return record


def _measured(repetition: Repetition) -> Record:
    """Measure one repetition, here or inside the testbed, and clean up in any case."""
    remote = kind.of(repetition.declared).remote
    try:
        return remote.measure(repetition, FUNCTIONS) if remote else run_family(repetition, environment.lasting())
    finally:
        kind.settle(repetition.spec.experiment.testbed, repetition.declared)


def run_family(repetition: Repetition, lasting: dict[str, Scalar]) -> Record:
    """Open the testbed and run the family's steps; every outcome becomes a record, with `lasting` in its environment."""
    spec, name = repetition.spec, repetition.spec.experiment.testbed
    clocks = _clocks()
    running.write(spec, repetition.number, "prepare", repetition.started)
    repetition.slowdown = factors.slowdown(spec.experiment.family, repetition.factors)
    fields: dict[str, Scalar] = lasting | _prefixed("before", environment.passing())
    status: Status = "ok"
    reason: str | None = None
    series: list[Series] = []
    size = spec.experiment.fingerprint["device"]["bytes"]
    with ExitStack() as opened:
        try:
            if kind.of(repetition.declared).in_memory:
                factors.prepare(spec.experiment.family, repetition.factors, repetition.declared)
            testbed = opened.enter_context(
                kind.of(repetition.declared).opened(
                    name, repetition.declared, size, opening(spec, repetition.declared), repetition.run
                )
            )
        except UserError as error:
            raise kind.Unusable(error.problem, error.remedy) from None
        except Outcome as outcome:  # the testbed does not support the settings
            return repetition.record(
                outcome.status, outcome.reason, [], fields | _prefixed("after", environment.passing())
            )
        repetition.testbed = testbed
        os.sync()
        with Sampler(testbed.counters()) as sampler:
            try:
                families.get(spec.experiment.family).steps(repetition)
                _require_clock(repetition, clocks)
            except Outcome as outcome:
                status, reason = outcome.status, outcome.reason
            fields |= testbed.facts()
        series = sampler.series()
    return repetition.record(status, reason, series, fields | _prefixed("after", environment.passing()))


def opening(spec: Spec, declared: config.Testbed) -> kind.Settings:
    """How the testbed is opened for the experiment: what its factors say about the device."""
    return factors.opening(spec.experiment.family, spec.experiment.factors, declared)


def _clocks() -> tuple[float, float, float]:
    return (
        time.clock_gettime(time.CLOCK_MONOTONIC),
        time.clock_gettime(time.CLOCK_MONOTONIC_RAW),
        time.clock_gettime(time.CLOCK_BOOTTIME),
    )


def _require_clock(repetition: Repetition, begun: tuple[float, float, float]) -> None:
    """Check the clock that times commands against the raw oscillator and the clock that includes suspended time."""
    steady, raw, awake = (now - then for now, then in zip(_clocks(), begun, strict=True))
    drift = (abs(steady - raw) + abs(awake - steady)) / steady
    repetition.require(
        "clock",
        drift <= CLOCK_DRIFT,
        drift,
        CLOCK_DRIFT,
        "1",
        "drift of the monotonic clock, with time suspended",
        whole=True,
    )


def _prefixed(prefix: str, fields: dict[str, Scalar]) -> dict[str, Scalar]:
    return {f"{prefix}.{name}": value for name, value in fields.items()}
