"""Every published table is there, in the long table and beside it."""

import pytest

import reference_data
from spindlemark.analysis.studies import claim_model
from spindlemark.analysis.studies.load import folders, rows
from spindlemark.analysis.studies.published_cells import label, read, table_rows
from spindlemark.analysis.studies.published_metrics import metrics
from spindlemark.config import questions
from spindlemark.core.paths import REFERENCE, SQL
from spindlemark.families import registry as families

# source: (tables, printed cells, samples)
EXTENT = {"000": (3, 354, 191), "001": (45, 1521, 583), "002": (7, 393, 56), "003": (7, 183, 64), "004": (11, 190, 104)}
APPENDIX_A = {f"table-{n:02}": (5, 5) for n in range(8, 30)}
SHAPES = {
    ("000", "scaletest"): (22, 6),
    ("000", "scaletest-es"): (22, 6),
    ("000", "end-user-exports"): (10, 9),
    **{("001", name): shape for name, shape in APPENDIX_A.items()},
    ("001", "table-01"): (6, 3),
    ("001", "table-02"): (7, 3),
    ("001", "table-03"): (4, 3),
    ("001", "table-04"): (4, 7),
    ("001", "table-05"): (4, 3),
    ("001", "table-06"): (21, 4),
    ("001", "table-07"): (4, 6),
    ("001", "table-30"): (5, 10),
    ("001", "table-31"): (5, 3),
    ("001", "table-32"): (4, 4),
    ("001", "table-33"): (4, 7),
    ("001", "table-34"): (4, 7),
    ("001", "table-35"): (2, 7),
    ("001", "table-36"): (2, 7),
    ("001", "table-37"): (2, 7),
    ("001", "table-38"): (3, 7),
    ("001", "figure-25"): (8, 6),
    ("001", "figure-26"): (14, 9),
    ("002", "jumbo-frames"): (8, 5),
    ("002", "eee-jumbo-on"): (8, 5),
    ("002", "eee-jumbo-off"): (8, 5),
    ("003", "jam"): (6, 7),
    ("003", "koala"): (6, 7),
    ("003", "duck"): (6, 7),
    ("004", "table-3.1"): (6, 2),
    ("004", "table-3.2"): (5, 2),
    ("004", "table-3.3"): (5, 5),
    ("004", "table-3.4"): (5, 5),
    ("004", "table-3.5"): (4, 5),
    ("004", "table-3.6"): (4, 5),
    ("004", "table-3.7"): (5, 2),
    ("004", "table-3.8"): (4, 5),
}


@pytest.fixture(scope="module")
def connection(tmp_path_factory):
    with reference_data.whole(tmp_path_factory.mktemp("reference") / "x.duckdb") as opened:
        yield opened


def test_every_table_has_its_rows_and_columns(connection):
    found = {
        (s, t): (r, c)
        for s, t, r, c in connection.execute(
            "select source, table_name, row_count, column_count from reference_table"
        ).fetchall()
    }
    assert {key: found.get(key) for key in SHAPES} == SHAPES


def test_extent_of_each_study(connection):
    found = connection.execute("""
        select source, count(distinct table_name), count(distinct (table_name, row_number, column_name)),
            (select count(*) from measurement m where m.source = c.source)
        from reference_cell c group by source""").fetchall()
    assert {s: tuple(rest) for s, *rest in found} == EXTENT


def test_published_figures_pass_every_check_of_the_database(connection):
    broken = {
        file.stem: connection.execute(file.read_text()).fetchall() for file in sorted((SQL / "checks").glob("*.sql"))
    }
    assert not {name: found[:3] for name, found in broken.items() if found}


def test_same_meaning_has_the_same_name(connection):
    found = connection.execute("""
        select experiment, repetition, value from measurement
        where source = '001' and family = 'filesystem_lifecycle' and metric = 'copy_seconds'
            and experiment = 'ext4--picture'
        order by repetition""").fetchall()
    assert found == [("ext4--picture", 1, 14738.0), ("ext4--picture", 2, 14759.861), ("ext4--picture", 3, 14748.245)]


