"""Audit: every claim of every study against its own figures; `python -m spindlemark.reference.audit DATABASE --output FILE`."""

import re
from collections import Counter
from pathlib import Path
from typing import Annotated

import duckdb
import typer
from pydantic import Field

from spindlemark.errors import UserError
from spindlemark.paths import REFERENCE
from spindlemark.record import Closed
from spindlemark.reference import claims as claimed_by
from spindlemark.reference.cells import read as read_source
from spindlemark.reference.claims import Claim, Rule
from spindlemark.reference.detect import Anomaly, anomalies
from spindlemark.reference.hints import hints
from spindlemark.reference.load import folders
from spindlemark.reference.verdict import Value, Verdict, agrees, as_text, printed_like, row_agrees, tolerance

AUDIT_FORMAT = 1
VERDICTS: tuple[Verdict, ...] = ("confirmed", "contradicted", "not derivable")


class Link(Closed):
    """Where the rows behind a claim are: a printed table, or one metric of one experiment."""

    table: str | None = None
    experiment: str | None = None
    metric: str | None = None


class Checked(Closed):
    """One claim with its verdict."""

    source: str
    id: str
    rule: str | None = Field(description="the rule that it comes from; null: written on its own")
    place: str
    quote: str
    claimed: list[str]
    unit: str
    relation: str
    reading: str | None
    tolerance: float | None = Field(description="in the claim's unit; null where no numbers are compared")
    recomputed: list[float | str | bool | None] = Field(description="empty when it is not derivable")
    right: list[str] = Field(description="recomputed values to the claimed precision")
    verdict: Verdict
    why: str | None = Field(description="why it is not derivable")
    query: str | None
    links: list[Link]
    hints: list[str] = Field(description="generated sentences on how a wrong value may have come about")
    statement: str = Field(description="one generated sentence")


class Study(Closed):
    """One study and how its claims came out."""

    source: str
    title: str
    tables: int
    cells: int
    samples: int
    verdicts: dict[Verdict, int]


class Audit(Closed):
    """Everything the audit pages say."""

    audit_format: int = AUDIT_FORMAT
    studies: list[Study]
    claims: list[Checked]
    anomalies: list[Anomaly]


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


def study(connection: duckdb.DuckDBPyConnection, folder: Path) -> list[Checked]:
    """Every claim of one study, first those written on their own, then those of its rules."""
    declared = claimed_by.read(folder)
    names = _Names(connection, folder.name)
    single = [_claim(connection, names, id_, claim) for id_, claim in declared.claims.items()]
    return single + [one for id_, rule in declared.rules.items() for one in _rule(connection, names, id_, rule)]


