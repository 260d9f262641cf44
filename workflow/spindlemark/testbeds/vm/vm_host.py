"""The host's side of a repetition: a machine that runs, a disk never written, a request, and the guest's record."""

import hashlib
from pathlib import Path
from typing import Any, NoReturn

from spindlemark.core import running
from spindlemark.core.errors import UserError
from spindlemark.core.outcome import Broken, Failed, Outcome, Unsupported
from spindlemark.core.paths import ROOT
from spindlemark.core.record import Gate, Record, Scalar, canonical
from spindlemark.testbeds import device, image, load
from spindlemark.testbeds.elsewhere import Help, Repetition
from spindlemark.testbeds.kind import Settings, Unusable
from spindlemark.testbeds.vm import accelerator, exchange, machine, packages, userland, vm_disk
from spindlemark.testbeds.vm.processes import Machine


def measured(repetition: Repetition, aid: Help) -> Record:
    """The record of one repetition, made by the guest, with what the host saw of it.

    A guest whose kernel crashes or hangs in a step gives a failed one. Raises UserError with the guest's words or where
    no machine can be had, Broken when it does not boot or is ended from outside, and RuntimeError when the harness
    inside broke.
    """
    seen = aid.machine() | _prefixed("before", aid.passing())
    fields = (
        repetition.notes
        | aid.software()
        | _prefixed("host", seen)
        | packages.facts(repetition.declared.kernels, repetition.declared.kernel)
    )
    name, declared = repetition.spec.experiment.testbed, repetition.declared
    try:
        try:
            answer, busy = _answered(repetition, fields, aid)
        except exchange.NotTaken:
            machine.end(name, declared)
            answer, busy = _answered(repetition, fields, aid)
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
        | _prefixed("host.after", aid.passing())
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


def tried(repetition: Repetition, settings: list[Settings], modules: list[str], aid: Help) -> list[str]:
    """Boot the machine and have the guest try its disk; see driver.trial."""
    virtual = _started(repetition, aid)
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
    """What the guest has instead of a record; its machine is not used again."""
    machine.end(repetition.spec.experiment.testbed, repetition.declared)
    if "problem" in answer:
        raise UserError(answer["problem"], answer["remedy"])
    if "ended" in answer:
        raise Broken(answer["ended"])
    raise RuntimeError(f"the harness broke inside the virtual machine:\n{answer['defect']}")


def _answered(repetition: Repetition, fields: dict[str, Scalar], aid: Help) -> tuple[dict[str, Any], float]:
    """The guest's answer, and the share of the host's CPUs that others used meanwhile. Raises Outcome without one."""
    virtual = _started(repetition, aid)
    folder = machine.folder_of(repetition.spec.experiment.testbed, repetition.declared)
    before = _accounts(virtual)
    answer = _asked(repetition, virtual, folder, fields, aid)
    if "failed" in answer:
        raise Failed(f"{answer['failed']}: {machine.last_words(Path(virtual.log))}")
    return answer, load.others(before, _accounts(virtual))


def _started(repetition: Repetition, aid: Help) -> Machine:
    """The machine that was left waiting, or a new one."""
    name, declared = repetition.spec.experiment.testbed, repetition.declared
    for tool, lacking in machine.lacking().items():
        raise Unusable(f"{tool} is not installed", f"install the package {lacking}")
    try:
        package = packages.fetched(declared.kernels, declared.kernel)
    except Unsupported as unsupported:
        raise Unusable(unsupported.reason, "see what this machine can boot with: ./spindlemark doctor") from None
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
            lambda shared: aid.install(shared, machine.GUEST, tools, declared.idle_seconds),
            key,
        )
    except Failed as failed:
        machine.end(name, declared)
        raise Broken(failed.reason) from None


def _asked(
    repetition: Repetition, virtual: Machine, folder: Path, fields: dict[str, Scalar], aid: Help
) -> dict[str, Any]:
    """The guest's answer; raises Failed when its kernel crashed or hangs, Broken when it is gone without a word."""
    spec, declared = repetition.spec, repetition.declared
    with aid.library(spec.experiment, folder, declared) as words:
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
        except exchange.NotTaken:
            raise
        except Failed as failed:
            said = f"{failed.reason}: {machine.last_words(Path(virtual.log))}"
            if not virtual.alive() and not machine.complained(Path(virtual.log)):
                raise Broken(said) from None
            raise Failed(said) from None


def _request(repetition: Repetition, virtual: Machine) -> dict[str, Any]:
    """What every request says: which experiment, with which declarations, on which disk."""
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
    """Changes with everything that the machine was started with: declaration, kernel, accelerator, our own code."""
    code = sorted((str(path), path.stat().st_mtime_ns) for path in Path(__file__).parents[2].rglob("*.py"))
    parts = [repetition.declared.model_dump(mode="json"), version, chosen, code]
    return hashlib.sha256(canonical(parts).encode()).hexdigest()


def _accounts(virtual: Machine) -> load.Accounts:
    """The host's accounts, with the machine's own CPU time as ours."""
    return load.accounts().with_own(virtual.cpu_seconds())


def _prefixed(prefix: str, fields: dict[str, Scalar]) -> dict[str, Scalar]:
    return {f"{prefix}.{name}": value for name, value in fields.items()}
