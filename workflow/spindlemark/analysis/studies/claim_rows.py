"""Stored: each claim with its verdict as a row of the table `claim`, so that a release carries and cites it."""

from collections.abc import Sequence
from pathlib import Path

import duckdb
import pyarrow as pa

from spindlemark.analysis.studies.audit_model import Checked
from spindlemark.analysis.studies.claim_checks import study
from spindlemark.analysis.studies.claim_verdict import Value, as_text
from spindlemark.analysis.studies.load import folders
from spindlemark.core import sql
from spindlemark.core.paths import REFERENCE

COLUMNS = (
    "study",
    "id",
    "rule",
    "place",
    "quote",
    "claimed",
    "claimed_unit",
    "relation",
    "vague",
    "reading",
    "derived",
    "right_value",
    "verdict",
    "slip",
    "explanation",
    "query",
)


def store(connection: duckdb.DuckDBPyConnection, root: Path = REFERENCE) -> None:
    """Fill the table `claim` of a database that holds the studies below `root` (load.load_all).

    Raises UserError naming the claim whose query fails or gives nothing.
    """
    rows = [_row(checked) for folder in folders(root) for checked in study(connection, folder)]
    connection.execute(sql.read("studies/empty", table="claim"))
    connection.register("incoming", pa.Table.from_pylist(rows, pa.schema([(name, pa.string()) for name in COLUMNS])))
    connection.execute(sql.read("studies/insert", table="claim"))
    connection.unregister("incoming")


def _row(c: Checked) -> dict[str, str | None]:
    """Columns as in sql/core/20_claim.sql; several values are joined with semicolons."""
    values = (
        c.source,
        c.id,
        c.rule,
        c.place,
        c.quote,
        _joined(c.claimed),
        c.unit,
        c.relation,
        c.vague,
        c.reading,
        _joined(c.recomputed),
        _joined(c.right),
        c.verdict,
        c.slip,
        " ".join([c.statement, *c.hints, *c.notes]),
        c.query,
    )
    return dict(zip(COLUMNS, values, strict=True))


def _joined(values: Sequence[Value]) -> str | None:
    return "; ".join(f"{v:.12g}" if isinstance(v, float) else as_text(v) for v in values) or None
