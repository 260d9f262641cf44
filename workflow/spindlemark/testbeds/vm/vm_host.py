"""The host's side of a repetition: start the machine, renew its disk, send the request, return the guest's record."""

import hashlib
from pathlib import Path
from typing import Any, NoReturn

from spindlemark.core import running
from spindlemark.core.errors import UserError
from spindlemark.core.outcome import Broken, Failed, Outcome, Unsupported
from spindlemark.core.paths import ROOT
from spindlemark.core.record import Gate, Record, Scalar, canonical
from spindlemark.testbeds import device, image, load
from spindlemark.testbeds.kind import Settings, Unusable
from spindlemark.testbeds.remote import DriverFunctions, Repetition
from spindlemark.testbeds.vm import accelerator, exchange, machine, packages, userland, vm_disk
from spindlemark.testbeds.vm.processes import Machine


def measure(repetition: Repetition, driver: DriverFunctions) -> Record:
    """Return the guest's record of one repetition, with the host's environment and load.

    A guest whose kernel crashes or hangs in a step gives a failed one. Raises UserError with the guest's message or
    where no machine can be started, Broken when it does not boot or is ended from outside, and RuntimeError when the
    harness inside failed.
    """
    seen = driver.machine() | _prefixed("before", driver.passing())
    fields = (
        repetition.notes
        | driver.software()
        | _prefixed("host", seen)
        | packages.facts(repetition.declared.kernels, repetition.declared.kernel)
    )
    name, declared = repetition.spec.experiment.testbed, repetition.declared
    try:
        try:
            answer, busy = _answered(repetition, fields, driver)
        except exchange.NotStarted:
            machine.end(name, declared)
            answer, busy = _answered(repetition, fields, driver)
    except Outcome as outcome:
        machine.end(name, declared)
        return repetition.record(outcome.status, outcome.reason.replace(f"{ROOT}/", ""), [], fields)
    except Broken:
        machine.end(name, declared)
        raise
    if "record" not in answer:
        _raise(repetition, answer)
    if answer["broken"]:
        machine.end(name, declared)
    record = Record.model_validate(answer["record"])
    fields = (
        record.environment
        | _prefixed("host.after", driver.passing())
        | device.backing_facts(machine.directory_of(repetition.declared))
    )
    bound = repetition.declared.busy_bound
    quiet = Gate(
        gate="quiet_machine",
        ok=busy <= bound,
        observed=round(busy, 4),
        bound=bound,
        unit="1",
        detail="share of the host's CPUs stolen or used by other processes than the virtual machine",
    )
    return record.model_copy(
        update={"environment": dict(sorted(fields.items())), "validity": [*record.validity, quiet]}
    )


def trial(repetition: Repetition, settings: list[Settings], modules: list[str], driver: DriverFunctions) -> list[str]:
    """Boot the machine and run the trial inside; see measure.testbed_trial."""
    virtual = _started(repetition, driver)
    shared = machine.folder_of(repetition.spec.experiment.testbed, repetition.declared) / machine.SHARED
    _renew_disk(repetition)
    request = _request(repetition, virtual) | {"trial": {"settings": settings, "modules": modules}}
    answer = exchange.ask(
        shared,
        request,
        virtual.alive,
        repetition.declared.silence_seconds,
        repetition.declared.repetition_seconds,
        lambda step: None,
    )
    if "lacks" not in answer:
        _raise(repetition, answer)
    return answer["lacks"]


def _raise(repetition: Repetition, answer: dict[str, Any]) -> NoReturn:
    """Raise the error that the guest sent instead of a record; its machine is not used again."""
    machine.end(repetition.spec.experiment.testbed, repetition.declared)
    if "problem" in answer:
        raise UserError(answer["problem"], answer["remedy"])
    if "ended" in answer:
        raise Broken(answer["ended"])
    raise RuntimeError(f"the harness failed inside the virtual machine:\n{answer['defect']}")


