"""Our statistics on published samples: each study for itself, and its summary tables cell by cell."""

import duckdb
import pytest

import factory
import reference_data
from spindlemark.analysis import database, findings
from spindlemark.analysis.findings import groups, load
from spindlemark.analysis.findings.model import Cell, MetricTable, Pair
from spindlemark.analysis.findings.samples import read
from spindlemark.analysis.studies import rederive, statistics
from spindlemark.analysis.studies.published_model import Published
from spindlemark.core.paths import REFERENCE

WIDTH = 0.2


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("statistics") / "x.duckdb"
    reference_data.whole(path).close()
    return path


@pytest.fixture(scope="module")
def published(whole) -> Published:
    return statistics.compute(whole, load(), WIDTH)


def cells(published, table):
    found = next(r for r in published.rederived if r.table == table)
    return {(cell.row, cell.column): cell for cell in found.cells}


def test_a_group_holds_one_study_alone(published, whole):
    with duckdb.connect(str(whole), read_only=True) as connection:
        source_of = dict(connection.execute("select identity, source from record").fetchall())
    for study in published.studies:
        found = {source_of[c.identity] for g in study.groups for t in g.metrics for c in t.cells}
        assert found <= {study.source}
    assert {s.source for s in published.studies if s.groups} == {"000", "001", "002", "003", "004"}


def test_findings_about_measurements_do_not_change_with_the_studies(tmp_path):
    records = factory.write_all(tmp_path, 3)
    texts = []
    for name, studies in (("alone", None), ("beside", REFERENCE)):
        database.build(records, tmp_path / name, studies)
        texts.append(findings.compute(tmp_path / name, load(), WIDTH).model_dump_json())
    assert texts[0] == texts[1]


def test_every_cell_of_both_summary_tables_is_compared(published):
    best, options = cells(published, "table-06"), cells(published, "table-07")
    assert len(best) == 42 and len(options) == 12
    printed = (REFERENCE / "001" / "table-07.csv").read_text(encoding="utf-8")
    assert all(cell.published in printed for cell in options.values())


def test_rows_whose_best_and_worst_are_swapped_are_called_so(published, snapshot):
    found = cells(published, "table-06")
    for column, ours in (("best_result", "btrfs"), ("worst_result", "xfs")):
        cell = found["Delete time / Picture", column]
        assert (cell.outcome, cell.ours, cell.by_average) == ("different", [ours], ours)
        snapshot(cell.why, column)


def test_a_copied_block_is_named(published, snapshot):
    cell = cells(published, "table-06")["Free space after Library copy job / Video", "best_result"]
    assert cell.by_average == "btrfs" != cell.published
    snapshot(cell.why)


def test_differences_of_no_consequence_are_equal(published, snapshot):
    cell = cells(published, "table-06")["Used space after Library copy job / Sound", "best_result"]
    assert cell.outcome == "equal" and len(cell.ours) == 5
    snapshot(cell.why)


def test_the_same_conclusion_from_the_same_samples(published, snapshot):
    cell = cells(published, "table-06")["Library copy time / Sound", "best_result"]
    assert (cell.outcome, cell.ours) == ("same", ["btrfs"])
    snapshot(cell.why)
    assert cells(published, "table-07")["Picture", "option_1"].outcome == "same"
    assert cells(published, "table-07")["Video", "option_1"].outcome == "different"


def test_equal_is_not_what_cannot_be_told_apart(published):
    cell = cells(published, "table-06")["Library copy time / Video-hd", "best_result"]
    assert (cell.outcome, cell.ours, cell.published) == ("equal", ["btrfs", "ext4", "jfs", "xfs"], "ext4")
    known = [
        Cell(
            configuration=s,
            experiment=s,
            identity="0",
            n=2,
            samples=[m, m],
            noisy=[False] * 2,
            median=m,
            low=m,
            high=m,
            stable=True,
            tier=1,
            ratio=m,
        )
        for s, m in (("a", 1.0), ("b", 1.2))
    ]
    pair = Pair(better="a", worse="b", ratio=1.2, low=0.8, high=1.8, p=0.4, verdict="undecided")
    table = MetricTable(
        metric="m",
        title="M",
        unit="s",
        better="lower",
        ranked=True,
        why_unranked=None,
        cells=known,
        pairs=[pair],
        statement="",
    )
    assert rederive._extreme("row", "column", "b", table, worst=False).outcome == "tie"


def test_the_task_that_decides_is_named(published, snapshot):
    assert all(cell.decided_by for found in published.rederived for cell in found.cells)
    table = next(r for r in published.rederived if r.table == "table-07")
    snapshot(table.statement)


def test_tests_of_a_study_are_no_rounds(whole):
    """Nobody says that the first tests of two filesystems were made side by side."""
    found = [samples for g in read(whole, {}, "001") for s in g.configurations for samples in s.metrics.values()]
    assert found and not any(samples.rounds for samples in found)


def test_single_samples_support_no_difference(published):
    tables = [t for s in published.studies if s.source == "003" for g in s.groups for t in g.metrics]
    assert tables and all(not t.pairs and {c.tier for c in t.cells} <= {1, None} for t in tables)


def test_tests_that_were_not_run_together_are_not_compared(whole):
    main, tuned = (
        [
            g
            for g in groups.compare(whole, load(), WIDTH, "001")
            if g.conditions["series"] == series and (g.family, g.library) == ("filesystem_lifecycle", "picture")
        ]
        for series in ("main", "tuned")
    )
    assert len(main) == len(tuned) == 1
    assert "ext4+optimized" in tuned[0].configurations and "ext4+optimized" not in main[0].configurations
