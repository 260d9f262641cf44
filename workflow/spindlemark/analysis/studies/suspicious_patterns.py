"""Detectors: patterns in a study's figures that no honest measurement leaves, whatever its text claims."""

from pathlib import Path

import duckdb

from spindlemark.core.record import Closed

DETECTORS = Path(__file__).with_name("detectors")


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
    for file in sorted(DETECTORS.glob("*.sql")):
        text = file.read_text(encoding="utf-8")
        title = text.splitlines()[0].removeprefix("--").strip()
        for cells, statement in connection.execute(text, {"source": source}).fetchall():
            found.append(
                Anomaly(source=source, detector=file.stem, title=title, cells=list(cells), statement=statement)
            )
    return found
