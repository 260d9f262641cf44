"""Load: published figures into the tables that measurements use, with the study's id as `source`."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import duckdb
import pandas

from spindlemark.analysis.studies import study_rows, vague_words
from spindlemark.analysis.studies.published_cells import Placed, cells, read
from spindlemark.core import sql
from spindlemark.core.paths import REFERENCE
from spindlemark.core.record import Part, join_parts


class Row(NamedTuple):
    """One row of the long table; `value` is None where the study prints that the test failed."""

    source: str
    testbed: str
    family: str
    experiment: str
    identity: str
    repetition: int
    metric: str
    unit: str
    value: float | None
    better: str
    status: str
    started_at: datetime | None


class Factor(NamedTuple):
    """One factor of one experiment."""

    source: str
    experiment: str
    identity: str
    name: str
    value: str


def rows(folder: Path) -> Iterator[Row]:
    """The study's samples as rows of the long table, in printed order; averages and ratios are not among them.

    `started_at` is None: no study says when a repetition began. Raises UserError for damaged data.
    """
    return map(_row, study_rows.samples(cells(folder)))


def factors(folder: Path) -> list[Factor]:
    """Factor rows of every experiment that `rows` gives, sorted."""
    return _factors(cells(folder))


def load(connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Insert one study into a database that has the tables record, name_part, measurement, factor and environment.

    Also makes reference_source, reference_table, reference_cell and the macros of tables.sql. Loading a study again
    replaces it. Raises UserError for damaged data, and leaves the database as it was.
    """
    source = read(folder)
    placed = list(cells(folder))
    connection.begin()
    try:
        connection.execute(sql.read("studies/tables"))
        vague_words.load(connection)
        _replace(connection, source.id)
        _insert(connection, "reference_source", [study_rows.of_source(source)])
        _insert(connection, "reference_table", study_rows.of_tables(folder, source))
        _insert(connection, "reference_cell", [cell._asdict() | _named(name) for cell, _, name in placed])
        _insert(
            connection,
            "measurement",
            [row._asdict() for row in map(_row, study_rows.samples(placed)) if row.value is not None],
        )
        _insert(connection, "factor", [factor._asdict() for factor in _factors(placed)])
        records = study_rows.records(source, placed)
        _insert(connection, "record", records)
        _insert(connection, "name_part", study_rows.name_parts(placed))
        _insert(connection, "environment", study_rows.environment(source, records))
        connection.execute(sql.read("studies/means"), {"source": source.id})
        connection.commit()
    except BaseException:
        connection.rollback()
        raise


def folders(root: Path = REFERENCE) -> list[Path]:
    """The folder of every study below `root`, sorted."""
    return sorted(path.parent for path in root.glob("*/source.yaml"))


def load_all(connection: duckdb.DuckDBPyConnection, root: Path = REFERENCE) -> None:
    """Insert every study below `root`."""
    for folder in folders(root):
        load(connection, folder)


def _row(placed: Placed) -> Row:
    own = placed.cell._asdict() | {"started_at": None}
    return Row(**{name: own[name] for name in Row._fields})


def _factors(placed: Iterable[Placed]) -> list[Factor]:
    return sorted(
        {
            Factor(cell.source, cell.experiment, cell.identity, name, str(value))
            for cell, named, _ in study_rows.samples(placed)
            if cell.experiment and cell.identity
            for name, value in {**named, "method": study_rows.METHOD}.items()
        }
    )


def _named(name: Sequence[Part]) -> dict[str, str | None]:
    return {"configuration": name[0].name if name else None, "workload": join_parts(name[1:]) if name else None}


def _replace(connection: duckdb.DuckDBPyConnection, source: str) -> None:
    for table in (
        "reference_source",
        "reference_table",
        "reference_cell",
        "reference_mean",
        "measurement",
        "factor",
        "record",
        "name_part",
        "environment",
    ):
        connection.execute(sql.read("studies/delete", table=table), {"source": source})


def _insert(connection: duckdb.DuckDBPyConnection, table: str, content: list[dict]) -> None:
    """Insert dictionaries by name; columns of text that are all None keep the table's own type."""
    if content:
        frame = pandas.DataFrame(content).convert_dtypes()
        connection.register("incoming", frame)
        connection.execute(sql.read("studies/insert", table=table))
        connection.unregister("incoming")
