"""Database: records and published studies -> one DuckDB file, by the statements in `workflow/sql/core` and a view per family.

It is refused when a check finds a row.
"""

import argparse
import shutil
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path

import duckdb
import pyarrow as pa

from spindlemark.analysis import declarations, errata, metrics
from spindlemark.core import declared, paths, records_file, sql
from spindlemark.core.declared import Declared
from spindlemark.core.errors import UserError, command
from spindlemark.core.paths import REFERENCE, SQL
from spindlemark.core.record import Record, parse_record, read_record_and_text

MOST_ROWS_SHOWN = 5
Families = Mapping[str, Declared]
MOVE_AWAY = "move the records named in `path` away and run again: only they are measured again"
EXPLAIN = (
    "find the cause, correct it and measure again; for an error of an earlier method add an entry to data/errata.yaml"
)
AT_ONCE = 500  # records whose text is in memory
# Of DuckDB. What does not fit into memory is stored next to the database for a while. Parts are too small to share: more
# threads would only cost more.
SETTINGS: dict[str, str | bool | int | float | list[str]] = {"memory_limit": "1GB", "threads": 1}


def build(records: Iterable[Path], output: Path, studies: Path | None = None, families: Families | None = None) -> None:
    """Write the database of `records` to `output` (temporary name, then rename).

    `studies` is the folder of published studies, which join the long table under their own `source`. The order of
    `records` does not change the content. Raises UserError for a record that is damaged, is stored in a place that is not
    its own, or breaks one of `workflow/sql/checks`, and for damaged studies; `output` is then left as it was.
    """
    build_rows(map(_placed, sorted(records)), output, studies, families)


def build_rows(
    rows: Iterable[tuple[str, str]], output: Path, studies: Path | None = None, families: Families | None = None
) -> None:
    """The same for the place of each record below a folder of records, and its text; they are taken one after the other.

    `families`: what families declare, where it is not `core.declared` that says it.
    """
    output.parent.mkdir(parents=True, exist_ok=True)
    partial = output.with_name(f".{output.name}.partial")
    partial.unlink(missing_ok=True)
    try:
        with duckdb.connect(str(partial), config=SETTINGS | {"temp_directory": f"{partial}.tmp"}) as connection:
            _fill(connection, iter(rows), declared.families() if families is None else families)
            if studies:
                _load_studies(connection, studies)
            _check(connection, "checks", MOVE_AWAY)
            connection.checkpoint()  # on closing DuckDB does it too, but says nothing when the disk is full
        partial.replace(output)
    finally:
        partial.unlink(missing_ok=True)
        partial.with_name(f"{partial.name}.wal").unlink(missing_ok=True)
        shutil.rmtree(f"{partial}.tmp", ignore_errors=True)


def current() -> list[Path]:
    """Every record there is to publish without a release: see plan.found."""
    from spindlemark import config
    from spindlemark.measure import pending, plan  # here: a release needs none of them

    return [paths.ROOT / record for record in pending.existing_records(plan.found(config.load()))]


