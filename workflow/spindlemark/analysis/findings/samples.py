"""Samples: what the database holds, arranged into groups of configurations that may be compared."""

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import duckdb

from spindlemark.analysis import declarations, metrics
from spindlemark.analysis.findings.cells import Comparable, Configuration, Samples
from spindlemark.analysis.findings.model import Absent
from spindlemark.analysis.findings.pooling import pool
from spindlemark.analysis.findings.question_groups import Grouping, QuestionGroup, Row
from spindlemark.config.questions import Question, Questions
from spindlemark.core import sql
from spindlemark.core.errors import UserError
from spindlemark.core.metric import COUNTS, kind_of_unit
from spindlemark.core.record import Part, Scalar, join_parts

MEASURED = "measured"
LIFECYCLE = "filesystem_lifecycle"  # its groups have had addresses without its name since the first release
# Of a fingerprint: what is another machine's, or this one's at another time.
_OTHER_MACHINE = tuple(f"fingerprint.{name}" for name in ("kernel", "host", "machine", "tools", "device.backing"))


def read(database: Path, questions: Mapping[str, Questions], source: str = MEASURED) -> list[Comparable]:
    """Every group of one source: of the main questions, in the order of their names, then those with a baseline.

    `questions`: by family; for a family without any, what its names begin with is compared. `source`: what was measured, or a
    published study by its id; groups never mix sources. Raises UserError when the database is missing or damaged.
    """
    if not database.exists():
        raise UserError(f"{database}: no such file", "build it with: python -m spindlemark.analysis.database")
    if not database.is_file():  # opening a FIFO would block
        raise UserError(f"{database}: is not a regular file", "move it away, then: ./spindlemark site")
    try:
        with duckdb.connect(str(database), read_only=True) as connection:
            return _Reader(connection, source).groups(questions)
    except duckdb.Error as error:
        raise UserError(
            f"{database}: is not a database of this program: {error}", "move it away, then: ./spindlemark site"
        ) from None