def _answered(
    repetition: Repetition, fields: dict[str, Scalar], driver: DriverFunctions
) -> tuple[dict[str, Any], float]:
    """The guest's answer, and the share of the host's CPUs that others used meanwhile. Raises Outcome without an answer."""
    virtual = _started(repetition, driver)
    folder = machine.folder_of(repetition.spec.experiment.testbed, repetition.declared)
    before = _accounts(virtual)
    answer = _exchanged(repetition, virtual, folder, fields, driver)
    if "failed" in answer:
        raise Failed(f"{answer['failed']}: {machine.last_console_lines(Path(virtual.log))}")
    return answer, load.share_of_others(before, _accounts(virtual))


def _started(repetition: Repetition, driver: DriverFunctions) -> Machine:
    """The machine that waits since the last repetition, or a new one."""
    name, declared = repetition.spec.experiment.testbed, repetition.declared
    for tool, lacking in machine.missing_tools().items():
        raise Unusable(f"{tool} is not installed", f"install the package {lacking}")
    try:
        package = packages.fetch(declared.kernels, declared.kernel)
    except Unsupported as unsupported:
        raise Unusable(unsupported.reason, "see which kernels this machine has: ./spindlemark doctor") from None
    chosen = accelerator.chosen(package)
    key = _key(repetition, package.version, chosen)
    found = machine.running(name, declared)
    if found is not None and found.key == key:
        return found
    machine.end(name, declared)
    running.write(repetition.spec, repetition.number, "boot", repetition.started)
    tools = userland.files(repetition.registry)
    try:
        return machine.start(
            name,
            declared,
            package,
            chosen,
            _size(repetition),
            lambda shared: driver.install(shared, machine.GUEST, tools, declared.idle_seconds),
            key,
        )
    except Failed as failed:
        machine.end(name, declared)
        raise Broken(failed.reason) from None


def _exchanged(
    repetition: Repetition, virtual: Machine, folder: Path, fields: dict[str, Scalar], driver: DriverFunctions
) -> dict[str, Any]:
    """The guest's answer; raises Failed when its kernel crashed or hangs, Broken when it ended without a crash."""
    spec, declared = repetition.spec, repetition.declared
    with driver.library(spec.experiment, folder, declared) as words:
        _renew_disk(repetition)
        request = _request(repetition, virtual) | {"environment": fields, **words}
        try:
            return exchange.ask(
                folder / machine.SHARED,
                request,
                virtual.alive,
                declared.silence_seconds,
                declared.repetition_seconds,
                lambda step: running.write(spec, repetition.number, step, repetition.started),
            )
        except exchange.NotStarted:
            raise
        except Failed as failed:
            reason = f"{failed.reason}: {machine.last_console_lines(Path(virtual.log))}"
            if not virtual.alive() and not machine.kernel_crashed(Path(virtual.log)):
                raise Broken(reason) from None
            raise Failed(reason) from None


def _request(repetition: Repetition, virtual: Machine) -> dict[str, Any]:
    """The fields of every request: the experiment, the declarations and the disk."""
    return {
        "spec": repetition.spec.model_dump(mode="json"),
        "repetition": repetition.number,
        "serial": virtual.serial,
        "registry": repetition.registry.model_dump(mode="json"),
        "limit_seconds": repetition.limit_seconds,
    }


def _renew_disk(repetition: Repetition) -> None:
    name, declared = repetition.spec.experiment.testbed, repetition.declared
    vm_disk.renew(
        image.path_of(machine.directory_of(declared), name),
        name,
        _size(repetition),
        machine.folder_of(name, declared) / machine.SOCKET,
    )


def _size(repetition: Repetition) -> int:
    return repetition.spec.experiment.fingerprint["device"]["bytes"]


def _key(repetition: Repetition, version: str, chosen: str) -> str:
    """A hash of everything that the machine is started with: declaration, kernel, accelerator, our own code."""
    code = sorted((str(path), path.stat().st_mtime_ns) for path in Path(__file__).parents[2].rglob("*.py"))
    parts = [repetition.declared.model_dump(mode="json"), version, chosen, code]
    return hashlib.sha256(canonical(parts).encode()).hexdigest()


def _accounts(virtual: Machine) -> load.CpuTimes:
    """The host's CPU times, with that of the machine counted as ours."""
    return load.cpu_times().with_own(virtual.cpu_seconds())


def _prefixed(prefix: str, fields: dict[str, Scalar]) -> dict[str, Scalar]:
    return {f"{prefix}.{name}": value for name, value in fields.items()}