def released(release: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield where each record of one release comes from, and its content; raises UserError when there are none."""
    file, remedy = release / records_file.NAME, "name a folder of data/releases, such as data/releases/2026.11"
    found = False
    for name, content in records_file.repetitions(file, remedy):
        found = True
        yield file / name, content
    if not found:
        raise UserError(f"{file}: holds no records", remedy)


def build_release(release: Path, output: Path, studies: Path | None = None) -> None:
    """The same for the records of one release."""
    rows = (_own_place(path, *parse_record(content, path)) for path, content in released(release))
    build_rows(rows, output, studies)


def _placed(path: Path) -> tuple[str, str]:
    """Path below the folder of records, and text, of one record that carries its own identity and place."""
    return _own_place(path, *read_record_and_text(path))


def _own_place(path: Path, record: Record, text: str) -> tuple[str, str]:
    own = record.experiment
    place = f"{own.testbed}/{own.family}/{own.experiment}/{record.identity}/{path.name}"
    if not f"/{path.as_posix()}".endswith(f"/{place}"):
        raise UserError(f"{path}: its content belongs to {place}", "move the file away: it was copied or renamed")
    return place, text


def _fill(connection: duckdb.DuckDBPyConnection, rows: Iterator[tuple[str, str]], families: Families) -> None:
    """The tables of the records, of which a part is in memory at a time."""
    statement = "create_parsed"
    while (part := list(islice(rows, AT_ONCE))) or statement == "create_parsed":
        places, contents = zip(*part, strict=True) if part else ((), ())
        columns = {"path": pa.array(places, pa.string()), "text": pa.array(contents, pa.string())}
        connection.register("raw_text", pa.table(columns))
        connection.execute(sql.read(f"database/{statement}", rows=sql.read("database/parsed")))
        statement = "add_parsed"
    for each in sql.folder(SQL / "core"):
        connection.execute(each.text)
    _declare(connection, families)
    connection.execute(sql.read("database/drop_parsed"))
    connection.unregister("raw_text")


def _declare(connection: duckdb.DuckDBPyConnection, families: Families) -> None:
    """Create what records of any age mean: tables `metric`, `declaration` and `erratum`, and a view of metrics per family."""
    rows = [row for family, each in families.items() for row in metrics.rows(family, each.metrics)]
    for table, content in (
        ("metric", metrics.as_table(rows)),
        ("declaration", declarations.as_table(families)),
        ("erratum", errata.as_table(errata.read())),
    ):
        connection.register("declared", content)
        connection.execute(sql.read(f"database/{table}"))
        connection.unregister("declared")
    for family, each in families.items():
        connection.execute(
            sql.read("database/family", family=family, metrics=", ".join(f"'{name}'" for name in each.metrics))
        )


def _load_studies(connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
    from spindlemark.analysis.studies import published_metrics
    from spindlemark.analysis.studies.claim_rows import store
    from spindlemark.analysis.studies.load import load_all  # here: pandas takes half a second to load

    load_all(connection, folder)
    rows = [row for family, own in published_metrics.metrics(folder).items() for row in metrics.rows(family, own)]
    connection.register("published", metrics.as_table(rows))
    connection.execute(sql.read("studies/metric"))
    connection.unregister("published")
    store(connection, folder)


def require_plausible(database: Path) -> None:
    """Raise UserError if a figure cannot be what it says, as a rate above that of its device; only releases require that.

    A result that looks impossible can be seen and explored. It is not citable before its cause is known.
    """
    with duckdb.connect(str(database), read_only=True) as connection:
        _check(connection, "release_checks", EXPLAIN)


def _check(connection: duckdb.DuckDBPyConnection, folder: str, remedy: str) -> None:
    """Run every check of a folder; its title says what is wrong with the rows that it returns."""
    for check in sql.folder(SQL / folder):
        result = connection.execute(check.text)
        names = [column[0] for column in result.description]
        found = result.fetchall()
        if found:
            raise UserError(
                _violation(check, names, found),
                remedy,
            )


def _violation(check: sql.Statement, names: list[str], found: list[tuple]) -> str:
    shown = ["  " + ", ".join(f"{n}={v}" for n, v in zip(names, row, strict=True)) for row in found[:MOST_ROWS_SHOWN]]
    more = [f"  and {len(found) - MOST_ROWS_SHOWN} more"] if len(found) > MOST_ROWS_SHOWN else []
    return "\n".join([f"check {check.name} found {len(found)}: {check.title}", *shown, *more])


def main() -> None:
    """Parse the arguments and build: the published studies, and the current records or none."""
    parser = argparse.ArgumentParser(prog="python -m spindlemark.analysis.database", description=__doc__)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--current", action="store_true", help="the records of the last run's plan")
    source.add_argument("--studies", action="store_true", help="no records: the published studies alone")
    parser.add_argument("--output", type=Path, required=True, help="DuckDB file to write")
    given = parser.parse_args()
    build(current() if given.current else [], given.output, REFERENCE)


if __name__ == "__main__":
    command(main)
