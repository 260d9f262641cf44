"""Detectors: patterns in a study's figures that no honest measurement leaves, whatever its text claims."""

import duckdb

from spindlemark.core import sql
from spindlemark.core.paths import SQL
from spindlemark.core.record import Closed

DETECTORS = SQL / "studies" / "detectors"


class Anomaly(Closed):
    """One suspicious place: generated, not a verdict."""

    source: str
    detector: str
    title: str
    cells: list[str]
    statement: str


def anomalies(connection: duckdb.DuckDBPyConnection, source: str) -> list[Anomaly]:
    """Run every detector over one study, sorted by detector and cell."""
    found = []
    for name, title, text in sql.folder(DETECTORS):
        for cells, statement in connection.execute(text, {"source": source}).fetchall():
            found.append(Anomaly(source=source, detector=name, title=title, cells=list(cells), statement=statement))
    return found
