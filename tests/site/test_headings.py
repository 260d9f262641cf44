"""Headings of experiments: what is compared, and all the rest, so that no two of a testbed and session are called alike."""

from collections import defaultdict

import duckdb
import pytest

from factory import parts
from spindlemark.config import Library, read_yaml
from spindlemark.core import paths
from spindlemark.release.versions import order
from spindlemark.site import headings

LIBRARIES = read_yaml(paths.CONFIG / "libraries.yaml", dict[str, Library])


@pytest.mark.parametrize(
    ("family", "slug", "settings", "subject", "rest"),
    [
        (
            "filesystem_lifecycle",
            "ext4+m0@bfq--video-hd",
            {"filesystem.name": "ext4", "library.name": "video-hd"},
            "ext4+m0@bfq",
            "HD video",
        ),
        (
            "file_creation",
            "xfs--one-256-gb--direct",
            {"filesystem.name": "xfs", "layout": "one-256-gb", "file_bytes": "537000000", "cache": "direct"},
            "xfs",
            "one file of 537 MB (256 GB in study 001), direct I/O",
        ),
        ("nobody_asks", "nginx--picture", {}, "nginx", "picture"),
    ],
)
def test_a_heading_names_what_is_compared_and_then_the_rest(family, slug, settings, subject, rest):
    assert headings.of(family, parts(slug), settings, LIBRARIES) == (subject, rest)


def test_no_two_experiments_of_a_released_session_have_one_heading():
    newest = max(
        (paths.ROOT / "data" / "releases").glob("*/factors.parquet"), key=lambda table: order(table.parent.name)
    ).parent
    rows = duckdb.sql(f"""
        select family, testbed, session, experiment, any_value(settings) as settings
        from '{newest}/repetitions.parquet' join (
            select identity, map_from_entries(list((name, value) order by name)) as settings
            from '{newest}/factors.parquet' where source = 'measured' group by identity) using (identity)
        group by all""").fetchall()
    found = defaultdict(set)
    for family, testbed, session, slug, settings in rows:
        found[family, testbed, session, *headings.of(family, parts(slug), settings, LIBRARIES)].add(slug)
    assert len({family for family, *_ in found}) > 5
    assert {key: slugs for key, slugs in found.items() if len(slugs) > 1} == {}
