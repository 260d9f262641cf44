"""Coverage counts the cells of a study that are declared, measured and released."""

import csv
from pathlib import Path

import duckdb
import pytest

from spindlemark.analysis.studies.published_cells import read
from spindlemark.core.paths import REFERENCE, RELEASES
from spindlemark.site.sources import CURRENT, Sources
from spindlemark.site.studies import coverage

STUDY = read(REFERENCE / "001")
CELLS = [
    ("table-31", "file_creation", "ext4", "one-256-gb", "creation_seconds"),
    ("table-31", "file_creation", "ext4", "one-1-gb", "creation_seconds"),
    ("table-31", "file_creation", "reiserfs", "one-1-gb", "creation_seconds"),
    ("table-18", "filesystem_lifecycle", "ext4", "picture", "copy_seconds"),
    ("table-18", "filesystem_lifecycle", "ext4", "picture", "free_after_copy_bytes"),
]


def _sources(version: str, known: list[str]) -> Sources:
    unused = Path("unused")
    versions = [{"version": name} for name in known]
    return Sources(version, versions, unused, unused, unused, unused, unused, unused, RELEASES)


@pytest.fixture
def connection():
    with duckdb.connect() as found:
        names = "table_name, family, configuration, workload, metric"
        found.execute(
            "create table reference_cell as select '001' as source, 'sample' as kind, * from (values "
            + (", ".join(map(str, CELLS)) + f") as cell ({names})")
        )
        place = (
            "'measured' as source, 'loop' as testbed, 'filesystem_lifecycle' as family, 'ext4--picture' as experiment"
        )
        found.execute(
            f"create table record as select {place}, 'x' as identity, 1 as repetition, 'ok' as status, true as valid"
        )
        found.execute(
            f"create table measurement as select {place}, 'x' as identity, 1 as repetition, 'copy_seconds' as metric"
        )
        yield found


def test_cells_are_declared_measured_and_released(connection):
    counted = coverage.build(connection, _sources(CURRENT, ["2026.11.6"]), {"001": STUDY})["001"]
    assert [(row["cells"], row["declared"], row["measured"], row["released"]) for row in counted] == [
        (2, 2, 1, 2),  # ext4 with pictures is in quick and in the release; only one metric of it is measured here
        (3, 2, 0, 1),  # ReiserFS is declared only in virtual machines, and the release has only the largest file
    ]
    assert counted[0]["url"] == "study/001/tables/#table-18"


def test_a_release_counts_what_it_and_earlier_ones_have(connection):
    counted = coverage.build(connection, _sources("2026.11", ["2026.11.6", "2026.11"]), {"001": STUDY})["001"]
    assert [row["released"] for row in counted] == [2, 0]


def test_released_cells_of_the_project_are_declared_still(connection):
    """A profile that stops declaring what was measured would leave the study's cells open."""
    assert ("filesystem_lifecycle", "ext4--picture") in coverage.declared()


@pytest.mark.parametrize(
    ("study", "family", "configuration", "workload", "ours"),
    [
        (
            "000",
            "aaf_scale",
            "es",
            "6300-sources-512",
            ("aaf_scale", "pyaaf2--ext4+noinit--aaf--6300-sources--512--embedded"),
        ),
        ("000", "aaf_export", "teen-angels-prog-1", "", ("project_exchange", "ext4+noinit--aaf--teen-angels--local")),
        (
            "003",
            "hdf5_atomicity",
            "atomic-inc",
            "2200-mb",
            ("hdf5_edit", "ext4+noinit--edit--inc--copy--no-sync--2200-mb--9--earliest"),
        ),
    ],
)
def test_a_printed_cell_has_the_experiment_that_the_study_gives_it(study, family, configuration, workload, ours):
    today = read(REFERENCE / study).today
    found = list(coverage._counterparts(family, configuration, workload, today))
    assert ours in found and ours in coverage.declared()


def test_each_size_of_studies_000_and_003_is_declared():
    for study, table, column in (("000", "scaletest", "num_sources"), ("003", "koala", "file_size_mb")):
        with (REFERENCE / study / f"{table}.csv").open(encoding="utf-8", newline="") as file:
            sizes = [row[column] for row in csv.DictReader(file)]
        today = read(REFERENCE / study).today
        kinds = {"000": ("plain", "{}-sources-4k"), "003": ("atomic-yes", "{}-mb")}
        for size in sizes:
            configuration, workload = kinds[study]
            names = set(coverage._counterparts("none", configuration, workload.format(size), today))
            assert names & coverage.declared(), (study, size)
