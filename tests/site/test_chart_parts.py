"""Pictures of families: curves with a table of the same values, and crops that lie beside the page."""

import io
import json
import re
from dataclasses import replace

import duckdb
import pytest
from PIL import Image

import raw_records
from spindlemark import config
from spindlemark.analysis.findings.model import Cell, Findings, Group, MetricTable
from spindlemark.core import paths
from spindlemark.measure import experiments, question_checks
from spindlemark.release.version_name import order
from spindlemark.site import chart_parts
from spindlemark.site.charts import registry as charts
from spindlemark.site.charts.chart_model import Axis, ChartData, Crop, Crops, Curves, Mark, Matrix, Point
from spindlemark.site.context import Context
from spindlemark.site.planner import file_tables, hdf5

SUBJECTS = ("ext4", "xfs")


def table(metric: str, *values: float) -> MetricTable:
    cells = [
        Cell(
            configuration=s,
            experiment=s,
            identity=s,
            n=3,
            samples=[v] * 3,
            noisy=[False] * 3,
            median=v,
            low=v * 0.9,
            high=v * 1.1,
            stable=True,
        )
        for s, v in zip(SUBJECTS, values, strict=True)
    ]
    return MetricTable(
        metric=metric,
        title="Streams, fresh",
        unit="1",
        better="higher",
        ranked=True,
        why_unranked=None,
        cells=cells,
        pairs=[],
        statement="",
    )


def aging(*tables: MetricTable, **changes) -> Group:
    plain = {
        "group": "loop--aging",
        "testbed": "loop",
        "family": "aging",
        "library": "",
        "library_factors": {},
        "conditions": {},
        "configurations": list(SUBJECTS),
        "metrics": list(tables),
        "absent": [],
        "notes": [],
        "recommendation": None,
    }
    return Group(**(plain | changes))


def findings(*groups: Group) -> Findings:
    return Findings(
        confidence=0.95,
        practical_threshold=0.05,
        shortest_rankable_seconds=0.2,
        relative_width=0.2,
        groups=list(groups),
    )


@pytest.fixture
def context():
    return Context({s: {"colour": n, "shape": "circle"} for n, s in enumerate(SUBJECTS, 1)}, {}, {}, {}, findings())


def seen(tmp_path, *groups: Group, records=None, factors=None) -> ChartData:
    return ChartData(findings(*groups), records or {}, factors or {}, raw_records.below(tmp_path))


def test_what_has_two_ages_is_a_curve_and_what_has_one_is_none(tmp_path):
    group = aging(
        table("overwritten_ratio", 9.0, 10.0),
        table("fresh_streams_count", 20, 30),
        table("aged_streams_count", 15, 12),
        table("fresh_other_count", 1, 1),
    )
    (found,) = charts.of_group(group, seen(tmp_path, group))
    assert found.title == "Streams, fresh and aged"
    assert [(p.name, p.x, p.y) for p in found.points] == [
        ("ext4", 0, 20),
        ("ext4", 9, 15),
        ("xfs", 0, 30),
        ("xfs", 10, 12),
    ]


def test_a_family_without_pictures_has_none(tmp_path):
    group = aging(table("m_seconds", 1, 2), family="serving")
    assert charts.of_group(group, seen(tmp_path, group)) == []
    assert charts.of_group(aging(table("m_seconds", 1, 2)), seen(tmp_path)) == [], "nothing to draw"


def test_every_module_is_a_family(tmp_path):
    from spindlemark.families import registry as families

    assert set(charts.names()) <= set(families.names())


@pytest.mark.parametrize("log", [False, True])
def test_a_curve_has_an_image_with_a_name_and_a_table_of_all(context, log):
    points = [Point("xfs", 2e6, 0.04), Point("ext4", 1e6, 0.02, 0.01, 0.03), Point("xfs", 1e6, 0.03)]
    curves = Curves(
        "latency", "Latency & load", "It rises.", Axis("rate", "bit/s", log=log), Axis("latency", "s"), points
    )
    (page,), files = chart_parts.page([curves], context, ["xfs"])
    ((path, spec),) = files.items()
    assert path == page["spec"] and re.fullmatch(r"charts/[0-9a-f]{32}\.json\.gz", path)
    spec = json.loads(spec)
    assert [(r["subject"], r["x"], r["y"]) for r in spec["datasets"]["points"]] == [("xfs", 1, 30), ("xfs", 2, 40)]
    said = json.dumps(spec)
    assert "rate (Mbit/s)" in said and "latency (milliseconds)" in said and ('"log"' in said) == log
    assert page["svg"].count("<svg") == 1 and 'aria-label="Latency &amp; load: It rises."' in page["svg"]
    assert "style=" not in page["svg"] and "var(--s2)" in page["svg"]
    assert [(v["subject"]["name"], v["x"], v["y"], v["interval"]) for v in page["values"]] == [
        ("ext4", "1.00 Mbit/s", "20.0 ms", "10.0–30.0"),
        ("xfs", "1.00 Mbit/s", "30.0 ms", "–"),
        ("xfs", "2.00 Mbit/s", "40.0 ms", "–"),
    ]


