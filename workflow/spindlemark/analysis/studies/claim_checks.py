"""Check: each claim of one study against the study's own figures."""

from pathlib import Path
from typing import Any

import duckdb

from spindlemark.analysis.studies import author_errors
from spindlemark.analysis.studies import claim_model as claimed_by
from spindlemark.analysis.studies.audit_model import Checked, Link, Omitted
from spindlemark.analysis.studies.claim_model import Claim, Rule
from spindlemark.analysis.studies.claim_text import statement, tried_in
from spindlemark.analysis.studies.claim_verdict import (
    TRIED,
    Value,
    Verdict,
    as_text,
    judge,
    judge_row,
    numbers,
    right_values,
    tolerance,
)
from spindlemark.analysis.studies.hints import hints
from spindlemark.analysis.studies.row_links import Names
from spindlemark.analysis.studies.units import UNITS
from spindlemark.core import sql
from spindlemark.core.errors import UserError


def study(connection: duckdb.DuckDBPyConnection, folder: Path) -> list[Checked]:
    """Every claim of one study, first those written on their own, then those of its rules, with the slips they show."""
    declared = claimed_by.read(folder)
    names = Names(connection, folder.name)
    single = [_claim(connection, names, id_, claim.tried()) for id_, claim in declared.claims.items()]
    ruled = [one for id_, rule in declared.rules.items() for one in _rule(connection, names, id_, rule)]
    return author_errors.assign(folder, declared.slips, single + ruled)


def omissions(connection: duckdb.DuckDBPyConnection, folder: Path) -> list[Omitted]:
    """What the tables of one study show and its text does not mention. Raises UserError for a sentence with other values."""
    found = []
    for id_, each in claimed_by.read(folder).omissions.items():
        row = _one_row(connection, folder.name, id_, each.query)
        if each.statement.count("{}") != len(row):
            raise UserError(
                f"{folder.name}/claims.yaml: {id_}: the query gives {len(row)} values for the sentence {each.statement!r}",
                "make as many {}",
            )
        text = each.statement.format(*(f"{value:.2f}" if isinstance(value, float) else value for value in row))
        found.append(Omitted(source=folder.name, id=id_, place=each.place, statement=text, query=each.query.strip()))
    return found


def _claim(connection: duckdb.DuckDBPyConnection, names: Names, id_: str, claim: Claim) -> Checked:
    claimed = claim.claimed if isinstance(claim.claimed, list) else [claim.claimed]
    if claim.query is None:
        notes = _sentences(connection, names.source, id_, [claim.note])
        return _checked(names, id_, None, claim, claimed, [], "not derivable", [], [], notes)
    row = _one_row(connection, names.source, id_, claim.query)
    if claim.vague:
        claimed = claimed * len(row)  # the same bound for each value
    if len(row) != len(claimed):
        raise UserError(
            f"{names.source}/claims.yaml: {id_}: the query gives {len(row)} values for {len(claimed)} claimed",
            "make them as many",
        )
    unit, row, verdict = _best(claim, claimed, row)
    found = tried_in(claim, unit, row)
    if verdict == "contradicted" and len(claimed) == 1:
        computed = right_values(claimed, row, claim.relation)[0]
        found += hints(connection, names.source, claimed[0], computed, row[0], [claim.place])
    notes = _sentences(connection, names.source, id_, [claim.note, None if verdict == "confirmed" else claim.cause])
    right: list[str] | None = None
    if claim.right and verdict != "confirmed":
        right = [as_text(value) for value in _one_row(connection, names.source, id_, claim.right)]
    one = claim.model_copy(update={"unit": unit})
    return _checked(names, id_, None, one, claimed, row, verdict, found, names.links(claim.query), notes, right=right)


def _sentences(connection: duckdb.DuckDBPyConnection, source: str, id_: str, queries: list[str | None]) -> list[str]:
    return [as_text(_one_row(connection, source, id_, query)[0]) for query in queries if query]


def _best(claim: Claim, claimed: list[str], row: list[Value]) -> tuple[str, list[Value], Verdict]:
    """Unit, values and verdict; where the text leaves the unit open, of the unit that fits best."""
    if not claim.units:
        return claim.unit, row, judge_row(claimed, row, claim.relation)

    def judged(unit: str) -> tuple[str, list[Value], Verdict]:
        values: list[Value] = [value / UNITS[unit][1] for value in numbers(row)]
        return unit, values, judge_row(claimed, values, claim.relation)

    return min(map(judged, claim.units), key=lambda one: TRIED.index(one[2]))


def _rule(connection: duckdb.DuckDBPyConnection, names: Names, id_: str, rule: Rule) -> list[Checked]:
    result = _run(connection, names.source, id_, sql.read("studies/rule_rows", query=rule.query))
    if not result:
        raise UserError(f"{names.source}/claims.yaml: {id_}: the rule applies to no row", "fix its query")
    causes = _causes(connection, names.source, id_, rule)
    checked = []
    for key, place, claimed, recomputed in result:
        verdict = judge(claimed, recomputed, rule.relation)
        table = place.split(":")[0]
        links = [Link(table=table)] if table in names.tables else names.links(rule.query)
        query = sql.read("studies/rule_row", query=rule.query, key=key.replace("'", "''"))
        found = []
        if verdict == "contradicted" and recomputed is not None:
            right = right_values([claimed], [recomputed], rule.relation)[0]
            found = hints(connection, names.source, claimed, right, recomputed, [place])
        notes = [] if verdict == "confirmed" else causes.get(key, [])
        row: list[Value] = [] if recomputed is None else [recomputed]
        checked.append(
            _checked(names, f"{id_}/{key}", id_, rule, [claimed], row, verdict, found, links, notes, place, query)
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
    right: list[str] | None = None,
) -> Checked:
    why, vague = (claim.why, claim.vague) if isinstance(claim, Claim) else (None, None)
    right = (
        right_values(claimed, row, claim.relation, bool(vague))
        if right is None
        else [value for value in right if value]
    )
    measured = claim.relation in ("equal", "about", "nearly") or (claim.relation == "within" and not vague)
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
        vague=vague,
        reading=claim.reading,
        tolerance=tolerance(claimed[0], claim.relation) if numeric and measured else None,
        recomputed=row,
        right=right,
        verdict=verdict,
        why=why,
        query=query or claim.query,
        links=links,
        notes=notes,
        hints=found,
        statement=statement(claimed, right, claim, vague, verdict),
    )


def _one_row(connection: duckdb.DuckDBPyConnection, source: str, id_: str, query: str) -> list[Value]:
    rows = _run(connection, source, id_, query)
    if len(rows) != 1 or any(value is None for value in rows[0]):
        raise UserError(
            f"{source}/claims.yaml: {id_}: the query gives {rows[:2]}", "it must give one row without nulls"
        )
    return rows[0]


def _run(connection: duckdb.DuckDBPyConnection, source: str, id_: str, query: str) -> list[list[Any]]:
    try:
        rows = connection.execute(query).fetchall()
    except duckdb.Error as error:
        raise UserError(f"{source}/claims.yaml: {id_}: the query fails: {error}", "fix the query") from None
    return [[v if isinstance(v, (str, bool)) or v is None else _settled(v) for v in row] for row in rows]


def _settled(value: float) -> float:
    """Without the last digits, which hang on the order in which threads sum."""
    return float(f"{value:.12g}")
