"""Checks of a contribution before any of it is used: it is imported as a whole, or rejected with the reason."""

import itertools
import json
import re
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pydantic import ValidationError

from spindlemark.analysis import database
from spindlemark.analysis.findings.model import Findings
from spindlemark.core import declared, factors, migrations
from spindlemark.core.errors import UserError
from spindlemark.core.limits import first_error
from spindlemark.core.one_line import cut
from spindlemark.core.record import Record, join_parts
from spindlemark.release.contributions import archive, consistency, text_limits
from spindlemark.release.contributions.archive import Contribution
from spindlemark.release.contributions.machine import of

_AHEAD = timedelta(days=1)  # tolerance for a clock that runs fast
_FIRST = datetime(2026, 1, 1, tzinfo=UTC)  # this program did not exist before
_SESSION = re.compile(r"(\d{4}-\d{2}-\d{2}-[0-9a-f]{4,12}([.-][0-9A-Za-z]{1,8})*)?")
REPETITIONS = re.compile(r"rep-[1-9][0-9]{0,8}")


def read(path: Path) -> tuple[Contribution, list[Record]]:
    """Read a contribution and its records; raises UserError with the first problem."""
    found = archive.read(path)
    for problem in _shapes(found):
        raise found.refuse(problem)
    records = [_record(found, at, text) for at, text in enumerate(found.lines, 1)]
    for problem in _together(found, records):
        raise found.refuse(problem)
    return found, records


def _shapes(found: Contribution) -> Iterator[str]:
    """Yield what is too large in the structure of the records, before the first of them is read."""
    total = 0
    for at, text in enumerate(found.lines, 1):
        values, problem = text_limits.shape_problem(text)
        total += values
        if problem:
            yield f"{archive.RECORDS}: line {at}: {problem}"
    if many := text_limits.total_problem(total):
        yield f"{archive.RECORDS}: {many}"


def rows(records: list[Record]) -> list[tuple[str, str]]:
    """Return path and text of each record, the input of the database."""
    found = []
    for record in records:
        testbed, family, experiment, identity, repetition = archive.place(record)
        found.append((f"{testbed}/{family}/{experiment}/{identity}/rep-{repetition}.json", archive.line(record)))
    return found


def findings(found: Contribution, records: list[Record], relative_width: float) -> Findings:
    """Compute findings from a database of these records only; no query combines machines.

    Raises UserError if a check of `workflow/sql/checks` returns a row, or if the analysis fails.
    """
    from spindlemark.analysis.findings import compute, load  # here: SciPy takes a second to load

    with tempfile.TemporaryDirectory(prefix="spindlemark-import-") as folder:
        own = Path(folder) / "contribution.duckdb"
        try:
            database.build_rows(rows(records), own)
            return compute(own, load(), relative_width)
        except UserError as error:
            raise found.refuse(error.problem) from None
        except Exception as error:  # factors are free, so the analysis may fail in any way
            raise found.refuse(f"its records cannot be analysed: {type(error).__name__}: {cut(str(error))}") from None


def _record(found: Contribution, at: int, text: str) -> Record:
    where = f"{archive.RECORDS}: line {at}"
    try:
        written = text.encode()
        record, newest = migrations.read(Record, "record", written)
        again = archive.line(record) if newest is written else archive.canonical_line(json.loads(text))
    except ValidationError as error:
        key, wrong = first_error(error)
        raise found.refuse(f"{where}: {key}: {wrong}") from None
    except (ValueError, RecursionError) as error:
        raise found.refuse(f"{where}: contains an invalid number or text: {cut(str(error))}") from None
    if again != text:
        raise found.refuse(f"{where}: is not written as canonical JSON: {_first_difference(again, text)}")
    for problem in _alone(record):
        raise found.refuse(f"{where}: {problem}")
    return record


def _first_difference(again: str, text: str) -> str:
    at = next((i for i, (a, b) in enumerate(zip(again, text, strict=False)) if a != b), min(len(again), len(text)))
    return f"near {cut(json.dumps(text[max(0, at - 30) : at + 30]))}"


def _alone(record: Record) -> Iterator[str]:
    """Yield the problems of one record by itself."""
    e = record.experiment
    if record.identity != e.identity():
        yield f"identity {cut(record.identity)} is not the hash of its experiment"
    if e.family not in declared.families():
        yield f"family {e.family}: there is no family of that name"
        return
    try:
        of(e.fingerprint)
    except (ValidationError, AttributeError, TypeError):
        yield "fingerprint: does not identify a machine: host, machine.cpu or machine.cpus is invalid"
    if not 1 <= e.method <= declared.families()[e.family].method:
        yield f"method {e.method} of {e.family}: this program knows 1 to {declared.families()[e.family].method}; it may be newer"
    if not REPETITIONS.fullmatch(f"rep-{record.repetition}"):
        yield f"repetition {record.repetition}: is too large"
    if not _FIRST <= record.started_at <= record.finished_at <= datetime.now(UTC) + _AHEAD:
        yield f"started_at {record.started_at}, finished_at {record.finished_at}: not a possible time of a repetition"
    if not _SESSION.fullmatch(migrations.session(record.environment)):
        yield f"environment: session.id: {cut(migrations.session(record.environment))!r} is not a session"
    yield from filter(None, [text_limits.problem(record)])
    yield from _named(record)
    yield from _measured(record)
    yield from filter(None, [consistency.problem(record)])


def _named(record: Record) -> Iterator[str]:
    """Check that the name agrees with the factors, for example that ext4 is not called xfs."""
    e = record.experiment
    parts = {part.value for part in e.parts()}
    if e.experiment != join_parts(e.parts()):
        yield f"experiment {e.experiment}: does not consist of its configuration and workload"
    for field, factor in declared.names(e.family).items():
        if factor.partition(".")[0] in e.factors and factors.value(e.factors, factor) not in parts:
            yield f"experiment {e.experiment}: its {field} has another name in the factors"


def _measured(record: Record) -> Iterator[str]:
    known = declared.metrics(record.experiment.family)
    seen: set[str] = set()
    for each in record.measurements:
        metric = known.get(each.metric)
        if metric is None:
            yield f"measurements: {cut(each.metric)} is not a metric of {record.experiment.family}"
        elif (each.unit, each.better) != (metric.unit, metric.better):
            yield (
                f"measurements: {each.metric} is in {cut(each.unit)!r}, better {each.better}; "
                f"it is in {metric.unit!r}, better {metric.better}"
            )
        if each.metric in seen:
            yield f"measurements: {cut(each.metric)} occurs twice"
        if each.value < 0:
            yield f"measurements: {each.metric} is negative"
        seen.add(each.metric)


def _together(found: Contribution, records: list[Record]) -> Iterator[str]:
    """Yield the problems of the records together, and with the manifest."""
    places = [archive.place(record) for record in records]
    for before, after in itertools.pairwise(places):
        if before == after:
            yield f"{archive.RECORDS}: repetition {after[-1]} of {after[3]} occurs twice"
        if before > after:
            yield f"{archive.RECORDS}: records are not sorted by path"
    for record in records:
        if (own := of(record.experiment.fingerprint)) != found.about.machine:
            yield (
                f"{archive.RECORDS}: {record.experiment.experiment} was measured on {own.name}, but the contribution is of "
                f"{found.about.machine.name}"
            )
    if found.about.sessions != sorted({migrations.session(record.environment) for record in records}):
        yield f"{archive.MANIFEST}: sessions: differ from those of the records"
