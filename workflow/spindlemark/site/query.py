"""What the pages need from the database, read in a few whole-table queries and grouped by experiment."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

from spindlemark.core.errors import UserError

Key = tuple[str, str]  # experiment, identity
Row = dict[str, Any]
# Names that each repetition has for itself alone: of processes and their files, mount points, images and network cards.
OWN_NAMES = r"/proc/\d+/fd/\d+|spindlemark(/[a-z]+)?-\d+|/dev/loop\d+|\blink[0-9a-f]{8}\b"


DETAILS = {
    # Most repetitions run the same commands: those of the first of them, with `repetitions` and, in their order, `took`.
    "commands": f"""
        with own as (select * from command where true {{only}}),
        ran as (
            select identity, repetition, sum(hash(position, step, exit_code,
                regexp_replace(array_to_string(argv, ' '), '{OWN_NAMES}', '', 'g'))) as way
            from own group by identity, repetition),
        alike as (
            select identity, way, list(repetition order by repetition) as repetitions from ran group by identity, way),
        timed as (
            select identity, repetitions, position, list(seconds order by repetition) as took
            from own join ran using (identity, repetition) join alike using (identity, way)
            group by identity, repetitions, position)
        select own.*, repetitions, took from own join timed using (identity, position)
        where repetition = repetitions[1] order by identity, repetition, position""",
    "pieces": "select * from command where step like '%-pieces' {only} order by identity, repetition, position",
    # Each gate once, however many repetitions it was asked in.
    "gates": """
        select identity, gate, step, unit, detail, count(*) as asked, count(*) filter (ok) as held, min(observed) as least,
            max(observed) as most, min(bound) as low, max(bound) as high
        from validity where true {only} group by identity, gate, step, unit, detail
        order by identity, min(position), gate, step, detail""",
    "broken": "select * from validity where not ok {only} order by identity, repetition, position",
    "series": "select * from series where true {only} order by identity, name, repetition",
}


def connect(database: Path) -> duckdb.DuckDBPyConnection:
    """Open the database for reading; raises UserError when it is missing or damaged."""
    if not database.exists():
        raise UserError(f"{database}: no such file", "build it first: python -m spindlemark.analysis.database --help")
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
    return _grouped(
        rows(
            connection,
            """
        select *, split_part(experiment, '--', 1) as subject,
            array_to_string(split(experiment, '--')[2:], '--') as library
        from record where source = 'measured' order by testbed, library, subject, identity, repetition""",
        )
    )


def factors(connection: duckdb.DuckDBPyConnection, identities: Iterable[str] | None = None) -> dict[Key, list[Row]]:
    return _grouped(
        rows(
            connection,
            """
        select * from factor where source = 'measured' {only} order by experiment, identity, name""",
            identities,
        )
    )


class Details(NamedTuple):
    """What the records of some experiments hold: samples and factors by experiment, the others by identity, in order."""

    measurements: dict[Key, list[Row]]
    factors: dict[Key, list[Row]]
    commands: dict[str, list[Row]]
    pieces: dict[str, list[Row]]
    gates: dict[str, list[Row]]
    broken: dict[str, list[Row]]
    series: dict[str, list[Row]]
    environments: dict[str, dict[str, list[str]]]


def details(connection: duckdb.DuckDBPyConnection, identities: Iterable[str]) -> Details:
    """Everything of a few experiments: all of a large version does not fit into memory at once."""
    only = list(identities)
    found = {name: _by_identity(rows(connection, sql, only)) for name, sql in DETAILS.items()}
    samples = rows(
        connection,
        """
        select experiment, identity, metric, unit, better, repetition, value from measurement
        where source = 'measured' {only} order by experiment, identity, metric, repetition""",
        only,
    )
    return Details(
        measurements=_grouped(samples),
        factors=factors(connection, only),
        environments=_environments(connection, only),
        **found,
    )


def _environments(connection: duckdb.DuckDBPyConnection, identities: Iterable[str]) -> dict[str, dict[str, list[str]]]:
    """identity -> name -> its values over the repetitions, equal ones once, sorted."""
    found: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for row in rows(
        connection,
        """
            select identity, name, coalesce(min(value), '') as least, coalesce(max(value), '') as most
            from environment where source = 'measured' {only} group by identity, name order by identity, name""",
        identities,
    ):
        found[row["identity"]][row["name"]] = [row["least"]] if row["least"] == row["most"] else []
    for row in rows(
        connection,
        """
            with own as (select * from environment where source = 'measured' {only}),
            differing as (select identity, name from own group by identity, name having min(value) <> max(value))
            select identity, name, list_sort(list_distinct(list(value))) as told
            from own semi join differing using (identity, name) group by identity, name""",
        identities,
    ):
        found[row["identity"]][row["name"]] = row["told"]
    return found


def _by_identity(found: list[Row]) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in found:
        groups[row["identity"]].append(row)
    return groups
