"""The host's side of a repetition: a machine that runs, a disk never written, a request, and the guest's record."""

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

from spindlemark.errors import UserError
from spindlemark.measure import environment, load, running
from spindlemark.measure.outcome import Failed, Outcome, Unsupported
from spindlemark.measure.session import Session
from spindlemark.paths import ROOT
from spindlemark.record import Gate, Record, Scalar, canonical
from spindlemark.testbeds import device, image
from spindlemark.testbeds.vm import accelerator, disk, exchange, library, machine, packages, userland
from spindlemark.testbeds.vm.machine import Machine


def measured(session: Session) -> Record:
    """The record of one repetition, made by the guest, with what the host saw of it.

    A machine that does not boot, ends or hangs gives a failed one. Raises UserError with the guest's words, and
    RuntimeError when the harness inside the guest broke.
    """
    seen = environment.machine() | _prefixed("before", environment.passing())
    fields = environment.software() | _prefixed("host", seen) \
        | packages.facts(session.declared.kernels, session.declared.kernel)
    try:
        try:
            answer, busy = _answered(session, fields)
        except exchange.NotTaken:
            machine.end(session.spec.experiment.testbed, session.declared)
            answer, busy = _answered(session, fields)
    except Outcome as outcome:
        machine.end(session.spec.experiment.testbed, session.declared)
        return session.record(outcome.status, outcome.reason.replace(f"{ROOT}/", ""), [], fields)
    if "record" not in answer or answer["broken"]:
        machine.end(session.spec.experiment.testbed, session.declared)
    if "record" not in answer:
        if "problem" in answer:
            raise UserError(answer["problem"], answer["remedy"])
        raise RuntimeError(f"the harness broke inside the virtual machine:\n{answer['defect']}")
    record = Record.model_validate(answer["record"])
    fields = record.environment | _prefixed("host.after", environment.passing()) \
        | device.backing_facts(machine.directory_of(session.declared))
    bound = session.declared.busy_bound
    quiet = Gate(gate="quiet_machine", ok=busy <= bound, observed=round(busy, 4), bound=bound, unit="1",
                 detail="share of the host's CPUs stolen or used by other processes than the virtual machine")
    return record.model_copy(update={"environment": dict(sorted(fields.items())),
                                     "validity": [*record.validity, quiet]})


def _answered(session: Session, fields: dict[str, Scalar]) -> tuple[dict[str, Any], float]:
    """The guest's answer, and the share of the host's CPUs that others used meanwhile. Raises Outcome without one."""
    virtual = _started(session)
    folder = machine.folder_of(session.spec.experiment.testbed, session.declared)
    before = _accounts(folder)
    answer = _asked(session, virtual, folder, fields)
    if "failed" in answer:
        raise Failed(f"{answer['failed']}: {machine.last_words(Path(virtual.log))}")
    return answer, load.others(before, _accounts(folder))


def _started(session: Session) -> Machine:
    """The machine that was left waiting, or a new one."""
    name, declared = session.spec.experiment.testbed, session.declared
    for tool, package in machine.lacking().items():
        raise Unsupported(f"{tool} is not installed: the package {package} brings it")
    package = packages.fetched(declared.kernels, declared.kernel)
    chosen = accelerator.chosen(package)
    key = _key(session, package.version, chosen)
    found = machine.running(name, declared)
    if found is not None and found.key == key:
        return found
    machine.end(name, declared)
    running.say(session.spec, session.repetition, "boot", session.started)
    return machine.start(name, declared, package, chosen, _size(session), userland.files(session.registry), key)


def _asked(session: Session, virtual: Machine, folder: Path, fields: dict[str, Scalar]) -> dict[str, Any]:
    """The guest's answer; raises Failed when there is none."""
    spec, declared = session.spec, session.declared
    shared = folder / machine.SHARED
    path = image.path_of(machine.directory_of(declared), spec.experiment.testbed)
    with library.sent(session.factors.get("library"), folder, declared) as words:
        disk.renew(path, spec.experiment.testbed, _size(session), folder / machine.SOCKET)
        request = {"spec": spec.model_dump(mode="json"), "repetition": session.repetition, "serial": virtual.serial,
                   "registry": session.registry.model_dump(mode="json"), "limit_seconds": session.limit_seconds,
                   "environment": fields, **words}
        try:
            return exchange.ask(shared, request, virtual.alive, declared.silence_seconds, declared.repetition_seconds,
                                lambda step: running.say(spec, session.repetition, step, session.started))
        except Failed as failed:
            raise type(failed)(f"{failed.reason}: {machine.last_words(Path(virtual.log))}") from None


def _size(session: Session) -> int:
    return session.spec.experiment.fingerprint["device"]["bytes"]


def _key(session: Session, version: str, chosen: str) -> str:
    """Changes with everything that the machine was started with: declaration, kernel, accelerator, our own code."""
    code = sorted((str(path), path.stat().st_mtime_ns) for path in Path(__file__).parents[2].rglob("*.py"))
    parts = [session.declared.model_dump(mode="json"), version, chosen, code]
    return hashlib.sha256(canonical(parts).encode()).hexdigest()


def _accounts(folder: Path) -> load.Accounts:
    """The host's accounts, with the machine's own CPU time as ours."""
    seen = load.accounts()
    return replace(seen, own=seen.own + machine.cpu_seconds(folder))


def _prefixed(prefix: str, fields: dict[str, Scalar]) -> dict[str, Scalar]:
    return {f"{prefix}.{name}": value for name, value in fields.items()}
