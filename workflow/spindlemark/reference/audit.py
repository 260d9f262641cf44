"""Audit: every claim of every study against its own figures.

`python -m spindlemark.reference.audit DATABASE --output FILE`, where the database holds the published figures.
"""

from collections import Counter
from pathlib import Path
from typing import Annotated, get_args

import duckdb
import typer

from spindlemark.errors import UserError
from spindlemark.paths import REFERENCE
from spindlemark.reference.cells import read as read_source
from spindlemark.reference.check import study
from spindlemark.reference.detect import anomalies
from spindlemark.reference.load import folders
from spindlemark.reference.report import Audit, Checked, Study
from spindlemark.reference.verdict import Verdict


def audit(connection: duckdb.DuckDBPyConnection, root: Path = REFERENCE) -> Audit:
    """Check the claims of every study below `root` against a database that holds them (load.load_all).

    Raises UserError naming the claim whose query fails or gives nothing.
    """
    studies, checked, found = [], [], []
    for folder in folders(root):
        own = study(connection, folder)
        checked += own
        found += anomalies(connection, folder.name)
        studies.append(_study(connection, folder, own))
    return Audit(studies=studies, claims=checked, anomalies=found)


def _study(connection: duckdb.DuckDBPyConnection, folder: Path, checked: list[Checked]) -> Study:
    counts = Counter(one.verdict for one in checked)
    cells, samples = connection.execute(
        "select (select count(distinct (table_name, row_number, column_name)) from reference_cell where source = $s), "
        "(select count(*) from measurement where source = $s)",
        {"s": folder.name},
    ).fetchone()
    source = read_source(folder)
    return Study(
        source=source.id,
        title=source.title,
        tables=len(source.tables),
        cells=cells,
        samples=samples,
        verdicts={verdict: counts[verdict] for verdict in get_args(Verdict)},
    )


def main(
    database: Annotated[Path, typer.Argument(help="DuckDB file that holds the published figures")],
    output: Annotated[Path, typer.Option(help="JSON file to write")],
) -> None:
    """Audit every published claim against the published figures in the database."""
    if not database.exists():
        raise UserError(f"{database}: no such file", "build it with: ./spindlemark site")
    with duckdb.connect(str(database), read_only=True) as connection:
        result = audit(connection)
    partial = output.with_name(f".{output.name}.partial")
    partial.write_text(result.model_dump_json(indent=1) + "\n", encoding="utf-8")
    partial.replace(output)


if __name__ == "__main__":
    try:
        typer.run(main)
    except UserError as error:
        typer.echo(f"error: {error}", err=True)
        raise SystemExit(2) from None
