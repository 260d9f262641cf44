"""Data of the pages from the database, read in a few whole-table queries and grouped by experiment."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

from spindlemark.core import sql
from spindlemark.core.errors import UserError
from spindlemark.core.record import Part

Key = tuple[str, str]  # experiment, identity
Row = dict[str, Any]
BY_IDENTITY = ("commands", "pieces", "gates", "broken", "series")  # fields of Details, and files of workflow/sql/site


def connect(database: Path) -> duckdb.DuckDBPyConnection:
    """Open the database for reading; raises UserError when it is missing or damaged."""
    if not database.exists():
        raise UserError(f"{database}: no such file", "build it first: python -m spindlemark.analysis.database --help")
    try:
        return duckdb.connect(str(database), read_only=True)
    except duckdb.Error as error:
        raise UserError(f"{database}: {error}", "delete it and build it again") from None


def rows(connection: duckdb.DuckDBPyConnection, text: str, **parameters: Any) -> list[Row]:
    """All rows of a query as dictionaries."""
    cursor = connection.execute(text, parameters)
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _grouped(found: list[Row]) -> dict[Key, list[Row]]:
    groups: dict[Key, list[Row]] = defaultdict(list)
    for row in found:
        groups[row["experiment"], row["identity"]].append(row)
    return groups


def records(connection: duckdb.DuckDBPyConnection) -> dict[Key, list[Row]]:
    """Repetitions of each measured experiment, in order; published figures have none."""
    return _grouped(rows(connection, sql.read("site/records")))


def names(connection: duckdb.DuckDBPyConnection, identities: Iterable[str]) -> dict[str, list[Part]]:
    """Identity -> the parts of its experiment's name, in their order."""
    found: dict[str, list[Part]] = defaultdict(list)
    for row in rows(connection, sql.read("site/names"), identities=list(identities)):
        found[row.pop("identity")].append(Part(**row))
    return found


def configurations(connection: duckdb.DuckDBPyConnection) -> dict[str, Part]:
    """Name of each configuration, of studies too -> its parts."""
    return {row.pop("name"): Part(**row) for row in rows(connection, sql.read("site/configurations"))}


def factors(connection: duckdb.DuckDBPyConnection, identities: Iterable[str]) -> dict[Key, list[Row]]:
    """Every factor of some experiments."""
    return _grouped(rows(connection, sql.read("site/factors"), identities=list(identities)))


class Details(NamedTuple):
    """Content of the records of some experiments: samples and factors by experiment, the rest by identity, in order."""

    names: dict[str, list[Part]]
    measurements: dict[Key, list[Row]]
    factors: dict[Key, list[Row]]
    commands: dict[str, list[Row]]
    pieces: dict[str, list[Row]]
    gates: dict[str, list[Row]]
    broken: dict[str, list[Row]]
    series: dict[str, list[Row]]
    environments: dict[str, dict[str, list[str]]]


def details(connection: duckdb.DuckDBPyConnection, identities: Iterable[str]) -> Details:
    """Read all data of a few experiments; those of a large version do not fit into memory together."""
    only = list(identities)
    found = {name: _by_identity(rows(connection, sql.read(f"site/{name}"), identities=only)) for name in BY_IDENTITY}
    samples = rows(connection, sql.read("site/samples"), identities=only)
    return Details(
        names=names(connection, only),
        measurements=_grouped(samples),
        factors=factors(connection, only),
        environments=_environments(connection, only),
        **found,
    )


def _environments(connection: duckdb.DuckDBPyConnection, identities: list[str]) -> dict[str, dict[str, list[str]]]:
    """Identity -> name -> its distinct values over the repetitions, sorted."""
    found: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for row in rows(connection, sql.read("site/environment"), identities=identities):
        found[row["identity"]][row["name"]] = [row["least"]] if row["least"] == row["most"] else []
    for row in rows(connection, sql.read("site/environment_differing"), identities=identities):
        found[row["identity"]][row["name"]] = row["found"]
    return found


def _by_identity(found: list[Row]) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in found:
        groups[row["identity"]].append(row)
    return groups
