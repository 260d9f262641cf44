"""The errata name figures that the releases have, and a damaged file is refused with its key."""

import duckdb
import pytest

from spindlemark.analysis import errata
from spindlemark.core import declared
from spindlemark.core.errors import UserError
from spindlemark.core.paths import PROJECT, SQL

ERRATA = errata.read()
FIGURES = [
    pytest.param(name, version, id=f"{name}-{version}") for name, each in ERRATA.items() for version in each.releases
]
ENTRY = """
a-name:
  title: t
  family: aging
  metrics: [aged_streams_count]
  through_method: 3
  checks: [more_than_the_device_gives]
  why: w
  instead: i
  releases:
    '2026.11.2':
      - {testbed: sata-ssd, experiment: ext4, quantity: aged_streams_count, values: [210]}
"""
# What a release has of a quantity: a metric of valid records, or a factor.
FOUND = """
select distinct value from read_parquet('{0}/measurements.parquet')
where testbed = ? and experiment = ? and metric = ? and status = 'ok'
union
select distinct try_cast(value as double) from read_parquet('{0}/factors.parquet')
where identity in (
    select identity from read_parquet('{0}/measurements.parquet') where testbed = ? and experiment = ?
) and name = ?
"""


@pytest.mark.parametrize(("name", "version"), FIGURES)
def test_a_release_has_the_figures_that_its_errata_name(name, version):
    release = PROJECT / "data" / "releases" / version
    for figure in ERRATA[name].releases[version]:
        place = [figure.testbed, figure.experiment, figure.quantity]
        with duckdb.connect() as connection:
            found = {value for (value,) in connection.execute(FOUND.format(release), place * 2).fetchall()}
        assert figure.values == sorted(set(figure.values))
        assert set(figure.values) <= found if figure.values else not found, figure


def test_no_erratum_is_about_a_later_method_than_the_family_has():
    for each in ERRATA.values():
        assert each.through_method <= declared.families()[each.family].method


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("family: aging", "family: agin", ["a-name", "no family agin"]),
        ("[aged_streams_count]", "[aged]", ["a-name", "no metric aged"]),
        ("[more_than_the_device_gives]", "[no_such]", ["a-name", "no_such.sql"]),
        ("2026.11.2", "newest", ["a-name.releases.newest"]),
        ("values: [210]", "values: [210], unit: B", ["a-name.releases.2026.11.2.0.unit", "unknown key"]),
        ("values: [210]", "values: [many]", ["a-name.releases.2026.11.2.0.values.0"]),
        ("  why: w\n", "", ["a-name.why", "is missing"]),
        ("through_method: 3", "through_method: 0", ["a-name.through_method"]),
    ],
)
def test_a_wrong_erratum_is_reported_with_file_and_key(old, new, named, tmp_path):
    file = tmp_path / "errata.yaml"
    file.write_text(ENTRY)
    assert list(errata.read(file)) == ["a-name"]
    file.write_text(ENTRY.replace(old, new))
    with pytest.raises(UserError) as error:
        errata.read(file)
    for words in ["errata.yaml", *named]:
        assert words in error.value.problem


def test_without_a_file_there_are_no_errata(tmp_path):
    assert errata.read(tmp_path / "errata.yaml") == {}
    assert errata.as_table({}).num_rows == 0


def test_the_checks_that_errata_name_read_them():
    for check in {check for each in ERRATA.values() for check in each.checks}:
        assert f"check_name = '{check}'" in (SQL / "release_checks" / f"{check}.sql").read_text()


def test_an_erratum_belongs_to_its_releases_only():
    assert "goodput-is-the-limit" in errata.of_release("2026.11.6", ERRATA)
    assert "goodput-is-the-limit" not in errata.of_release("2026.11.2", ERRATA)
    assert errata.of_release("2026.11", ERRATA) == {}
