"""What a record says twice: gates from what they observed, numbers from commands, factors and what tools printed.

A sample that was made up has to agree with itself in all of them.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any

from spindlemark.core.record import NOISE, Gate, Record
from spindlemark.harness.fill_check import FULLEST
from spindlemark.measure.driver import CLOCK_BOUND

_LEAST, _MOST, _EQUAL = ("at least", "at most", "exactly")
# What each gate asks of what it observed; `content` and `generator_keeps_up` are asked in several ways.
_ASKS: dict[str, str] = {
    "cold_proof": _LEAST,
    "delivered": _LEAST,
    "completeness": _EQUAL,
    "quiet_machine": _MOST,
    "quiet_disk": _MOST,
    "generator_idle": _MOST,
    "clock": _MOST,
    "space": _MOST,
}
_ASKS_IN_STEP = {("completeness", "kill"): _LEAST}  # as many points as the edit has, and not none
_BOUNDS = {"clock": CLOCK_BOUND, "space": FULLEST}
_CLOSE = 1e-6  # relative: what is left of a float in JSON is far closer
_TIMER = 0.001  # seconds: what commands and repetitions may differ by where their clocks are read apart


def problem(record: Record) -> str | None:
    """The first contradiction in a record; None when it agrees with itself."""
    return next(_problems(record), None)


def _problems(record: Record) -> Iterator[str]:
    for at, gate in enumerate(record.validity):
        yield from _gate(f"validity.{at}: {gate.gate}", gate)
    held = all(gate.ok for gate in record.validity if gate.gate not in NOISE)
    if record.status == "ok":
        if not record.measurements:
            yield "status: is ok and nothing was measured"
        if not held:
            yield "status: is ok, and a gate does not hold"
        if not any(gate.gate == "clock" for gate in record.validity):
            yield "validity: lacks the gate of the clock, which every repetition has"
    if record.status == "invalid" and held:
        yield "status: is invalid, and every gate holds"
    yield from _times(record)
    if record.status == "ok":
        yield from _values(record)


def _gate(key: str, gate: Gate) -> Iterator[str]:
    if gate.observed is None or gate.bound is None:
        yield f"{key}: tells neither what it observed nor its bound"
        return
    if gate.gate in _BOUNDS and gate.bound != _BOUNDS[gate.gate]:
        yield f"{key}: its bound is {gate.bound:g}; it is {_BOUNDS[gate.gate]:g} for everybody"
    if gate.gate in NOISE and not 0 < gate.bound <= 1:
        yield f"{key}: its bound is {gate.bound:g}, and no share is larger than 1"
    asks = _ASKS_IN_STEP.get((gate.gate, gate.step or "")) or _ASKS.get(gate.gate)
    holds = {
        _LEAST: gate.observed >= gate.bound,
        _MOST: gate.observed <= gate.bound,
        _EQUAL: gate.observed == gate.bound,
    }
    if gate.gate in NOISE and gate.observed == gate.bound:  # rounded for the record
        return
    if asks and holds[asks] != gate.ok:
        said = "that it holds" if gate.ok else "that it does not hold"
        yield f"{key}: says {said}; {gate.observed:g} is asked to be {asks} {gate.bound:g}"


def _times(record: Record) -> Iterator[str]:
    """No command and no measured time lasts longer than its repetition; nothing costs less than nothing."""
    lasted = (record.finished_at - record.started_at).total_seconds()
    if lasted < 0:
        yield "finished_at: lies before started_at"
    for at, command in enumerate(record.commands):
        spent = [command.seconds, *(s for s in (command.user_seconds, command.system_seconds) if s is not None)]
        if command.seconds > lasted + _TIMER or min(spent) < 0:
            yield f"commands.{at}: lasts {command.seconds:g} s of a repetition of {lasted:g} s"
    for each in record.measurements:
        if each.unit == "s" and not each.metric.endswith("cpu_seconds") and each.value > lasted + _TIMER:
            yield f"measurements: {each.metric} is {each.value:g} s in a repetition of {lasted:g} s"


def _values(record: Record) -> Iterator[str]:
    told = {each.metric: each.value for each in record.measurements}
    again = _AGAIN.get(record.experiment.family)
    try:
        for metric, value in again(record).items() if again else ():
            if metric in told and not math.isclose(told[metric], value, rel_tol=_CLOSE, abs_tol=1e-9):
                yield (
                    f"measurements: {metric} is {told[metric]:g}; the record's own commands, factors and output "
                    f"make it {value:g}"
                )
    except (KeyError, TypeError, IndexError, ValueError, ZeroDivisionError, AttributeError) as error:
        yield f"its numbers cannot be computed again from commands, factors and output: {type(error).__name__} {error}"


def _seconds(record: Record, step: str) -> float:
    return sum(command.seconds for command in record.commands if command.step == step)


def _cpu(record: Record, *steps: str) -> dict[str, float]:
    """Processor time of steps, empty where it was not counted yet."""
    spent = [(c.user_seconds, c.system_seconds) for c in record.commands if c.step in steps]
    counted = [user + system for user, system in spent if user is not None and system is not None]
    return {f"{steps[0]}_cpu_seconds": sum(counted)} if spent and len(counted) == len(spent) else {}


def _lifecycle(record: Record) -> dict[str, float]:
    """Every time is that of a step's commands; rates and ratios follow from the library."""
    library = record.experiment.factors["library"]
    steps = ("format", "mount", "copy", "unmount", "check", "delete")
    found = {f"{step}_seconds": _seconds(record, step) for step in steps}
    measured = {each.metric: each.value for each in record.measurements}
    free = measured.get("used_after_copy_bytes", 0.0)
    return found | {
        "copy_bytes_per_second": library["total"] / found["copy_seconds"],
        "copy_files_per_second": library["files"] / found["copy_seconds"],
        "statfs_overhead_ratio": free / library["total"],
        **{name: value for step in ("copy", "check", "delete") for name, value in _cpu(record, step).items()},
    }


def _creation(record: Record) -> dict[str, float]:
    """Fio's own time and the sync after it; the payload follows from the factors."""
    factors = record.experiment.factors
    job = record.attachments["fio"]["jobs"][0]["write"]
    seconds = job["runtime"] / 1000 + _seconds(record, "sync")
    return {
        "creation_seconds": seconds,
        "creation_sync_seconds": _seconds(record, "sync"),
        "creation_bytes_per_second": factors["files"] * factors["file_bytes"] / seconds,
    }


def _profile(record: Record) -> dict[str, float]:
    """Rates of every load of fio, and what bonnie++ printed."""
    from spindlemark.harness import bonnie

    found: dict[str, float] = {}
    for job in record.attachments["fio"]["jobs"][1:]:
        name = job["jobname"]
        done: dict[str, Any] = job[name.rpartition("_")[2]]
        found |= {f"{name}_bytes_per_second": done["bw_bytes"], f"{name}_iops_per_second": done["iops"]}
    return found | bonnie.parsed(record.attachments["bonnie"]).values


_AGAIN: dict[str, Callable[[Record], dict[str, float]]] = {
    "filesystem_lifecycle": _lifecycle,
    "file_creation": _creation,
    "storage_profile": _profile,
}
