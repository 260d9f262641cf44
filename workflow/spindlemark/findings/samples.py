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
QUERIES = ("subject", "sample", "absent", "setting", "limit")
LIFECYCLE = "filesystem_lifecycle"  # its groups have had addresses without its name since the first release


@dataclass(frozen=True)
class Samples:
    """All counted values of one subject under one metric in one session, in the order of `repetitions`.

    `rounds`: what was measured side by side has one name; `looks`: how often verdicts had been looked at before the
    repetition was asked for. `rounding`: of a number that was searched for, the share within which the search ended, at
    least one whole; None for everything else.
    """

    unit: str
    better: Better
    values: list[float]
    noisy: list[bool]
    repetitions: list[int]
    rounds: list[str]
    looks: list[int]
    rounding: float | None = None


@dataclass(frozen=True)
class Subject:
    """One subject of a group: `missing` repetitions left no sample, `absent` says why; `seconds` is what one lasts.

    `contender`: whether the question chooses among it and its like; the others stand beside them.
    """

    subject: str
    experiment: str
    identity: str
    missing: int
    absent: list[Absent]
    settings: dict[str, str]
    metrics: dict[str, Samples]
    limits: dict[str, dict[str, int]] = field(default_factory=dict)  # metric -> what ended its search -> repetitions
    seconds: float = 0.0
    contender: bool = True

    @property
    def failed(self) -> bool:
        """Whether the subject itself failed at least once (an invalid repetition is the measurement's fault)."""
        return any(entry.status == "failed" for entry in self.absent)


@dataclass(frozen=True)
class Comparable:
    """Identities of one session that agree in every factor but those that the question compares.

    `same`: the parts that all their slugs share, as ext4--picture for two kernels. `library`: the workload, that is those
    parts without what the question compares. `alike`: equal for groups that ask the same elsewhere or at another time.
    `sides`: subject -> testbed, where they lie on several.
    """

    group: str
    testbed: str
    family: str
    library: str
    library_factors: dict[str, Scalar]
    conditions: dict[str, Scalar]
    subjects: list[Subject] = field(default_factory=list)
    question: str = ""
    session: str = ""
    same: str = ""
    alike: str = ""
    baseline: str | None = None
    sides: dict[str, str] = field(default_factory=dict)

    @property
    def emulated(self) -> bool:
        """Whether the machine itself was emulated, down to its processor."""
        return self.conditions.get("machine.emulated") is True

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
            rows = {name: _rows(connection, name, source) for name in QUERIES}
    except duckdb.Error as error:
        raise UserError(f"{database}: is not a database of this program: {error}", "build it anew") from None
    return _arranged(**rows)


def _rows(connection: duckdb.DuckDBPyConnection, query: str, source: str) -> list[dict[str, Any]]:
    text = (SQL / "findings" / f"{query}.sql").read_text(encoding="utf-8")
    result = connection.execute(text, {"source": source})
    names = [column[0] for column in result.description]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def _arranged(subject: list[dict], sample: list[dict], absent: list[dict], setting: list[dict],
              limit: list[dict]) -> list[Comparable]:
    samples, reasons, settings, limits = (defaultdict(kind) for kind in (dict, list, dict, dict))
    for row in setting:
        settings[row["identity"]][row["name"]] = row["value"]
    for row in sample:
        samples[row["identity"]][row["metric"]] = _samples(row, settings[row["identity"]])
    for row in absent:
        reasons[row["identity"]].append(row)
    for row in limit:
        limits[row["identity"]].setdefault(_searched(row["name"]), {})[row["cause"]] = row["repetitions"]
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
            settings=settings[identity], metrics=samples[identity], limits=limits[identity],
        ))
    return sorted(groups.values(), key=lambda group: group.group)


def _samples(row: dict, settings: dict[str, str]) -> Samples:
    searched = row["better"] != "none" and row["metric"].endswith("_count")
    return Samples(row["unit"], row["better"], row["samples"], row["noisy"], row["repetitions"],
                   float(settings.get("streams.resolution", 0)) if searched else None)


def _searched(name: str) -> str:
    """The metric of streams.limited_by is streams_sustained_count, of streams.aged-limited_by aged_streams_count."""
    age = name.removeprefix("streams.").removesuffix("limited_by").rstrip("-")
    return f"{age}_streams_count" if age else "streams_sustained_count"


def _group(row: dict, key: tuple, taken: Counter[str]) -> Comparable:
    """A group without subjects; the newest of several with one slug keeps it plain, the older ones get a hash."""
    slug = _slug(row)
    taken[slug] += 1
    if taken[slug] > 1:
        slug = f"{slug}--{hashlib.sha256(repr(key).encode()).hexdigest()[:6]}"
    return Comparable(slug, row["testbed"], row["family"], row["library"] or "",
                      _scalars(row["library_factors"], "library."), _scalars(row["conditions"], "fingerprint."))


def _slug(row: dict) -> str:
    """As loop--picture; other families name themselves, as loop--file_creation--single-direct or loop--aging."""
    if row["source"] != MEASURED or row["family"] == LIFECYCLE:
        return f"{row['testbed']}--{row['library']}"
    return "--".join(part for part in (row["testbed"], row["family"], row["library"].replace("--", "-")) if part)


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
