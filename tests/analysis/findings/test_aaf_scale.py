"""What becomes of records of AAF files: groups, contrasts of sectors, growth beside the study's, and who understands whom."""

import pytest

import raw_records
from factory import experiment, record
from spindlemark.analysis import database, findings
from spindlemark.analysis.findings import recipe
from spindlemark.analysis.studies.published_cells import read
from spindlemark.core import paths
from spindlemark.core.paths import record_path, spec_path
from spindlemark.core.record import Measurement, Spec
from spindlemark.families import registry as families
from spindlemark.site import power_law, query
from spindlemark.site.charts import aaf_scale
from spindlemark.site.charts import registry as charts
from spindlemark.site.charts.chart_model import ChartData, Point
from spindlemark.site.context import Context
from spindlemark.site.studies import scaling

SIZES = ("16-sources", "40-sources", "100-sources")
POWERS = {"pyaaf2": 1.0, "libgsf": 2.0}
UNDERSTOOD = {
    "libgsf": {"kept": 1.0, "says": "read"},
    "cfb": {"kept": 0.0, "says": "refused: version 4"},
    "poi": {"kept": None, "says": "not here"},
    "olefile": {"kept": 0.96, "says": "read"},
}


def scaled(implementation: str, level: str, sources: str, sector: str):
    chosen = {"level": level, "sources": sources, "sector": sector, "essence": "plain"}
    own = families.factors("aaf_scale", chosen, {"essence": 1024}, 1 << 30)
    factors = own | {
        "implementation": {"name": implementation, "language": "C"},
        "scheduler": "none",
        "filesystem": {"name": "ext4", "variant": "noinit"},
    }
    return experiment(
        family="aaf_scale", testbed="ram", experiment="--".join([implementation, *chosen.values()]), factors=factors
    )