def test_sizes_are_in_bytes_after_the_unit_is_corrected(connection):
    value, printed, unit = connection.execute("""
        select value, printed, printed_unit from reference_cell
        where source = '001' and table_name = 'table-08' and row_label = 'xfs' and column_name = 'test_1'""").fetchone()
    assert (value, printed, unit) == (732408000 * 1024, "732408000", "bytes")


def test_averages_and_ratios_are_not_samples(connection):
    both = """
        select distinct metric from measurement where source <> 'measured'
        intersect select distinct metric from reference_cell where kind = 'derived' and row_label not like 'Test 1%'"""
    assert connection.execute(both).fetchall() == []
    assert connection.execute("select count(*) from reference_cell where metric = 'copy_mean_seconds'").fetchone() == (
        20,
    )


def test_failed_runs_are_kept_with_their_reason(connection):
    assert connection.execute("""
        select experiment, status, reason like 'printed as FAILED%' from record where status <> 'ok' order by all
        """).fetchall() == [("es--16000-sources-4k", "failed", True), ("es--16000-sources-512", "failed", True)]
    assert connection.execute("""
        select column_name, printed, value from reference_cell where source = '000' and status = 'failed' order by all
        """).fetchall() == [
        ("read_4k", "N/A", None),
        ("read_512", "N/A", None),
        ("write_4k", "FAILED", None),
        ("write_512", "FAILED", None),
    ]


@pytest.mark.parametrize("folder", folders(), ids=lambda folder: folder.name)
def test_rows_are_the_samples(folder, connection):
    expected = connection.execute("select count(*) from measurement where source = ?", [folder.name]).fetchone()[0]
    assert sum(row.value is not None for row in rows(folder)) == expected


def test_published_metrics_of_our_families_mean_the_same():
    published = metrics()
    for family in families.names():
        own = families.metrics(family)
        shared = {name: metric for name, metric in published.get(family, {}).items() if name in own}
        assert {n: (m.unit, m.better) for n, m in shared.items()} == {n: (own[n].unit, own[n].better) for n in shared}
    assert {"copy_seconds", "check_seconds", "delete_seconds"} <= set(published["filesystem_lifecycle"])


def test_every_published_metric_is_described(connection):
    described = {(family, name) for family, known in metrics().items() for name in known}
    found = connection.execute("select distinct family, metric from measurement where source <> 'measured'").fetchall()
    assert set(found) == described


@pytest.mark.parametrize("study", sorted(EXTENT))
def test_what_stands_beside_a_study_today_names_what_there_is(study):
    """A misspelt row or metric would leave its line out in silence."""
    source, asked = read(REFERENCE / study), questions.load()
    today, rows = source.today, lambda name: table_rows(REFERENCE / study, name, source.tables[name])
    for change in today.changes:
        table, sized = source.tables[change.table], change.sized
        assert {change.before, change.after, *([sized.column] if sized else [])} <= set(table.columns)
        assert set(change.rows) <= {label(row, table) for row in rows(change.table)} and bool(change.rows) != bool(
            sized
        )
        assert {*change.rows.values(), *([sized.metric] if sized else [])} <= set(families.metrics(change.family))
        assert asked[change.family].questions[change.question].against is not None
    for claim in today.claims:
        assert claim.claim in claim_model.read(REFERENCE / study).claims and claim.metric in families.metrics(
            claim.family
        )
        assert asked[claim.family].questions[claim.question].against is not None
    for each in (*today.figures, *today.grown):
        assert each.metric in families.metrics(each.family) and each.column in source.tables[each.table].columns
    for figure in today.figures:
        assert figure.row in {label(row, source.tables[figure.table]) for row in rows(figure.table)}
