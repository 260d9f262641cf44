"""What the pages need from the database, read in a few whole-table queries and grouped by experiment."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import duckdb

from spindlemark.errors import UserError

Key = tuple[str, str]  # experiment, identity
Row = dict[str, Any]


def connect(database: Path) -> duckdb.DuckDBPyConnection:
    """Open the database for reading; raises UserError when it is missing or damaged."""
    if not database.exists():
        raise UserError(f"{database}: no such file", "build it first: python -m spindlemark.database --help")
    try:
        return duckdb.connect(str(database), read_only=True)
    except duckdb.Error as error:
        raise UserError(f"{database}: {error}", "delete it and build it again") from None


def rows(connection: duckdb.DuckDBPyConnection, sql: str) -> list[Row]:
    """All rows of a query as dictionaries."""
    cursor = connection.execute(sql)
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _grouped(found: list[Row]) -> dict[Key, list[Row]]:
    groups: dict[Key, list[Row]] = defaultdict(list)
    for row in found:
        groups[row["experiment"], row["identity"]].append(row)
    return groups


def records(connection: duckdb.DuckDBPyConnection) -> dict[Key, list[Row]]:
    """Repetitions of each measured experiment, in order; published figures have none.

    `subject` and `library` are the name's parts, for readers: what stands first in it, and what else it says.
    """
    return _grouped(rows(connection, """
        select *, split_part(experiment, '--', 1) as subject,
            array_to_string(split(experiment, '--')[2:], '--') as library
        from record where source = 'measured' order by testbed, library, subject, identity, repetition"""))


def measurements(connection: duckdb.DuckDBPyConnection) -> dict[Key, list[Row]]:
    """Every sample: metric, unit, better, repetition, value."""
    return _grouped(rows(connection, """
        select experiment, identity, metric, unit, better, repetition, value from measurement
        where source = 'measured' order by experiment, identity, metric, repetition"""))


def factors(connection: duckdb.DuckDBPyConnection) -> dict[Key, list[Row]]:
    return _grouped(rows(connection, """
        select * from factor where source = 'measured' order by experiment, identity, name"""))


def commands(connection: duckdb.DuckDBPyConnection) -> dict[str, list[Row]]:
    """identity -> commands as run, by repetition and position."""
    return _by_identity(rows(connection, "select * from command order by identity, repetition, position"))


def gates(connection: duckdb.DuckDBPyConnection) -> dict[str, list[Row]]:
    return _by_identity(rows(connection, "select * from validity order by identity, repetition, position"))


def series(connection: duckdb.DuckDBPyConnection) -> dict[str, list[Row]]:
    """identity -> load series: repetition, name, unit, seconds, values."""
    return _by_identity(rows(connection, "select * from series order by identity, name, repetition"))


def environments(connection: duckdb.DuckDBPyConnection) -> dict[str, dict[str, list[str]]]:
    """identity -> name -> its values over the repetitions, equal ones once, sorted."""
    found: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for identity, name, values in connection.execute("""
            select identity, name, list_sort(list_distinct(list(value)))
            from environment where source = 'measured' group by identity, name order by identity, name""").fetchall():
        found[identity][name] = [v for v in values if v is not None] or [""]
    return found


def _by_identity(found: list[Row]) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in found:
        groups[row["identity"]].append(row)
    return groups
