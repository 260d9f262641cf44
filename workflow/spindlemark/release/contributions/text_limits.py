"""Limits of the names, texts and numbers in a record of another machine, beyond its schema."""

import re
from collections.abc import Iterator
from typing import Any

from spindlemark.core.limits import DEEPEST, LONGEST_LIST, MOST_FACTS, MOST_VALUES, shape
from spindlemark.core.one_line import cut
from spindlemark.core.record import Record
from spindlemark.release.contributions import anonymise

MOST_NUMBER = 1e18
MOST_OF_ALL = 16_000_000  # values of all records: twice those of the largest contribution so far
LONGEST_KEY, LONGEST_FACT, LONGEST_TEXT = 120, 2000, 1 << 20
MOST = {"measurements": 500, "series": 100, "commands": 5000, "validity": 5000, "environment": 1000, "attachments": 200}
_KEY = re.compile(r"[A-Za-z0-9_][A-Za-z0-9 ._+@/:()-]*")
_STEP = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._+@:/()-]{0,119}")


def shape_problem(text: str) -> tuple[int, str | None]:
    """Return the number of values of a record's JSON, and what is wrong with its shape, before it is read."""
    values, levels = shape(text)
    if values > MOST_VALUES:
        return values, f"has {values} values; at most {MOST_VALUES} are allowed"
    return values, f"is nested deeper than {DEEPEST} levels" if levels > DEEPEST else None


def total_problem(values: int) -> str | None:
    """Return what is wrong with the number of values that all records of a contribution have together, or None."""
    return f"has {values} values; at most {MOST_OF_ALL} are allowed" if values > MOST_OF_ALL else None


def problem(record: Record) -> str | None:
    """Return the first name, text or number outside the limits, or None."""
    return next(_problems(record), None)


def _problems(record: Record) -> Iterator[str]:
    for part, most in MOST.items():
        if len(getattr(record, part)) > most:
            yield f"{part}: has {len(getattr(record, part))} entries; at most {most} are allowed"
    e = record.experiment
    for key, facts in (("factors", e.factors), ("fingerprint", e.fingerprint)):
        if (count := _count(facts)) > MOST_FACTS:
            yield f"{key}: has {count} values; at most {MOST_FACTS} are allowed"
    for key, value in (("factors", e.factors), ("fingerprint", e.fingerprint), ("environment", record.environment)):
        yield from _facts(key, value)
    yield from _names(record)
    whole = record.model_dump(mode="json")
    del whole["experiment"]
    if found := _tree(whole):
        yield found.lstrip(".")


def _names(record: Record) -> Iterator[str]:
    """Check names of steps and series, units, and the lengths of series."""
    for at, command in enumerate(record.commands):
        yield from _step(f"commands.{at}.step", command.step)
    for at, gate in enumerate(record.validity):
        yield from _step(f"validity.{at}.step", gate.step or "step")
        yield from _shown(f"validity.{at}.unit", gate.unit or "1")
    for at, series in enumerate(record.series):
        yield from _step(f"series.{at}.name", series.name)
        yield from _shown(f"series.{at}.unit", series.unit or "1")
        if len(series.seconds) != len(series.values):
            yield f"series.{at}: has {len(series.seconds)} times and {len(series.values)} values"


def _count(facts: Any) -> int:
    if isinstance(facts, dict):
        return 1 + sum(map(_count, facts.values()))
    return 1 + sum(map(_count, facts)) if isinstance(facts, list) else 1


def _facts(key: str, value: Any) -> Iterator[str]:
    """Check factors and facts, which pages show: no markup and no unprintable characters."""
    if isinstance(value, dict):
        for name, each in value.items():
            if not _KEY.fullmatch(name) or len(name) > LONGEST_KEY:
                yield f"{key}: {cut(repr(name))} is not a name of a fact"
            yield from _facts(f"{key}.{name}", each)
    elif isinstance(value, list):
        if len(value) > LONGEST_LIST:
            yield f"{key}: has {len(value)} entries; at most {LONGEST_LIST} are allowed"
        for at, each in enumerate(value):
            yield from _facts(f"{key}.{at}", each)
    elif isinstance(value, str):
        yield from _shown(key, value)
    else:
        yield from _number(key, value)


def _shown(key: str, text: str) -> Iterator[str]:
    """Check a shown text. A nested factor may be a server's configuration, with line breaks and angle brackets."""
    is_free = key.startswith("factors.") and key.count(".") > 1 and not key.endswith((".name", ".variant"))
    if len(text) > LONGEST_FACT:
        yield f"{key}: has {len(text)} characters; at most {LONGEST_FACT} are allowed"
    elif not (text.replace("\n", "") if is_free else text).isprintable():
        yield f"{key}: has a character that does not print"
    elif not is_free and ("<" in text or ">" in text):
        yield f"{key}: has markup in it: {cut(text)}"


def _step(key: str, text: str) -> Iterator[str]:
    if not _STEP.fullmatch(text):
        yield f"{key}: {cut(repr(text))} is not a name"


def _tree(value: Any) -> str | None:
    """Check everything else, lengths and personal data: the first problem, after the path that leads to it, or None.

    A record has up to millions of values, so paths are written only where something is wrong.
    """
    if isinstance(value, dict):
        for name, each in value.items():
            if len(name) > LONGEST_KEY or not name.isprintable():
                return f": {cut(repr(name))} is not a name"
            if found := _tree(each):
                return f".{name}{found}"
    elif isinstance(value, list):
        for at, each in enumerate(value):
            if not _is_plausible(each) and (found := _tree(each)):
                return f".{at}{found}"
    elif isinstance(value, str):
        return _text(value)
    elif isinstance(value, int | float) and not _is_plausible(value):
        return f": {_implausible(value)}"
    return None


def _text(text: str) -> str | None:
    if len(text) > LONGEST_TEXT:
        return f": has {len(text)} characters; at most {LONGEST_TEXT} are allowed"
    if found := anonymise.found_in(text):
        return f": contains personal data ({found}); ./spindlemark export removes it"
    return None


def _is_plausible(value: Any) -> bool:
    """Whether it is a number within the limits; infinities and NaN are not."""
    return isinstance(value, int | float) and abs(value) <= MOST_NUMBER


def _implausible(value: float) -> str:
    return f"{cut(repr(value)[:60])} is not a plausible number; at most {MOST_NUMBER:g} is allowed"


def _number(key: str, value: Any) -> Iterator[str]:
    if isinstance(value, int | float) and not _is_plausible(value):
        yield f"{key}: {_implausible(value)}"
