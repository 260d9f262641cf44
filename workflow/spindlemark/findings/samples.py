"""Samples: what the database holds, arranged into groups of subjects that may be compared."""

import hashlib
import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

from spindlemark.errors import UserError
from spindlemark.findings.report import Absent
from spindlemark.paths import SQL
from spindlemark.record import Better, Scalar

MEASURED = "measured"


@dataclass(frozen=True)
class Samples:
    """All counted values of one subject under one metric, in the order of `repetitions`."""

    unit: str
    better: Better
    values: list[float]
    noisy: list[bool]
    repetitions: list[int]


@dataclass(frozen=True)
class Subject:
    """One configuration of a group: `missing` repetitions left no sample, `absent` says why."""

    subject: str
    experiment: str
    identity: str
    missing: int
    absent: list[Absent]
    settings: dict[str, str]
    metrics: dict[str, Samples]

    @property
    def failed(self) -> bool:
        """Whether the subject itself failed at least once (an invalid repetition is the measurement's fault)."""
        return any(entry.status == "failed" for entry in self.absent)


@dataclass(frozen=True)
class Comparable:
    """Subjects measured on one testbed under equal conditions with one library at one scale."""

    group: str
    testbed: str
    family: str
    library: str
    library_factors: dict[str, Scalar]
    conditions: dict[str, Scalar]
    subjects: list[Subject] = field(default_factory=list)

    @property
    def metrics(self) -> set[str]:
        """Every metric that any subject has."""
        return {metric for subject in self.subjects for metric in subject.metrics}


def read(database: Path, source: str = MEASURED) -> list[Comparable]:
    """Every group of one source, in the order of their slugs: what was measured, or a published study by its id.

    Groups never mix sources. Raises UserError when the database is missing or damaged.
    """
    if not database.exists():
        raise UserError(f"{database}: no such file", "build it with: python -m spindlemark.database")
    try:
        with duckdb.connect(str(database), read_only=True) as connection:
            rows = {name: _rows(connection, name, source) for name in ("subject", "sample", "absent", "setting")}
    except duckdb.Error as error:
        raise UserError(f"{database}: is not a database of this program: {error}", "build it anew") from None
    return _arranged(**rows)


def _rows(connection: duckdb.DuckDBPyConnection, query: str, source: str) -> list[dict[str, Any]]:
    text = (SQL / "findings" / f"{query}.sql").read_text(encoding="utf-8")
    result = connection.execute(text, {"source": source})
    names = [column[0] for column in result.description]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def _arranged(subject: list[dict], sample: list[dict], absent: list[dict], setting: list[dict]) -> list[Comparable]:
    samples, reasons, settings = defaultdict(dict), defaultdict(list), defaultdict(dict)
    for row in sample:
        values = Samples(row["unit"], row["better"], row["samples"], row["noisy"], row["repetitions"])
        samples[row["identity"]][row["metric"]] = values
    for row in absent:
        reasons[row["identity"]].append(row)
    for row in setting:
        settings[row["identity"]][row["name"]] = row["value"]
    groups: dict[tuple, Comparable] = {}
    taken: Counter[str] = Counter()
    for row in subject:
        key = tuple(row[name] for name in ("testbed", "family", "library", "library_factors", "conditions"))
        if key not in groups:
            groups[key] = _group(row, key, taken)
        identity = row["identity"]
        groups[key].subjects.append(Subject(
            subject=row["subject"], experiment=row["experiment"], identity=identity,
            missing=row["repetitions"] - row["ok_repetitions"],
            absent=[_absent(row, reason) for reason in reasons[identity]],
            settings=settings[identity], metrics=samples[identity],
        ))
    return sorted(groups.values(), key=lambda group: group.group)


def _group(row: dict, key: tuple, taken: Counter[str]) -> Comparable:
    """A group without subjects; the newest of several with one slug keeps it plain, the older ones get a hash."""
    slug = f"{row['testbed']}--{row['library']}"
    taken[slug] += 1
    if taken[slug] > 1:
        slug = f"{slug}--{hashlib.sha256(repr(key).encode()).hexdigest()[:6]}"
    return Comparable(slug, row["testbed"], row["family"], row["library"] or "",
                      _scalars(row["library_factors"], "library."), _scalars(row["conditions"], "fingerprint."))


def _absent(row: dict, reason: dict) -> Absent:
    return Absent(subject=row["subject"], experiment=row["experiment"], status=reason["status"],
                  reason=reason["reason"] or "no reason given", repetitions=reason["repetitions"],
                  of=row["repetitions"])


def _scalars(text: str | None, prefix: str) -> dict[str, Scalar]:
    return {name.removeprefix(prefix): _scalar(value) for name, value in json.loads(text or "{}").items()}


def _scalar(value: str | None) -> Scalar:
    """The factor table holds text: whole numbers, fractions and truth values become what they were."""
    if value in ("true", "false"):
        return value == "true"
    if value is not None and re.fullmatch(r"-?(0|[1-9]\d*)", value):
        return int(value)
    if value is not None and re.fullmatch(r"-?\d+\.\d+(e[+-]?\d+)?", value):
        return float(value)
    return value
