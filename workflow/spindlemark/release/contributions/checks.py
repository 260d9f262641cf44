"""Everything that is asked of a bundle before any of it is used: it is taken whole, or refused with the reason."""

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
from spindlemark.core import declared, migrations
from spindlemark.core.errors import UserError
from spindlemark.core.limits import cut, told
from spindlemark.core.record import Record, joined
from spindlemark.release.contributions import archive, consistency, text_limits
from spindlemark.release.contributions.archive import Bundle
from spindlemark.release.contributions.machine import of

_AHEAD = timedelta(days=1)  # of a clock that runs fast
_FIRST = datetime(2026, 1, 1, tzinfo=UTC)  # this program is no older
_SESSION = re.compile(r"(\d{4}-\d{2}-\d{2}-[0-9a-f]{4,12}([.-][0-9A-Za-z]{1,8})*)?")
REPETITIONS = re.compile(r"rep-[1-9][0-9]{0,8}")


def read(path: Path) -> tuple[Bundle, list[Record]]:
    """A bundle with its records; raises UserError with the first thing that is wrong with it."""
    found = archive.read(path)
    records = [_record(found, at, text) for at, text in enumerate(found.lines, 1)]
    for problem in _together(found, records):
        raise found.refuse(problem)
    return found, records


def rows(records: list[Record]) -> list[tuple[str, str]]:
    """Place and text of each record, as the database takes them."""
    found = []
    for record in records:
        testbed, family, experiment, identity, repetition = archive.place(record)
        found.append((f"{testbed}/{family}/{experiment}/{identity}/rep-{repetition}.json", archive.line(record)))
    return found


def findings(found: Bundle, records: list[Record], relative_width: float) -> Findings:
    """What the records say, from a database of their own: nothing of it meets another machine's in one query.

    Raises UserError where a check of `workflow/sql/checks` finds a row, or where nothing can be said about them.
    """
    from spindlemark.analysis.findings import compute, load  # here: SciPy takes a second to load

    with tempfile.TemporaryDirectory(prefix="spindlemark-joined-") as folder:
        own = Path(folder) / "joined.duckdb"
        try:
            database.build_rows(rows(records), own)
            return compute(own, load(), relative_width)
        except UserError as error:
            raise found.refuse(error.problem) from None
        except Exception as error:  # factors are free: what no question of ours can be asked of is refused too
            raise found.refuse(f"its records cannot be judged: {type(error).__name__}: {cut(str(error))}") from None


def _record(found: Bundle, at: int, text: str) -> Record:
    where = f"{archive.RECORDS}: line {at}"
    try:
        written = text.encode()
        record, newest = migrations.read(Record, "record", written)
        again = archive.line(record) if newest is written else archive.canonical_line(json.loads(text))
    except ValidationError as error:
        key, wrong = told(error)
        raise found.refuse(f"{where}: {key}: {wrong}") from None
    except (ValueError, RecursionError) as error:
        raise found.refuse(f"{where}: holds a number or text that is none: {cut(str(error))}") from None
    if again != text:
        raise found.refuse(f"{where}: is not written as `bundle` writes: {_first_difference(again, text)}")
    for problem in _alone(record):
        raise found.refuse(f"{where}: {problem}")
    return record


def _first_difference(again: str, text: str) -> str:
    at = next((i for i, (a, b) in enumerate(zip(again, text, strict=False)) if a != b), min(len(again), len(text)))
    return f"near {cut(json.dumps(text[max(0, at - 30) : at + 30]))}"


def _alone(record: Record) -> Iterator[str]:
    """What is wrong with one record by itself."""
    e = record.experiment
    if record.identity != e.identity():
        yield f"identity {cut(record.identity)} is not the hash of its experiment"
    if e.family not in declared.families():
        yield f"family {e.family}: there is none of that name"
        return
    try:
        of(e.fingerprint)
    except (ValidationError, AttributeError, TypeError):
        yield "fingerprint: tells no machine: host, machine.cpu or machine.cpus is none"
    if not 1 <= e.method <= declared.families()[e.family].method:
        yield f"method {e.method} of {e.family}: this program knows 1 to {declared.families()[e.family].method}; it may be newer"
    if not REPETITIONS.fullmatch(f"rep-{record.repetition}"):
        yield f"repetition {record.repetition}: is too large"
    if not _FIRST <= record.started_at <= record.finished_at <= datetime.now(UTC) + _AHEAD:
        yield f"started_at {record.started_at}, finished_at {record.finished_at}: no repetition was measured then"
    if not _SESSION.fullmatch(migrations.session(record.environment)):
        yield f"environment: session.id: {cut(migrations.session(record.environment))!r} is no session"
    yield from filter(None, [text_limits.problem(record)])
    yield from _named(record)
    yield from _measured(record)
    yield from filter(None, [consistency.problem(record)])


def _named(record: Record) -> Iterator[str]:
    """The name lends names to what factors tell apart: it must not call ext4 by the name of xfs."""
    e = record.experiment
    about = e.factors.get("filesystem")
    parts = {part.value for part in e.parts()}
    if e.experiment != joined(e.parts()):
        yield f"experiment {e.experiment}: is not made of its configuration and workload"
    if about is not None and not (isinstance(about, dict) and about.get("name") in parts):
        yield f"experiment {e.experiment}: its filesystem is called otherwise in its factors"
    library = e.factors.get("library")
    if isinstance(library, dict) and library.get("name") not in parts:
        yield f"experiment {e.experiment}: its library is called otherwise in its factors"


def _measured(record: Record) -> Iterator[str]:
    known = declared.metrics(record.experiment.family)
    seen: set[str] = set()
    for each in record.measurements:
        metric = known.get(each.metric)
        if metric is None:
            yield f"measurements: {cut(each.metric)} is nothing that {record.experiment.family} measures"
        elif (each.unit, each.better) != (metric.unit, metric.better):
            yield (
                f"measurements: {each.metric} is in {cut(each.unit)!r}, better {each.better}; "
                f"it is in {metric.unit!r}, better {metric.better}"
            )
        if each.metric in seen:
            yield f"measurements: {cut(each.metric)} is there twice"
        if each.value < 0:
            yield f"measurements: {each.metric} is negative"
        seen.add(each.metric)


def _together(found: Bundle, records: list[Record]) -> Iterator[str]:
    """What is wrong with the records beside one another, or with what the manifest says of them."""
    places = [archive.place(record) for record in records]
    for before, after in itertools.pairwise(places):
        if before == after:
            yield f"{archive.RECORDS}: repetition {after[-1]} of {after[3]} is there twice"
        if before > after:
            yield f"{archive.RECORDS}: records are not in the order of their places"
    for record in records:
        if (own := of(record.experiment.fingerprint)) != found.about.machine:
            yield (
                f"{archive.RECORDS}: {record.experiment.experiment} was measured on {own.name}, and the bundle is of "
                f"{found.about.machine.name}"
            )
    if found.about.sessions != sorted({migrations.session(record.environment) for record in records}):
        yield f"{archive.MANIFEST}: sessions: are not those of its records"
