"""Data of all pages of the studies, from the audit, the statistics and the printed tables."""

import shutil
from pathlib import Path
from typing import Any

import duckdb

from spindlemark.analysis.findings.model import Findings
from spindlemark.analysis.studies import claim_model as claimed
from spindlemark.analysis.studies.audit_model import Audit
from spindlemark.analysis.studies.audit_model import read as read_audit
from spindlemark.analysis.studies.published_cells import read as read_source
from spindlemark.analysis.studies.published_cells import table_rows
from spindlemark.analysis.studies.published_model import Published
from spindlemark.analysis.studies.source_model import Source
from spindlemark.core import paths, sql
from spindlemark.core.errors import UserError
from spindlemark.site.context import Context, Studied
from spindlemark.site.planner import media
from spindlemark.site.sources import Sources
from spindlemark.site.studies import (
    audit_page,
    coverage,
    locations,
    printed_tables,
    rederived_page,
    study_list,
    then_and_now,
)

Page = dict[str, Any]


def build(
    connection: duckdb.DuckDBPyConnection,
    sources: Sources,
    published: Published,
    findings: Findings,
    context: Context,
    output: Path,
) -> dict[str, Any]:
    """Return Hugo's data by name, and copy the tables as CSV below `output`. Raises UserError for inputs that do not match."""
    found = read_audit(sources.audit)
    known = {s.source: read_source(paths.REFERENCE / s.source) for s in found.studies}
    covered = coverage.build(connection, sources, known)
    pages = [_study(connection, known[s.source], found) | {"coverage": covered[s.source]} for s in found.studies]
    for source in known:
        _offer(source, output)
    return {
        "studies": {"total": study_list.total(found), "studies": pages},
        "rederived": rederived_page.page(published, known, findings, context),
        "then": then_and_now.pages(findings, published, context, known, environment_values(connection, known)),
        "planner": media.build(connection, findings, context, known),
    }


def environment_values(connection: duckdb.DuckDBPyConnection, known: dict[str, Source]) -> dict[tuple[str, str], str]:
    """Return (identity, name) -> the environment's value in all repetitions, for the names that figures of studies need."""
    names = sorted({name for s in known.values() if s.today for figure in s.today.figures for name in figure.noted})
    rows = connection.execute(sql.read("site/noted"), {"names": names}).fetchall()
    return {(identity, name): value for identity, name, value in rows}


def studied(connection: duckdb.DuckDBPyConnection, published: Published) -> Studied:
    """Return which groups are published, and the first table that prints each of their results."""
    tables = connection.execute(sql.read("studies/first_tables")).fetchall()
    return Studied(
        {g.group: study.source for study in published.studies for g in study.groups},
        {
            (source, identity, metric): f"{locations.tables(source)}#{locations.fragment(table)}"
            for source, identity, metric, table in tables
        },
        {study.source for study in published.studies if len({g.testbed for g in study.groups}) > 1},
    )


def _study(connection: duckdb.DuckDBPyConnection, source: Source, found: Audit) -> Page:
    folder = paths.REFERENCE / source.id
    claims = [c for c in found.claims if c.source == source.id]
    slips = [s for s in found.slips if s.source == source.id]
    anomalies = [a for a in found.anomalies if a.source == source.id]
    declared = claimed.read(folder)
    unknown = {c.rule for c in claims if c.rule} - set(declared.rules)
    if unknown:
        raise UserError(
            f"{folder / 'claims.yaml'}: has no rule {sorted(unknown)[0]!r} that the audit names",
            "run the audit again: ./spindlemark site",
        )
    held = connection.execute(sql.read("studies/printed_metrics"), {"source": source.id}).fetchall()
    marks = printed_tables.marks(source, claims, anomalies)
    study = next(s for s in found.studies if s.source == source.id)
    return study_list.card(source, study, len(anomalies)) | {
        "facts": study_list.facts(source),
        "sections": audit_page.sections(source, claims, declared, slips, held),
        "omissions": audit_page.omissions(source, [each for each in found.omissions if each.source == source.id]),
        "patterns": audit_page.patterns(source, anomalies),
        "printed": [
            printed_tables.table(source, name, table, table_rows(folder, name, table), marks)
            for name, table in source.tables.items()
        ],
        "files": [
            {"name": p.name, "path": locations.offered(source.id) + p.name}
            for p in locations.files(source.id)
            if p.suffix != ".csv"
        ],
    }


def _offer(source: str, output: Path) -> None:
    """Copy a study's files, unchanged, to where its pages offer them."""
    target = output / "static" / locations.offered(source)
    target.mkdir(parents=True, exist_ok=True)
    for path in locations.files(source):
        shutil.copyfile(path, target / path.name)
