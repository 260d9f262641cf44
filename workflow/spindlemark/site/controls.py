"""Controls: how often the verdicts agree with results that are known in advance. The page of methods shows it."""

from collections.abc import Mapping
from typing import Any

import duckdb

from spindlemark.analysis.findings import question_list
from spindlemark.analysis.findings.model import Contrast, Findings
from spindlemark.core import sql
from spindlemark.site import query

Page = dict[str, Any]
# Known result -> what a verdict other than that is called, or one that agrees.
COUNTED = {"equal": "false alarms", "slower": "detected"}


def build(connection: duckdb.DuckDBPyConnection, findings: Findings) -> list[Page]:
    """Count the verdicts of each question with known results: one row per family and value of the factor.

    A comparison is one weighted task of a control, or the weighted cost over all of them.
    """
    return [
        row
        for family, declared in question_list.declared().items()
        for name, question in declared.questions.items()
        if question.known
        for row in _rows(connection, findings, family, name, question.compare[0], question.known)
    ]


def _rows(
    connection: duckdb.DuckDBPyConnection,
    findings: Findings,
    family: str,
    question: str,
    factor: str,
    known: Mapping[str, str],
) -> list[Page]:
    values = {
        row["identity"]: row["value"] for row in query.rows(connection, sql.read("site/factor_values"), factor=factor)
    }
    compared = [
        (values.get(contrasts.identities.get(row.configuration, "")), row)
        for contrasts in findings.contrasts
        if (contrasts.family, contrasts.question) == (family, question)
        for row in contrasts.rows
        if row.primary
    ]
    found = {value: [row for own, row in compared if own == value] for value in known}
    return [
        _counted(question_list.title(family), question_list.label(family, factor, value), known[value], rows)
        for value, rows in found.items()
        if rows
    ]


def _counted(family: str, control: str, known: str, rows: list[Contrast]) -> Page:
    slower, faster = (sum(row.side == side for row in rows) for side in ("loss", "gain"))
    right = slower + faster if known == "equal" else slower
    return {
        "family": family,
        "control": control,
        "known": known,
        "result": f"{right} of {len(rows)} {COUNTED[known]}",
        "slower": slower,
        "faster": faster,
        "equivalent": sum(row.verdict == "equivalent" for row in rows),
        "inconclusive": sum(row.verdict == "undecided" for row in rows),
        "short": sum(row.verdict is None for row in rows),
    }
