"""Check that a record agrees with itself: gates with their observations, and values with commands, factors and tool output.

An invented sample must be consistent in all of these.
"""

import math
from collections.abc import Iterator

from spindlemark.core import declared
from spindlemark.core.formula import Facts, evaluate
from spindlemark.core.gate_bounds import CLOCK_DRIFT, FULLEST
from spindlemark.core.metric import Metric
from spindlemark.core.one_line import cut
from spindlemark.core.outcome import Failed
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
    """Whether a metric is time that elapsed. Processor time of several threads may exceed the repetition."""
    return metric.kind == "time" and not metric.projected and metric.work != "cpu" and metric.step != "cpu"


def _values(record: Record) -> Iterator[str]:
    """Check each value whose metric declares how it follows from the rest of the record."""
    recorded = {each.metric: each.value for each in record.measurements}
    facts = Facts(record.experiment.factors, recorded, record.commands, record.attachments)
    metrics = declared.metrics(record.experiment.family)
    for name in recorded:
        formula = metrics[name].formula if name in metrics else None
        try:
            value = evaluate(formula, facts) if formula else None
            differs = value is not None and not math.isclose(recorded[name], value, rel_tol=_CLOSE, abs_tol=1e-9)
        except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, Failed) as error:
            why = cut(f"{type(error).__name__} {error}")
            yield f"measurements: {name} cannot be computed again from commands, factors and output: {why}"
            continue
        if differs:
            yield (
                f"measurements: {name} is {recorded[name]:g}; computed from the record's own commands, factors "
                f"and output it is {value:g}"
            )