class _Names:
    """What a query may name in a study: its tables, experiments and metrics."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, source: str) -> None:
        def column(sql: str) -> set[str]:
            return {row[0] for row in connection.execute(sql, [source]).fetchall()}
        self.source = source
        self.tables = column("select table_name from reference_table where source = ?")
        self.experiments = column("select experiment from measurement where source = ?")
        self.metrics = column("select metric from measurement where source = ?")

    def links(self, query: str) -> list[Link]:
        """Tables, experiments and metrics that the text of a query names."""
        literals = list(dict.fromkeys(re.findall(r"'([^']*)'", query)))
        metrics = [name for name in literals if name in self.metrics]
        tables = [Link(table=name) for name in literals if name in self.tables]
        experiments = [name for name in literals if name in self.experiments]
        pairs = [Link(experiment=e, metric=m) for e in experiments for m in metrics]
        return tables + (pairs or [Link(metric=m) for m in metrics])


def _claim(connection: duckdb.DuckDBPyConnection, names: _Names, id_: str, claim: Claim) -> Checked:
    claimed = claim.claimed if isinstance(claim.claimed, list) else [claim.claimed]
    if claim.query is None:
        return _checked(names, id_, None, claim, claimed, [], "not derivable", [], [])
    row = _one_row(connection, names.source, id_, claim.query)
    if len(row) != len(claimed):
        raise UserError(f"{names.source}/claims.yaml: {id_}: the query gives {len(row)} values for {len(claimed)} claimed",
                        "make them as many")
    good = row_agrees(claimed, row, claim.relation, claim.tolerance) if len(claimed) > 1 else \
        agrees(claimed[0], row[0], claim.relation, claim.tolerance)
    found = []
    if not good and len(claimed) == 1:
        found = hints(connection, names.source, claimed[0], printed_like(claimed[0], row[0], differs=True), row[0],
                      [claim.place])
    if not good and claim.cause:
        found = [as_text(_one_row(connection, names.source, id_, claim.cause)[0]), *found]
    return _checked(names, id_, None, claim, claimed, row, "confirmed" if good else "contradicted", found,
                    names.links(claim.query))


def _rule(connection: duckdb.DuckDBPyConnection, names: _Names, id_: str, rule: Rule) -> list[Checked]:
    result = _run(connection, names.source, id_, f"select key, place, claimed, recomputed from ({rule.query}) order by key")
    if not result:
        raise UserError(f"{names.source}/claims.yaml: {id_}: the rule applies to no row", "mend its query")
    checked = []
    for key, place, claimed, recomputed in result:
        good = agrees(claimed, recomputed, rule.relation, rule.tolerance)
        found = [] if good else hints(
            connection, names.source, claimed, printed_like(claimed, recomputed, differs=True), recomputed, [place])
        query = f"select recomputed from ({rule.query}) where key = '{key}'"
        links = [Link(table=place.split(":")[0])] if place.split(":")[0] in names.tables else names.links(rule.query)
        checked.append(_checked(names, f"{id_}/{key}", id_, rule, [claimed], [recomputed],
                                "confirmed" if good else "contradicted", found, links, place, query))
    return checked


def _checked(names: _Names, id_: str, rule: str | None, claim: Claim | Rule, claimed: list[str], row: list[Value],
             verdict: Verdict, found: list[str], links: list[Link], place: str | None = None,
             query: str | None = None) -> Checked:
    why = getattr(claim, "why", None)
    right = [printed_like(c, r, verdict == "contradicted" and len(row) == 1) for c, r in zip(claimed, row, strict=False)]
    numeric = any(isinstance(value, float) and not isinstance(value, bool) for value in row)
    return Checked(
        source=names.source, id=id_, rule=rule, place=place or claim.place, quote=claim.quote, claimed=claimed,
        unit=claim.unit, relation=claim.relation, reading=claim.reading,
        tolerance=tolerance(claimed[0], claim.relation, claim.tolerance) if numeric else None,
        recomputed=row, right=right, verdict=verdict, why=why, query=query or claim.query, links=links, hints=found,
        statement=statement(claimed, right, claim.unit, claim.relation, verdict, why))


def statement(claimed: list[str], right: list[str], unit: str, relation: str, verdict: Verdict, why: str | None) -> str:
    """One sentence on the outcome of a claim, made from its values."""
    unit = f" {unit}" if unit else ""
    said = (" to " if relation == "within" else ", ").join(claimed)
    if verdict == "not derivable":
        return f"{said}{unit} cannot be derived: {why}."
    have = (" to " if relation == "within" else ", ").join(right)
    words = {"equal": "", "within": "", "at least share": "at least "}.get(relation, f"{relation} ")
    if verdict == "confirmed":
        return f"The figures confirm {words}{said}{unit}" + (f": they give {have}." if have != said else ".")
    return f"Claimed is {words}{said}{unit}; the figures give {have}{unit}."


def _one_row(connection: duckdb.DuckDBPyConnection, source: str, id_: str, query: str) -> list[Value]:
    rows = _run(connection, source, id_, query)
    if len(rows) != 1 or any(value is None for value in rows[0]):
        raise UserError(f"{source}/claims.yaml: {id_}: the query gives {rows[:2]}", "it must give one row without nulls")
    return rows[0]


def _run(connection: duckdb.DuckDBPyConnection, source: str, id_: str, query: str) -> list[list[Value]]:
    try:
        rows = connection.execute(query).fetchall()
    except duckdb.Error as error:
        raise UserError(f"{source}/claims.yaml: {id_}: the query fails: {error}", "mend the query") from None
    return [[v if isinstance(v, (str, bool)) or v is None else float(v) for v in row] for row in rows]


def _study(connection: duckdb.DuckDBPyConnection, folder: Path, checked: list[Checked]) -> Study:
    counts = Counter(one.verdict for one in checked)
    cells, samples = connection.execute(
        "select (select count(distinct (table_name, row_number, column_name)) from reference_cell where source = $s), "
        "(select count(*) from measurement where source = $s)", {"s": folder.name}).fetchone()
    source = read_source(folder)
    return Study(source=source.id, title=source.title, tables=len(source.tables), cells=cells, samples=samples,
                 verdicts={verdict: counts[verdict] for verdict in VERDICTS})


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
