"""Check that a record agrees with itself: gates with their observations, and values with commands, factors and tool output.

An invented sample must be consistent in all of these.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any

from spindlemark.core import bonnie_output, declared
from spindlemark.core.gate_bounds import CLOCK_DRIFT, FULLEST
from spindlemark.core.metric import Metric
from spindlemark.core.record import NOISE, Gate, Record

_LEAST, _MOST, _EQUAL = ("at least", "at most", "exactly")
# How each gate compares its observation with its bound; `content` and `generator_keeps_up` do so in several ways.
_COMPARISONS: dict[str, str] = {
    "cold_proof": _LEAST,
    "delivered": _LEAST,
    "completeness": _EQUAL,
    "quiet_machine": _MOST,
    "quiet_disk": _MOST,
    "generator_idle": _MOST,
    "clock": _MOST,
    "space": _MOST,
}
_COMPARISONS_IN_STEP = {("completeness", "kill"): _LEAST}  # an edit has one crash point or more
_BOUNDS = {"clock": CLOCK_DRIFT, "space": FULLEST}
_CLOSE = 1e-6  # relative; JSON keeps floats far more precisely
_TIMER = 0.001  # seconds: commands and repetitions read their clocks separately


def problem(record: Record) -> str | None:
    """Return the first contradiction in a record, or None."""
    return next(_problems(record), None)


def _problems(record: Record) -> Iterator[str]:
    for at, gate in enumerate(record.validity):
        yield from _gate(f"validity.{at}: {gate.gate}", gate)
    held = all(gate.ok for gate in record.validity if gate.gate not in NOISE)
    if record.status == "ok":
        if not record.measurements:
            yield "status: is ok, but there are no measurements"
        if not held:
            yield "status: is ok, but a gate failed"
        if not any(gate.gate == "clock" for gate in record.validity):
            yield "validity: lacks the gate `clock`, which each repetition has"
    if record.status == "invalid" and held:
        yield "status: is invalid, but each gate passed"
    yield from _times(record)
    if record.status == "ok":
        yield from _values(record)


def _gate(key: str, gate: Gate) -> Iterator[str]:
    if gate.observed is None or gate.bound is None:
        yield f"{key}: lacks its observation or its bound"
        return
    if gate.gate in _BOUNDS and gate.bound != _BOUNDS[gate.gate]:
        yield f"{key}: its bound is {gate.bound:g}; it must be {_BOUNDS[gate.gate]:g}"
    if gate.gate in NOISE and not 0 < gate.bound <= 1:
        yield f"{key}: its bound is {gate.bound:g}; it must be a share, greater than 0 and at most 1"
    comparison = _COMPARISONS_IN_STEP.get((gate.gate, gate.step or "")) or _COMPARISONS.get(gate.gate)
    holds = {
        _LEAST: gate.observed >= gate.bound,
        _MOST: gate.observed <= gate.bound,
        _EQUAL: gate.observed == gate.bound,
    }
    if gate.gate in NOISE and gate.observed == gate.bound:  # the record rounds both
        return
    if comparison and holds[comparison] != gate.ok:
        result = "passed" if gate.ok else "failed"
        yield f"{key}: is recorded as {result}; {gate.observed:g} must be {comparison} {gate.bound:g}"


def _times(record: Record) -> Iterator[str]:
    """Check that no command and no elapsed time exceeds the repetition, and that none is negative."""
    lasted = (record.finished_at - record.started_at).total_seconds()
    if lasted < 0:
        yield "finished_at: is before started_at"
    for at, command in enumerate(record.commands):
        spent = [command.seconds, *(s for s in (command.user_seconds, command.system_seconds) if s is not None)]
        if command.seconds > lasted + _TIMER or min(spent) < 0:
            yield f"commands.{at}: lasts {command.seconds:g} s of a repetition of {lasted:g} s"
    metrics = declared.metrics(record.experiment.family)
    for each in record.measurements:
        metric = metrics.get(each.metric)
        if metric and _is_elapsed(metric) and each.value > lasted + _TIMER:
            yield f"measurements: {each.metric} is {each.value:g} s in a repetition of {lasted:g} s"


def _is_elapsed(metric: Metric) -> bool:
    """Whether a metric is elapsed time. Processor time of several threads may exceed the repetition."""
    return metric.kind == "time" and metric.work != "cpu" and metric.step != "cpu"


def _values(record: Record) -> Iterator[str]:
    recorded = {each.metric: each.value for each in record.measurements}
    recompute = _RECOMPUTE.get(record.experiment.family)
    try:
        for metric, value in recompute(record).items() if recompute else ():
            if metric in recorded and not math.isclose(recorded[metric], value, rel_tol=_CLOSE, abs_tol=1e-9):
                yield (
                    f"measurements: {metric} is {recorded[metric]:g}; computed from the record's own commands, factors "
                    f"and output it is {value:g}"
                )
    except (KeyError, TypeError, IndexError, ValueError, ZeroDivisionError, AttributeError) as error:
        yield f"values cannot be computed again from commands, factors and output: {type(error).__name__} {error}"


def _seconds(record: Record, step: str) -> float:
    return sum(command.seconds for command in record.commands if command.step == step)


def _cpu(record: Record, *steps: str) -> dict[str, float]:
    """Processor time of steps in seconds; empty for older records, which lack it."""
    spent = [(c.user_seconds, c.system_seconds) for c in record.commands if c.step in steps]
    counted = [user + system for user, system in spent if user is not None and system is not None]
    return {f"{steps[0]}_cpu_seconds": sum(counted)} if spent and len(counted) == len(spent) else {}


def _lifecycle(record: Record) -> dict[str, float]:
    """Times from the commands of each step; rates and ratios from the library."""
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
    """The time that fio reports and the sync after it; the payload from the factors."""
    factors = record.experiment.factors
    job = record.attachments["fio"]["jobs"][0]["write"]
    seconds = job["runtime"] / 1000 + _seconds(record, "sync")
    return {
        "creation_seconds": seconds,
        "creation_sync_seconds": _seconds(record, "sync"),
        "creation_bytes_per_second": factors["files"] * factors["file_bytes"] / seconds,
    }


def _profile(record: Record) -> dict[str, float]:
    """Rates of each load of fio, and the output of bonnie++."""
    found: dict[str, float] = {}
    for job in record.attachments["fio"]["jobs"][1:]:
        name = job["jobname"]
        done: dict[str, Any] = job[name.rpartition("_")[2]]
        found |= {f"{name}_bytes_per_second": done["bw_bytes"], f"{name}_iops_per_second": done["iops"]}
    return found | bonnie_output.parse(record.attachments["bonnie"]).values


_RECOMPUTE: dict[str, Callable[[Record], dict[str, float]]] = {
    "filesystem_lifecycle": _lifecycle,
    "file_creation": _creation,
    "storage_profile": _profile,
}
