"""The driver: measures every family in the same way. It handles locks, clocks, gates and records."""

import json
import os
import shutil
import time
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

from spindlemark import config
from spindlemark.core import migrations, ownership, paths, private_files, running
from spindlemark.core.errors import UserError
from spindlemark.core.gate_bounds import CLOCK_DRIFT
from spindlemark.core.outcome import Outcome
from spindlemark.core.process.lock import machine_lock
from spindlemark.core.process.tools import find
from spindlemark.core.record import Record, Scalar, Series, Spec, Status, canonical, read_record, read_spec
from spindlemark.core.record_store import remove_partials, write_once
from spindlemark.families import registry as families
from spindlemark.families import shared_factors as factors
from spindlemark.families.shared import media
from spindlemark.harness import environment, session
from spindlemark.harness.repetition import Repetition
from spindlemark.measure import experiments, vm_bundle, vm_library
from spindlemark.testbeds import (
    background,
    hosts,
    kernel_modules,
    kind,
    memory,
    memory_group,
    mountpoint,
    namespaces,
)
from spindlemark.testbeds.load import Sampler
from spindlemark.testbeds.remote import DriverFunctions

FUNCTIONS = DriverFunctions(
    environment.machine, environment.software, environment.passing, vm_bundle.install, vm_library.sent
)
CLEAN_SECONDS = 120.0  # a clean-up waits so long for another measurement; the next one removes what it had to leave


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
    _require_sound(spec, spec_path, number)
    name = spec.experiment.testbed
    declared = config.choose(registry.testbeds, name, "testbed", "config/testbeds/")
    _require_able(declared)
    with machine_lock(wait, purpose=f"testbed {name}") as lock:
        if output.exists():  # a job that outlived its workflow wrote it while this one waited
            return read_record(output)
        _end_leftovers()
        kind.settle(name, declared)
        _forget_crashed()
        _require_same_machine(spec, registry)
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


def trial(specs: list[Spec], alone: bool, resident: bool = True) -> list[str]:
    """Try one testbed as the repetitions of `specs` will use it: largest device, each way to open it, each module.

    Returns the reasons for which experiments will be unsupported. Everything is cleaned up, unless the testbed is `alone`
    in the run, since a waiting virtual machine would disturb the others. `resident`: make free memory resident first
    (testbeds.memory). Raises as `measure` does when nothing can be measured on the testbed.
    """
    registry = config.load()
    name = specs[0].experiment.testbed
    declared = config.choose(registry.testbeds, name, "testbed", "config/testbeds/")
    _require_able(declared)
    largest = max(specs, key=lambda spec: spec.experiment.fingerprint["device"]["bytes"])
    settings = [json.loads(text) for text in sorted({canonical(_opening(spec, declared)) for spec in specs})]
    modules = sorted(
        {needed for spec in specs for needed in factors.modules(spec.experiment.family, spec.experiment.factors)}
    )
    with machine_lock(purpose=f"testbed {name}") as lock:
        _end_leftovers()
        kind.settle(name, declared)
        _forget_crashed()
        repetition = Repetition(largest, 1, registry, declared, inherit=(lock,))
        try:
            if resident:
                memory.keep(lambda: running.write(largest, 1, "making memory resident", repetition.started))
            running.write(largest, 1, "trial", repetition.started)
            remote = kind.of(declared).remote
            return (
                remote.trial(repetition, settings, modules, FUNCTIONS)
                if remote
                else try_settings(repetition, settings, modules, lambda: kind.settle(name, declared))
            )
        finally:
            (kind.settle if alone else kind.of(declared).clean)(name, declared)
            running.remove()


