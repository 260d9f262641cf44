"""The tables of a release: sorted Parquet and CSV, the same bytes whenever they hold the same rows."""

from collections.abc import Iterable
from pathlib import Path

import duckdb

from spindlemark.core.errors import UserError
from spindlemark.core.paths import SQL
from spindlemark.core.record import Record
from spindlemark.release.contents import TABLES

MEMORY = "1GB"  # of DuckDB; what does not fit lies beside the folder for a while
FORMATS = {"parquet": "FORMAT parquet, COMPRESSION zstd", "csv": "FORMAT csv, HEADER"}
# Many rows per repetition that say the same as the repetition before: as text some 20 times as large. Releases before
# 2026.12.5 have them as CSV too.
PARQUET_ALONE = frozenset({"environment", "commands"})


def check(database: Path, records: list[Record], checks: Path = SQL / "checks") -> None:
    """Raises UserError unless the database holds exactly `records` and every query in `checks` returns no row."""
    with _open(database) as connection:
        held = set(connection.execute("SELECT identity, repetition FROM record WHERE source = 'measured'").fetchall())
        if held != {(record.identity, record.repetition) for record in records}:
            raise UserError(
                f"{database}: does not hold the records of the plan", "move it away, then: ./spindlemark site"
            )
        for path in sorted(checks.glob("*.sql")):
            rows = connection.execute(path.read_text(encoding="utf-8")).fetchmany(1)
            if rows:
                raise UserError(
                    f"{database}: the check {path.name} found {rows[0]}",
                    f"see what it asks for in {path}, and measure that anew",
                )


def export(database: Path, folder: Path, names: Iterable[str] = tuple(TABLES)) -> None:
    """Write the tables called `names` below `folder`, ordered by all its columns, times in UTC."""
    with _open(database) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute("SET threads = 1")
        connection.execute("SET memory_limit = $limit", {"limit": MEMORY})
        connection.execute("SET temp_directory = $folder", {"folder": f"{folder}.tmp"})
        for name in names:
            table = TABLES[name]
            columns, rows = _columns(connection, table), _measured(connection, table)
            query = f"SELECT {columns} FROM {table} WHERE {rows} ORDER BY ALL"
            for suffix in formats(name):
                target = str(folder / f"{name}.{suffix}").replace("'", "''")
                connection.execute(f"COPY ({query}) TO '{target}' ({FORMATS[suffix]})")
                query = f"FROM '{target}'"  # the others from Parquet, which is sorted already


def formats(name: str) -> list[str]:
    """Suffixes of the files that a table is written to, Parquet first."""
    return [suffix for suffix in FORMATS if suffix == "parquet" or name not in PARQUET_ALONE]


def _columns(connection: duckdb.DuckDBPyConnection, table: str) -> str:
    """All columns; lists as JSON text, which every reader of CSV understands."""
    described = connection.execute(f"DESCRIBE {table}").fetchall()
    return ", ".join(
        f"CAST(to_json({name}) AS VARCHAR) AS {name}" if kind.endswith("[]") else name for name, kind, *_ in described
    )


def _measured(connection: duckdb.DuckDBPyConnection, table: str) -> str:
    """Published figures of other documents share the long table; a release holds what was measured."""
    names = {name for name, *_ in connection.execute(f"DESCRIBE {table}").fetchall()}
    return "source = 'measured'" if "source" in names else "true"


def _open(database: Path) -> duckdb.DuckDBPyConnection:
    try:
        return duckdb.connect(str(database), read_only=True)
    except duckdb.Error as error:
        raise UserError(f"{database}: cannot be read: {error}", "build it with: ./spindlemark site") from None
