"""Check: each claim of one study against the study's own figures."""

from pathlib import Path

import duckdb

from spindlemark.errors import UserError
from spindlemark.reference import claims as claimed_by
from spindlemark.reference.claims import Claim, Rule
from spindlemark.reference.hints import hints
from spindlemark.reference.links import Names
from spindlemark.reference.report import Checked, Link
from spindlemark.reference.verdict import Value, Verdict, agrees, as_text, printed_like, row_agrees, tolerance


def study(connection: duckdb.DuckDBPyConnection, folder: Path) -> list[Checked]:
    """Every claim of one study, first those written on their own, then those of its rules."""
    declared = claimed_by.read(folder)
    names = Names(connection, folder.name)
    single = [_claim(connection, names, id_, claim) for id_, claim in declared.claims.items()]
    return single + [one for id_, rule in declared.rules.items() for one in _rule(connection, names, id_, rule)]


def _claim(connection: duckdb.DuckDBPyConnection, names: Names, id_: str, claim: Claim) -> Checked:
    claimed = claim.claimed if isinstance(claim.claimed, list) else [claim.claimed]
    if claim.query is None:
        return _checked(names, id_, None, claim, claimed, [], "not derivable", [], [], [])
    row = _one_row(connection, names.source, id_, claim.query)
    if len(row) != len(claimed):
        raise UserError(
            f"{names.source}/claims.yaml: {id_}: the query gives {len(row)} values for {len(claimed)} claimed",
            "make them as many",
        )
    good = (
        row_agrees(claimed, row, claim.relation, claim.tolerance)
        if len(claimed) > 1
        else agrees(claimed[0], row[0], claim.relation, claim.tolerance)
    )
    found, notes = [], []
    if not good and len(claimed) == 1:
        found = hints(
            connection, names.source, claimed[0], printed_like(claimed[0], row[0], differs=True), row[0], [claim.place]
        )
    if not good and claim.cause:
        notes = [as_text(_one_row(connection, names.source, id_, claim.cause)[0])]
    verdict = "confirmed" if good else "contradicted"
    links = names.links(claim.query)
    return _checked(names, id_, None, claim, claimed, row, verdict, found, links, notes)


def _rule(connection: duckdb.DuckDBPyConnection, names: Names, id_: str, rule: Rule) -> list[Checked]:
    listed = f"select key, place, claimed, recomputed from ({rule.query}) order by key"
    result = _run(connection, names.source, id_, listed)
    if not result:
        raise UserError(f"{names.source}/claims.yaml: {id_}: the rule applies to no row", "mend its query")
    causes = _causes(connection, names.source, id_, rule)
    checked = []
    for key, place, claimed, recomputed in result:
        good = agrees(claimed, recomputed, rule.relation, rule.tolerance)
        table = place.split(":")[0]
        links = [Link(table=table)] if table in names.tables else names.links(rule.query)
        query = "select recomputed from ({}) where key = '{}'".format(rule.query, key.replace("'", "''"))
        found = []
        if not good:
            right = printed_like(claimed, recomputed, differs=True)
            found = hints(connection, names.source, claimed, right, recomputed, [place])
        verdict = "confirmed" if good else "contradicted"
        notes = [] if good else causes.get(key, [])
        checked.append(
            _checked(
                names, f"{id_}/{key}", id_, rule, [claimed], [recomputed], verdict, found, links, notes, place, query
            )
        )
    return checked


def _causes(connection: duckdb.DuckDBPyConnection, source: str, id_: str, rule: Rule) -> dict[str, list[str]]:
    """Key -> sentences on what may have gone wrong there."""
    causes: dict[str, list[str]] = {}
    for key, sentence in _run(connection, source, id_, rule.cause) if rule.cause else []:
        causes.setdefault(key, []).append(sentence)
    return causes


def _checked(
    names: Names,
    id_: str,
    rule: str | None,
    claim: Claim | Rule,
    claimed: list[str],
    row: list[Value],
    verdict: Verdict,
    found: list[str],
    links: list[Link],
    notes: list[str],
    place: str | None = None,
    query: str | None = None,
) -> Checked:
    why = getattr(claim, "why", None)
    right = [
        printed_like(c, r, verdict == "contradicted" and len(row) == 1) for c, r in zip(claimed, row, strict=False)
    ]
    measured = claim.relation in ("equal", "about", "within") or claim.tolerance
    numeric = any(isinstance(value, float) and not isinstance(value, bool) for value in row)
    return Checked(
        source=names.source,
        id=id_,
        rule=rule,
        place=place or claim.place,
        quote=claim.quote,
        claimed=claimed,
        unit=claim.unit,
        relation=claim.relation,
        reading=claim.reading,
        tolerance=tolerance(claimed[0], claim.relation, claim.tolerance) if numeric and measured else None,
        recomputed=row,
        right=right,
        verdict=verdict,
        why=why,
        query=query or claim.query,
        links=links,
        notes=notes,
        hints=found,
        statement=statement(claimed, right, claim.unit, claim.relation, verdict, why),
    )


def statement(claimed: list[str], right: list[str], unit: str, relation: str, verdict: Verdict, why: str | None) -> str:
    """One sentence on the outcome of a claim, made from its values."""
    unit = f" {unit}" if unit else ""
    said, have = ((" to " if relation == "within" else ", ").join(values) for values in (claimed, right))
    words = "" if relation in ("equal", "within") else f"{relation} "
    if verdict == "not derivable":
        return f"{said}{unit} cannot be derived: {why}."
    if claimed == ["true"]:
        return "The figures bear it out." if verdict == "confirmed" else "The figures do not bear it out."
    if verdict == "confirmed":
        return f"The figures confirm {words}{said}{unit}" + (f": they give {have}." if have != said else ".")
    return f"Claimed is {words}{said}{unit}; the figures give {have}{unit}."


def _one_row(connection: duckdb.DuckDBPyConnection, source: str, id_: str, query: str) -> list[Value]:
    rows = _run(connection, source, id_, query)
    if len(rows) != 1 or any(value is None for value in rows[0]):
        raise UserError(
            f"{source}/claims.yaml: {id_}: the query gives {rows[:2]}", "it must give one row without nulls"
        )
    return rows[0]


def _run(connection: duckdb.DuckDBPyConnection, source: str, id_: str, query: str) -> list[list[Value]]:
    try:
        rows = connection.execute(query).fetchall()
    except duckdb.Error as error:
        raise UserError(f"{source}/claims.yaml: {id_}: the query fails: {error}", "mend the query") from None
    return [[v if isinstance(v, (str, bool)) or v is None else float(v) for v in row] for row in rows]