def try_settings(
    repetition: Repetition,
    settings: list[kind.Settings],
    modules: list[str],
    settle: Callable[[], None] = lambda: None,
) -> list[str]:
    """Run the trial on the computer that has the device; `settle` removes what an opened testbed leaves."""
    name, declared = repetition.spec.experiment.testbed, repetition.declared
    size = repetition.spec.experiment.fingerprint["device"]["bytes"]
    lacking = []
    for setting in settings:
        try:
            with kind.of(declared).opened(name, declared, size, setting, repetition.run):
                pass
        except Outcome as outcome:  # other settings may work
            lacking.append(outcome.reason)
        settle()
    return lacking + [
        f"kernel {os.uname().release} has no {module}" for module in modules if not kernel_modules.loads(module)
    ]


def clean_all(within: float = CLEAN_SECONDS, keep_memory: bool = False) -> None:
    """Remove everything that measurements leave in memory and on disk when no repetition follows.

    With `keep_memory` free memory stays resident for further measurements of the same run.
    Raises UserError when another project measures for longer than `within` seconds: this limit is one for all testbeds.
    """
    _require_root()
    with machine_lock(limit_seconds=within, purpose="cleaning up"):
        for name, declared in config.load().testbeds.items():
            if hosts.is_here(declared):
                _clean(name, declared)
        if not keep_memory:
            memory.restore()
    shutil.rmtree(paths.BUILD / "runs", ignore_errors=True)
    ownership.give_back()


def clean(testbed: str, declared: config.Testbed, wait: bool = True) -> None:
    """Clean up one testbed, also where its tools are missing."""
    _require_root()
    with machine_lock(wait, CLEAN_SECONDS, f"testbed {testbed}"):
        _clean(testbed, declared)


def _clean(testbed: str, declared: config.Testbed) -> None:
    _end_leftovers()
    kind.of(declared).clean(testbed, declared)
    _forget_crashed()
    media.clear(Path(declared.source_directory))
    remove_partials((paths.RAW / testbed).glob("*/*/*"))


def _end_leftovers() -> None:
    """End the processes of killed programs, and remove what they kept below /run; the caller holds the machine's lock."""
    background.end_leftovers()
    namespaces.remove()
    memory_group.remove_leftovers()
    mountpoint.remove_leftovers()
    private_files.remove_partial_notes()


def _forget_crashed() -> None:
    remove_partials(running.crashed_folders())
    running.remove()


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
                    name, repetition.declared, size, _opening(spec, repetition.declared), repetition.run
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


def _require_sound(spec: Spec, spec_path: Path, number: int) -> None:
    if number < 1:
        raise UserError(f"repetition {number}: does not exist", "count repetitions from 1")
    if spec.experiment.method != families.method(spec.experiment.family):
        raise UserError(
            f"{spec_path}: was planned for method {spec.experiment.method} of {spec.experiment.family}, "
            f"the program has {families.method(spec.experiment.family)}",
            "plan again: ./spindlemark run",
        )


def _require_root() -> None:
    if os.geteuid() != 0:
        raise UserError("measuring needs root, to make devices and filesystems", "run it with sudo")


def _require_able(declared: config.Testbed) -> None:
    _require_root()
    for tool, package in kind.of(declared).tools.items():
        if find(tool) is None:
            raise UserError(f"{tool} is not installed", f"install the package {package}")


def _opening(spec: Spec, declared: config.Testbed) -> kind.Settings:
    return factors.opening(spec.experiment.family, spec.experiment.factors, declared)


def _require_same_machine(spec: Spec, registry: config.Registry) -> None:
    """Raise UserError if the plan was made on another machine, or before an update: the identity would be wrong."""
    e, planned = spec.experiment, spec.experiment.fingerprint
    present = experiments.fingerprint(e.family, e.testbed, e.factors, planned["device"]["bytes"], registry)
    if migrations.has_no_host(planned):
        present = migrations.without_host(present)
    differing = [
        key
        for key in sorted(planned.keys() | present.keys())
        if canonical(planned.get(key)) != canonical(present.get(key))
    ]
    if differing:
        raise UserError(
            f"{spec.experiment.experiment}: was planned for another machine or before an update: "
            f"{', '.join(differing)} differ",
            "run it again: ./spindlemark run makes a new plan",
        )


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
