"""What the pages need from the database, read in a few whole-table queries and grouped by experiment."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

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


def rows(connection: duckdb.DuckDBPyConnection, sql: str, identities: Iterable[str] | None = None) -> list[Row]:
    """All rows of a query as dictionaries; of those identities alone where they are given, in the place of `{only}`."""
    only = "" if identities is None else "and identity in (select unnest($identities))"
    given = {} if identities is None else {"identities": list(identities)}
    cursor = connection.execute(sql.replace("{only}", only), given)
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


def factors(connection: duckdb.DuckDBPyConnection, identities: Iterable[str] | None = None) -> dict[Key, list[Row]]:
    return _grouped(rows(connection, """
        select * from factor where source = 'measured' {only} order by experiment, identity, name""", identities))


class Details(NamedTuple):
    """What the records of some experiments hold: samples and factors by experiment, the others by identity, in order."""

    measurements: dict[Key, list[Row]]
    factors: dict[Key, list[Row]]
    commands: dict[str, list[Row]]
    gates: dict[str, list[Row]]
    series: dict[str, list[Row]]
    environments: dict[str, dict[str, list[str]]]


def details(connection: duckdb.DuckDBPyConnection, identities: Iterable[str]) -> Details:
    """Everything of a few experiments: all of a large version does not fit into memory at once."""
    only = list(identities)
    found = {name: _by_identity(rows(connection, f"select * from {name} where true {{only}} order by identity, {order}", only))
             for name, order in (("command", "repetition, position"), ("validity", "repetition, position"),
                                 ("series", "name, repetition"))}
    samples = rows(connection, """
        select experiment, identity, metric, unit, better, repetition, value from measurement
        where source = 'measured' {only} order by experiment, identity, metric, repetition""", only)
    return Details(_grouped(samples), factors(connection, only), found["command"], found["validity"], found["series"],
                   _environments(connection, only))


def _environments(connection: duckdb.DuckDBPyConnection, identities: Iterable[str]) -> dict[str, dict[str, list[str]]]:
    """identity -> name -> its values over the repetitions, equal ones once, sorted."""
    found: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for row in rows(connection, """
            select identity, name, list_sort(list_distinct(list(value))) as told
            from environment where source = 'measured' {only} group by identity, name order by identity, name""", identities):
        found[row["identity"]][row["name"]] = [v for v in row["told"] if v is not None] or [""]
    return found


def _by_identity(found: list[Row]) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in found:
        groups[row["identity"]].append(row)
    return groups