class _Reader:
    """What the database holds of one source, to be arranged into groups."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, source: str) -> None:
        self.connection, self.source = connection, source
        self.taken: Counter[str] = Counter()
        self.declared, self.declarations = metrics.read(connection), declarations.read(connection)
        self.factors: defaultdict[str, dict[str, str]] = defaultdict(dict)
        self.usual: defaultdict[str, dict[str, str]] = defaultdict(dict)
        self.names: defaultdict[str, list[Part]] = defaultdict(list)
        self.samples: defaultdict[tuple[str, str], dict[str, Samples]] = defaultdict(dict)
        self.limits: defaultdict[tuple[str, str], dict[str, dict[str, int]]] = defaultdict(dict)
        self.reasons: defaultdict[tuple[str, str], list[Row]] = defaultdict(list)
        for row in self._rows("setting"):
            self.factors[row["identity"]][row["name"]] = row["value"]
        for row in self._rows("name"):
            self.names[row.pop("identity")].append(Part(**row))
        for row in self._rows("usual"):
            self.usual[row["testbed"]][row["name"]] = row["value"]
        for row in self._rows("sample"):
            self.samples[_unit(row)][row["metric"]] = _samples(row, self.factors[row["identity"]], source == MEASURED)
        for row in self._rows("absent"):
            self.reasons[_unit(row)].append(row)
        self.noted: defaultdict[tuple[str, str], dict[str, str]] = defaultdict(dict)
        for row in self._rows("noted"):
            self.noted[_unit(row)][row["name"]] = row["value"]
        for row in self._rows("limit"):
            self.limits[_unit(row)].setdefault(row["metric"], {})[row["cause"]] = row["repetitions"]

    def groups(self, questions: Mapping[str, Questions]) -> list[Comparable]:
        """Every group that the questions ask for, or a study prints, those with a baseline last."""
        found = self._measured(questions) if self.source == MEASURED else self._studied()
        groups = pool(list(found)) if self.source == MEASURED else found
        return sorted(groups, key=lambda group: (group.baseline is not None, group.group))

    def _measured(self, questions: Mapping[str, Questions]) -> Iterator[Comparable]:
        for measured in self._rows("implicit"):
            family = measured["family"]
            declared = questions.get(family)
            every, words = (declared.questions, declared.words) if declared else (_implicit(measured["factors"]), {})
            first = next(iter(every))
            for name, question in every.items():
                rows = self._rows(
                    "configuration",
                    family=family,
                    by=declared.by if declared else [],
                    compare=question.compare,
                    within=question.within,
                    follows=question.follows,
                )
                for group in Grouping(question, self.factors, self.names, self.usual, words).groups(rows):
                    # One alone answers no further question; in the first it stands for all that was measured of it.
                    if len(group.rows) > 1 or name == first:
                        yield self._group(name, _weighed_apart(group, name) if question.weights else group)

    def _studied(self) -> Iterator[Comparable]:
        for _, rows in groupby(self._rows("study"), key=itemgetter("testbed", "library", "family", "conditions")):
            named = {row["configuration"]: row | {"workload": None, "seconds": None} for row in rows}
            library = next(iter(named.values()))["library"]
            workload = (Part(value=library),) if library else ()
            yield self._group("", QuestionGroup(named, workload, workload, frozenset(named)))

    def _group(self, question: str, group: QuestionGroup) -> Comparable:
        """One group of one session; the newest of several with one slug keeps it plain, the older ones get a hash."""
        last = next(row for name, row in reversed(group.rows.items()) if name != group.baseline)
        slug = self._slug(question, group, last)
        self.taken[slug] += 1
        if self.taken[slug] > 1:
            session = [last["session"]] if last["session"] else []
            key = (
                last["testbed"],
                last["family"],
                *session,
                group.library or None,
                last["workload"],
                last["conditions"],
            )
            slug = f"{slug}--{hashlib.sha256(repr(key).encode()).hexdigest()[:6]}"
        testbeds = {name: row["testbed"] for name, row in group.rows.items()}
        own = self.declarations.get(last["family"])
        return Comparable(
            slug,
            last["testbed"],
            last["family"],
            group.library,
            _workload(last["workload"]),
            _scalars(last["conditions"], "fingerprint."),
            [self._configuration(name, row, name in group.candidates) for name, row in group.rows.items()],
            question=question,
            session=last["session"],
            shared=group.shared,
            workload=group.workload,
            own=group.own,
            alike=_alike(question, group, last),
            baseline=group.baseline,
            sides=testbeds if len({*testbeds.values()}) > 1 else {},
            declared=self.declared.get(last["family"], {}),
            caveats=own.caveats if own else (),
            fields=own.settings if own else {},
        )

    def _slug(self, question: str, group: QuestionGroup, row: Row) -> str:
        """As loop--picture; other families name themselves, as loop--file_creation--single-direct or loop--aging.

        With a baseline it names the question and the baseline's experiment: loop--setting--ext4--picture.
        """
        if self.source != MEASURED:
            return f"{row['testbed']}--{row['library']}"
        family = "" if row["family"] == LIFECYCLE else row["family"]
        if group.baseline is not None:
            baseline = join_parts(self.names[group.rows[group.baseline]["identity"]])
            return "--".join(filter(None, [row["testbed"], family, question, baseline]))
        workload = join_parts(group.workload, "-") if family else group.library
        return "--".join(filter(None, [row["testbed"], family, workload]))

    def _configuration(self, name: str, row: Row, candidate: bool) -> Configuration:
        absent = [
            Absent(
                configuration=name,
                experiment=row["experiment"],
                status=reason["status"],
                reason=reason["reason"] or "no reason given",
                repetitions=reason["repetitions"],
                of=row["repetitions"],
            )
            for reason in self.reasons[_unit(row)]
        ]
        return Configuration(
            name=name,
            experiment=row["experiment"],
            identity=row["identity"],
            missing=row["repetitions"] - row["ok_repetitions"],
            absent=absent,
            settings=self.factors[row["identity"]],
            metrics=self.samples[_unit(row)],
            limits=self.limits[_unit(row)],
            seconds=row["seconds"] or 0.0,
            candidate=candidate,
            noted=self.noted[_unit(row)],
        )

    def _rows(self, query: str, **parameters: Any) -> list[Row]:
        result = self.connection.execute(sql.read(f"findings/{query}"), {"source": self.source, **parameters})
        names = [column[0] for column in result.description]
        return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def _unit(row: Row) -> tuple[str, str]:
    return row["identity"], row["session"]


def _implicit(factors: list[str] | None) -> dict[str, Question]:
    """The question of a family that declares none: all that its names begin with, compared at once."""
    return {"": Question(title="", compare=factors or ["configuration"], follows=["fingerprint.tools"])}


def _samples(row: Row, factors: dict[str, str], in_rounds: bool) -> Samples:
    """Samples with what their family declares of the metric.

    `in_rounds`: no study says that its tests were run side by side.
    """
    kind = row["kind"] or kind_of_unit(row["unit"])
    searched = row["better"] != "none" and kind in COUNTS
    return Samples(
        row["unit"],
        row["better"],
        row["samples"],
        row["noisy"],
        row["repetitions"],
        row["rounds"] if in_rounds else [],
        [row["session"]] * len(row["samples"]) if in_rounds else [],
        float(factors.get(row["resolution"] or "", 0)) if searched else None,
        row["shortest_seconds"],
        kind,
    )


def _alike(question: str, group: QuestionGroup, row: Row) -> str:
    """All that is equal where one question is answered again: neither the machine, nor the time, nor the tools."""
    conditions = {
        name: value
        for name, value in json.loads(row["conditions"]).items()
        if not any(name == other or name.startswith(f"{other}.") for other in _OTHER_MACHINE)
    }
    return json.dumps(
        [question, row["family"], row["testbed"], group.library, group.baseline, row["workload"], conditions]
    )


def _workload(text: str | None) -> dict[str, Scalar]:
    """What describes the workload; its name is a part of the group's."""
    found = {name.partition(".")[2]: _scalar(value) for name, value in json.loads(text or "{}").items()}
    return {name: value for name, value in found.items() if name != "name"}


def _weighed_apart(group: QuestionGroup, question: str) -> QuestionGroup:
    """The same measurements under other weights are another workload, called as the question is."""
    return replace(group, workload=(*group.workload, Part(value=question)))


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
