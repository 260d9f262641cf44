"""Formulas: how a number follows from the rest of a record, such as `library.total / copy_seconds`.

A formula has numbers, +, *, /, `or` for the first of two that is known and not 0, and
- a name: a metric of the same record, or else a factor, such as copy_seconds or library.total;
- seconds("copy"): elapsed time of the commands of a step; runs("check"): how many they are;
- cpu("copy", "sync"): user and system time of the commands of steps;
- fio("create", "write", "runtime"): a number in the report of one fio job;
- bonnie("seeks_per_second"): a metric that the output of bonnie++ has.
"""

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce
from typing import Any

from spindlemark.core import bonnie_output, factors
from spindlemark.core.record import Command

Value = float | None  # None: not known
_OPERATORS: dict[type, Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


@dataclass(frozen=True)
class Facts:
    """What a formula is about: factors as nested mappings, or with dots in their names."""

    factors: Mapping[str, Any]
    measured: Mapping[str, float]
    commands: Sequence[Command] = ()
    attachments: Mapping[str, Any] | None = None

    def name(self, name: str) -> float:
        """A metric or a factor; raises KeyError if there is no number of that name."""
        found = self.measured.get(name, factors.value(self.factors, name))
        if not isinstance(found, int | float):
            raise KeyError(name)
        return found

    def seconds(self, step: str) -> Value:
        """Elapsed time of the commands of a step."""
        return sum((command.seconds for command in self.commands if command.step == step), 0.0)

    def runs(self, step: str) -> Value:
        """Number of commands of a step."""
        return sum(command.step == step for command in self.commands)

    def cpu(self, *steps: str) -> Value:
        """User and system time of the commands of steps; None if a command lacks it, as in early records, or none ran."""
        spent = [(c.user_seconds, c.system_seconds) for c in self.commands if c.step in steps]
        known = [user + system for user, system in spent if user is not None and system is not None]
        return sum(known) if spent and len(known) == len(spent) else None

    def fio(self, name: str, *path: str) -> Value:
        """A number in the report of one job; raises KeyError or TypeError if the output has none."""
        jobs = {job["jobname"]: job for job in (self.attachments or {})["fio"]["jobs"]}
        found = reduce(operator.getitem, path, jobs[name])
        if not isinstance(found, int | float):
            raise TypeError(f"fio: {' '.join(path)} of job {name} is not a number")
        return found

    def bonnie(self, metric: str) -> Value:
        """A metric in the output of bonnie++; raises KeyError if it has none."""
        return bonnie_output.parse((self.attachments or {})["bonnie"]).values[metric]


def evaluate(formula: str, facts: Facts) -> Value:
    """The value of a formula, or None if it needs processor time that an early record lacks.

    Raises ValueError for text that is not a formula, KeyError for a name without a number, and KeyError, TypeError or
    ZeroDivisionError where output or numbers of the record do not fit it.
    """
    return _value(parse(formula), facts)


def parse(formula: str) -> ast.expr:
    """The parts of a formula; raises ValueError for text that is not one."""
    try:
        found = ast.parse(formula, mode="eval").body
    except SyntaxError as error:
        raise ValueError(f"{formula!r} is not a formula: {error.msg}") from None
    _check(found, formula)
    return found


def _check(part: ast.AST, formula: str) -> None:
    match part:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return
        case ast.Name():
            return
        case ast.Attribute(value=ast.Name() | ast.Attribute()):
            return
        case ast.BinOp() if type(part.op) in _OPERATORS:
            parts = [part.left, part.right]
        case ast.BoolOp(op=ast.Or()):
            parts = part.values
        case ast.Call(func=ast.Name(id="seconds" | "runs" | "cpu" | "fio" | "bonnie"), keywords=[]) if all(
            isinstance(each, ast.Constant) for each in part.args
        ):
            return
        case _:
            raise ValueError(f"{formula!r} is not a formula: {ast.unparse(part)} is unknown in it")
    for each in parts:
        _check(each, formula)


def _first(parts: Sequence[ast.expr], facts: Facts) -> Value:
    """The first value that is known and not 0; the last part must be known."""
    for each in parts[:-1]:
        with suppress(KeyError):
            if found := _value(each, facts):
                return found
    return _value(parts[-1], facts)


def _value(part: ast.expr, facts: Facts) -> Value:
    match part:
        case ast.Constant():
            return part.value  # type: ignore[return-value]  # _check allows numbers only
        case ast.Call(func=ast.Name(id=name)):
            return getattr(facts, name)(*(each.value for each in part.args if isinstance(each, ast.Constant)))
        case ast.BoolOp():
            return _first(part.values, facts)
        case ast.BinOp():
            left, right = _value(part.left, facts), _value(part.right, facts)
            return None if left is None or right is None else _OPERATORS[type(part.op)](left, right)
        case _:
            return facts.name(ast.unparse(part))
