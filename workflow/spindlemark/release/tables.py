"""Tables of a release as sorted Parquet, and as CSV for spreadsheets. The same rows give the same bytes."""

from collections.abc import Iterable
from pathlib import Path

import duckdb

from spindlemark.core import sql
from spindlemark.core.errors import UserError
from spindlemark.core.paths import SQL
from spindlemark.core.record import Record
from spindlemark.release.contents import TABLES

Settings = dict[str, str | bool | int | float | list[str]]
SETTINGS: Settings = {
    "memory_limit": "1GB",
    "threads": 1,
}  # of DuckDB; several threads would change the bytes
# The other tables repeat values in each repetition and are about 20 times as large as text.
SPREADSHEETS = ("repetitions", "measurements", "factors", "validity", "claims")


def check(database: Path, records: list[Record], checks: Path = SQL / "checks") -> None:
    """Raise UserError if the database does not have exactly `records`, or a query in `checks` returns a row."""
    with _open(database) as connection:
        held = set(connection.execute(sql.read("release/held")).fetchall())
        if held != {(record.identity, record.repetition) for record in records}:
            raise UserError(
                f"{database}: does not have the records of the plan", "move it away, then: ./spindlemark site"
            )
        for query in sql.folder(checks):
            rows = connection.execute(query.text).fetchmany(1)
            if rows:
                raise UserError(
                    f"{database}: the check {query.name}.sql found {rows[0]}",
                    f"the rule is in {checks / query.name}.sql; measure that again",
                )


def export(database: Path, folder: Path, names: Iterable[str] = tuple(TABLES)) -> None:
    """Write the tables `names` as Parquet below `folder`, ordered by all their columns, with times in UTC."""
    with _open(database, SETTINGS | {"temp_directory": f"{folder}.tmp"}) as connection:
        connection.execute(sql.read("release/utc"))
        for name in names:
            table = connection.sql(sql.read(f"release/{name}"))
            table.write_parquet(str(folder / f"{name}.parquet"), compression="zstd")


def to_csv(parquet: Path, target: Path) -> None:
    """Write a table of a release as CSV with a header, with the same order and times in UTC."""
    with duckdb.connect(config=SETTINGS) as connection:
        connection.execute(sql.read("release/utc"))
        connection.read_parquet(str(parquet)).write_csv(str(target), header=True)


def spreadsheets(folder: Path, output: Path) -> list[Path]:
    """Write each Parquet table of `folder` that is small enough for a spreadsheet as CSV below `output`; returns the files."""
    tables = [parquet for name in SPREADSHEETS if (parquet := folder / f"{name}.parquet").exists()]
    output.mkdir(parents=True, exist_ok=True)
    made = [output / f"{parquet.stem}.csv" for parquet in tables]
    for parquet, target in zip(tables, made, strict=True):
        to_csv(parquet, target)
    return made


def _open(database: Path, settings: Settings | None = None) -> duckdb.DuckDBPyConnection:
    try:
        return duckdb.connect(str(database), read_only=True, config=settings or {})
    except duckdb.Error as error:
        raise UserError(f"{database}: cannot be read: {error}", "build it with: ./spindlemark site") from None
