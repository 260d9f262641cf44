"""The page that asks with SQL: its examples are answered in every release, old ones too."""

from functools import cache
from pathlib import Path

import duckdb
import pytest

from spindlemark.core import paths
from spindlemark.site import sql_page

RELEASES = sorted(file.parent for file in paths.RELEASES.glob("*/measurements.parquet"))


@cache
def page_of(release: Path) -> dict:
    offered = [{"name": file.name, "path": file.name, "size": ""} for file in sorted(release.iterdir())]
    return sql_page.build(release.name, offered, release)


@pytest.mark.parametrize("release", RELEASES, ids=lambda folder: folder.name)
def test_each_example_has_rows_in_a_release(release):
    page = page_of(release)
    assert len(page["examples"]) == sql_page.OFFERED
    with duckdb.connect() as connection:
        for table in page["tables"]:
            connection.read_parquet(str(release / table["path"])).create_view(table["name"])
        for example in page["examples"]:
            assert len(connection.execute(example["text"]).fetchall()) > 1, example["title"]


def test_every_example_is_offered_by_some_release():
    offered = {example["title"] for release in RELEASES for example in page_of(release)["examples"]}
    assert offered == {example["title"] for example in sql_page.examples()}
