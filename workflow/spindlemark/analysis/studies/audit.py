"""Audit: every claim of every study against its own figures.

`python -m spindlemark.analysis.studies.audit DATABASE --output FILE`, where the database holds the published figures.
"""

import argparse
from pathlib import Path
from typing import get_args

import duckdb

from spindlemark.analysis.studies import author_errors, claim_model
from spindlemark.analysis.studies.audit_model import Audit, Checked, Study
from spindlemark.analysis.studies.claim_checks import omissions, study
from spindlemark.analysis.studies.claim_verdict import Verdict
from spindlemark.analysis.studies.load import folders
from spindlemark.analysis.studies.published_cells import read as read_source
from spindlemark.analysis.studies.suspicious_patterns import anomalies
from spindlemark.core import sql
from spindlemark.core.atomic_write import write
from spindlemark.core.errors import UserError, command
from spindlemark.core.paths import REFERENCE


def audit(connection: duckdb.DuckDBPyConnection, root: Path = REFERENCE) -> Audit:
    """Check the claims of every study below `root` against a database that holds them (load.load_all).

    Raises UserError naming the claim whose query fails or gives nothing.
    """
    studies, checked, slipped, found, omitted = [], [], [], [], []
    for folder in folders(root):
        own = study(connection, folder)
        checked += own
        slipped += author_errors.of_study(folder.name, claim_model.read(folder).slips, own)
        found += anomalies(connection, folder.name)
        omitted += omissions(connection, folder)
        studies.append(_study(connection, folder, own))
    return Audit(studies=studies, claims=checked, slips=slipped, anomalies=found, omissions=omitted)


def _study(connection: duckdb.DuckDBPyConnection, folder: Path, checked: list[Checked]) -> Study:
    counts = author_errors.counted(checked)
    ((cells, samples),) = connection.execute(sql.read("studies/size"), {"source": folder.name}).fetchall()
    source = read_source(folder)
    return Study(
        source=source.id,
        title=source.title,
        tables=len(source.tables),
        cells=cells,
        samples=samples,
        rows=len(checked),
        verdicts={verdict: counts[verdict] for verdict in get_args(Verdict)},
    )


def main() -> None:
    """Parse the arguments and audit."""
    parser = argparse.ArgumentParser(prog="python -m spindlemark.analysis.studies.audit", description=__doc__)
    parser.add_argument("database", type=Path, help="DuckDB file that holds the published figures")
    parser.add_argument("--output", type=Path, required=True, help="JSON file to write")
    given = parser.parse_args()
    if not given.database.exists():
        raise UserError(f"{given.database}: no such file", "build it with: ./spindlemark site")
    with duckdb.connect(str(given.database), read_only=True) as connection:
        write(given.output, audit(connection).model_dump_json())


if __name__ == "__main__":
    command(main)