def test_crops_are_files_beside_the_page(context):
    written = io.BytesIO()
    Image.new("RGB", (96, 64)).save(written, "PNG")
    crop = Crop(written.getvalue(), "original", "a grey square")
    (page,), files = chart_parts.page([Crops("worst", "Worst", "Look.", [("vmx", [crop, crop])])], context, [])
    images = page["rows"][0]["images"]
    assert {image["src"] for image in images} == set(files) and len(images) == 2, "equal ones are one file"
    assert {(image["width"], image["height"], image["alt"]) for image in images} == {(96, 64, "a grey square")}
    assert set(files.values()) == {written.getvalue()}


def test_a_matrix_is_a_table_of_its_marks(context):
    rows = [("written by a", [Mark("whole", "good"), Mark("refused", "bad")])]
    (page,), files = chart_parts.page(
        [Matrix("who", "Who reads whom", "Look.", "writer", "reader", ["a", "b"], rows)], context, []
    )
    assert files == {} and page["anchor"] == "picture-who"
    assert page["matrix"] == {
        "down": "writer",
        "across": "reader",
        "columns": ["a", "b"],
        "rows": [
            {
                "heading": "written by a",
                "marks": [{"word": "whole", "state": "good"}, {"word": "refused", "state": "bad"}],
            }
        ],
    }


def test_a_picture_sees_its_neighbours_and_what_records_kept(tmp_path):
    one, other = aging(library="25-mbit", group="a"), aging(library="50-mbit", group="b")
    elsewhere = aging(testbed="ram", group="c")
    key = {"testbed": "loop", "family": "aging", "experiment": "ext4", "identity": "ext4"}
    kept = raw_records.keep(tmp_path, key | {"status": "ok", "repetition": 1}, {"curve": [1]})
    rows = [kept, key | {"status": "failed", "repetition": 2}]
    factors = [{"name": "rate.name", "value": "25-mbit"}]
    found = seen(tmp_path, one, other, elsewhere, records={("ext4", "ext4"): rows}, factors={("ext4", "ext4"): factors})
    cell = table("m_seconds", 1, 2).cells[0]
    assert [g.group for g in found.same_question(one)] == ["a", "b"]
    assert found.attachments(cell) == [{"curve": [1]}] and found.factors(cell) == {"rate.name": "25-mbit"}
    assert found.attachments(replace(cell, identity="none")) == []


def test_charts_and_planner_use_factors_that_the_families_have():
    """A factor may be declared by its beginning, such as `codec` for all of `codec.name`."""
    release = max((path.parent for path in paths.RELEASES.glob("*/manifest.json")), key=lambda path: order(path.name))
    rows = duckdb.execute(
        "SELECT DISTINCT split_part(f.name, '.', 1), f.name, r.family FROM read_parquet($factors) f "
        "JOIN read_parquet($repetitions) r USING (experiment, identity)",
        {name: str(release / f"{name}.parquet") for name in ("factors", "repetitions")},
    ).fetchall()
    known = {(family, name) for *names, family in rows for name in names}
    known |= {  # families without a release
        (spec.experiment.family, name)
        for spec in experiments.specs(config.load(), "standard", read_machine=False)
        for name in question_checks.names(spec.experiment.factors)
    }
    used = [
        *{f: builder.factors for f, builder in charts.BUILDERS.items()}.items(),
        *file_tables.FACTORS.items(),
        *hdf5.FACTORS.items(),
    ]
    assert {(family, name) for family, names in used for name in names} <= known


def test_every_family_is_known_by_whole_names():
    """One name that is no tuple would hold each part of itself."""
    assert all(isinstance(charts.first(family), tuple) for family in charts.names())
    assert charts.first("hdf5_edit") == ("crashes", "seconds") and charts.first("aging") == ()