def measured(exp, repetition: int):
    """Time grows with a power of the number of mobs, and sectors of 4096 bytes halve it."""
    f = exp.factors
    seconds = (
        0.02
        * f["sources"]["mobs"] ** POWERS[f["implementation"]["name"]]
        * (512 / f["sector"]) ** (1 / 3)
        * (1 + repetition / 100)
    )
    values = {
        "write_seconds": seconds,
        "read_seconds": seconds / 4,
        "file_bytes": 1e5,
        "understood_ratio": 0.5,
        "write_peak_bytes": 1e6 * f["sources"]["mobs"] ** 0.5,
    }
    known = families.metrics("aaf_scale")
    return record(experiment(), repetition).model_copy(
        update={
            "identity": exp.identity(),
            "experiment": exp,
            "attachments": {"understanding": UNDERSTOOD},
            "measurements": [
                Measurement(metric=m, unit=known[m].unit, value=v, better=known[m].better) for m, v in values.items()
            ],
        }
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    root, found = tmp_path_factory.mktemp("aaf"), []
    cells = [(name, "container", size, "512") for name in POWERS for size in SIZES]
    cells += [("pyaaf2", "aaf", size, sector) for size in SIZES for sector in ("512", "4096")]
    for cell in cells:
        exp = scaled(*cell)
        spec = root / spec_path(exp.testbed, exp.family, exp.experiment, exp.identity())
        spec.parent.mkdir(parents=True)
        spec.write_text(Spec(identity=exp.identity(), experiment=exp).model_dump_json())
        for n in (1, 2, 3):
            found.append(record_path(spec, n))
            found[-1].write_text(measured(exp, n).model_dump_json())
    database.build(found, root / "x.duckdb")
    return findings.compute(root / "x.duckdb", findings.load(), 0.2), root


@pytest.fixture
def seen(made):
    report, root = made
    with query.connect(root / "x.duckdb") as connection:
        records = query.records(connection)
        factors = query.factors(connection, [identity for _, identity in records])
        return ChartData(report, records, factors, raw_records.below(root / "data" / "raw"))


def group(made, level="container", size="100-sources", sector="512"):
    return next(g for g in made[0].groups if g.library == f"{level}--{size}--{sector}--plain")


def test_libraries_are_compared_at_one_size_and_sectors_against_512(made):
    assert len(made[0].groups) == 3 + 6 and set(group(made).configurations) == set(POWERS)
    best = group(made).recommendation.options[0]  # the filesystem below a library is no part of the advice
    assert best.recipe == ['CompoundFileBinary(file, "wb+", sector_size=512)  # Python'] and best.settings is None
    gains = [r for c in made[0].contrasts if c.question == "sector" for r in c.rows if r.metric == "write_seconds"]
    assert len(gains) == 3 and all(
        row.configuration == "sectors of 4096 B" and row.ratio == pytest.approx(2, rel=0.01) for row in gains
    )


def test_curves_name_their_growth_and_stand_beside_the_study(made, seen, snapshot):
    write, reading, memory, size, matrix = charts.of_group(group(made), seen)
    assert {p.name for p in write.points} == set(POWERS) and write.x.log and write.y.log and not write.published
    snapshot({each.name: each.caption for each in (write, reading, memory, matrix)})
    assert memory.y.unit == size.y.unit == "B" and "0.50 (0.50 to 0.50) for pyaaf2" in memory.caption
    assert [name for name, _ in matrix.rows] == [
        *(f"pyaaf2, whole file, sectors of {n} B" for n in (512, 4096)),
        *(f"{name}, container alone, sectors of 512 B" for name in ("libgsf", "pyaaf2")),
    ]
    assert matrix.columns == ["Apache POI", "cfb", "libgsf", "olefile"]
    assert (write.name, matrix.name) == charts.first("aaf_scale")
    assert "libgsf with sectors of 512 B," not in matrix.caption
    assert [(m.word, m.state) for m in matrix.rows[0][1]] == [
        ("not available", "none"),
        ("refused", "bad"),
        ("whole", "good"),
        ("96.0%", "partly"),
    ]
    whole = charts.of_group(group(made, "aaf", sector="4096"), seen)[0]
    assert {p.name for p in whole.published} == {"study 000"} and (64000.0, 207.34) in {p[1:3] for p in whole.published}


def test_what_few_sizes_do_not_tell_is_a_sentence_of_its_own(snapshot):
    known = {"cfb": (1, 9, 10), "poi": (1, 9, 8), "libgsf": (1, 10, 100)}
    points = [Point(name, x, y) for name, ys in known.items() for x, y in zip((1, 10, 100), ys, strict=True)]
    snapshot(aaf_scale._growths(points))
    assert aaf_scale._growths(points[:2]) == ""


def test_exponents_stand_beside_those_of_the_study_where_sizes_are_alike(made):
    groups = [g for g in made[0].groups if g.testbed == "ram"]
    context = Context({s: {"colour": 1, "shape": "circle"} for s in POWERS}, {}, {}, {}, made[0])
    (page,) = scaling.pages(groups, {"000": read(paths.REFERENCE / "000")}, context)
    assert [t["title"] for t in page["tasks"]] == [
        f"{what}, sectors of {n} bytes" for n in (512, 4096) for what in ("Writing", "Reading")
    ]
    (row,) = page["tasks"][0]["rows"]
    assert (
        row["now"]["text"] == "1.00"
        and 0.5 < row["then"]["value"] < 1.2
        and row["note"] == "3 sizes here, 5 in the study"
    )


def test_an_exponent_has_an_interval_from_three_sizes_on():
    assert power_law.fitted([(1, 1), (2, 4)]) is None and power_law.fitted([(2, 1), (2, 2), (2, 3)]) is None
    found = power_law.fitted([(1, 1.0), (10, 110.0), (100, 9000.0), (1000, 1.1e6)])
    assert found.low < 2 < found.high and found.exponent == pytest.approx(2, abs=0.02) and found.points == 4


def test_recipes_are_those_of_the_library():
    settings = {"level": "container", "implementation.name": "cfb", "sector": "4096"}
    assert recipe.commands(settings, "aaf_scale") == ["CompoundFile::create_with_version(Version::V4, file)  // Rust"]
    assert recipe.commands(settings | {"level": "aaf"}, "aaf_scale") == [
        'aaf2.open(FILE, "w", sector_size=4096)  # Python'
    ]
