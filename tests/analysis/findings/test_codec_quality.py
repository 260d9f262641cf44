"""What becomes of records of codecs: groups, exact verdicts, recipes, and the pictures of their pages."""

import io
import shlex
import subprocess
import sys
from base64 import b64encode

import pytest
from PIL import Image

import raw_records
from factory import experiment, record
from spindlemark.analysis import database, findings
from spindlemark.analysis import format as numbers
from spindlemark.analysis.findings import recipe
from spindlemark.core.lossless import LEAST_ERROR
from spindlemark.core.paths import record_path, spec_path
from spindlemark.core.record import Measurement, Spec
from spindlemark.families import registry as families
from spindlemark.families.shared.codecs import ffmpeg
from spindlemark.families.shared.codecs.codecs import CODECS
from spindlemark.site import group_pages, query
from spindlemark.site.charts import registry as charts
from spindlemark.site.charts.chart_model import ChartData
from spindlemark.site.context import Context
from spindlemark.site.planner import codecs

ERRORS = {"vmx": 4.0, "speedhq": 3.0, "dnxhr": 5.0}
NAMES = {"vmx": "VMX", "speedhq": "SpeedHQ", "dnxhr": "DNxHR", "hap": "HAP"}  # which is lossless at 200 Mbit/s
RATES = {"50-mbit": 2.0, "100-mbit": 1.0, "200-mbit": 0.5}
GENERATIONS = {"1-generation": 1.0, "7-generations": 1.5}
CURVES = {"speedhq": 0.9, "jpeg2000": 0.6}  # their settings differ
LIVE = {"speedhq": 1.1, "vmx": 0.8}


def png() -> str:
    written = io.BytesIO()
    Image.new("RGB", (64, 64)).save(written, "PNG")
    return b64encode(written.getvalue()).decode()


def coded(codec: str, rate: str, generations: str):
    chosen = {"codec": codec, "content": "natural", "rate": rate, "generations": generations, "format": "720p50"}
    factors = families.factors("codec_quality", chosen, {"frames": 8, "timed_frames": 40}, 1 << 30)
    return experiment(
        family="codec_quality", testbed="processor", experiment="--".join(chosen.values()), factors=factors
    )


def measured(exp, repetition: int):
    """Errors are exact, speeds scatter: as they do."""
    f = exp.factors
    if f["rate"]["name"] == "live":
        values = {"equal_psnr_ratio": LIVE[f["codec"]["name"]]}
    elif f["rate"]["name"] == "curve":
        values = {"bd_psnr_ratio": CURVES[f["codec"]["name"]], "transcode_hour_seconds": 900.0 + repetition}
    else:
        values = _at_a_rate(f, repetition)
    return _record(exp, repetition, values)


def _at_a_rate(f, repetition: int) -> dict[str, float]:
    error = ERRORS.get(f["codec"]["name"], 0) * RATES[f["rate"]["name"]] * (1.5 if f["generations"] > 1 else 1.0)
    return {
        "error_levels": error or LEAST_ERROR,
        "psnr_db": 48.13 - 10 * error**0.5 if error else 100.0,
        "stream_bits_per_second": f["rate"]["bits_per_second"] * 0.9,
        "encode_frames_per_second": 100 + repetition,
        "decode_frames_per_second": 200 - repetition,
    }


def _record(exp, repetition: int, values: dict[str, float]):
    f = exp.factors
    known = families.metrics("codec_quality")
    plain = record(experiment(), repetition)
    made = plain.model_copy(
        update={
            "environment": plain.environment
            | {"codec.setting": {"vmx": "hq", "dnxhr": "sq", "hap": "hap"}.get(f["codec"]["name"], "4")},
            "identity": exp.identity(),
            "experiment": exp,
            "measurements": [
                Measurement(metric=m, unit=known[m].unit, value=v, better=known[m].better) for m, v in values.items()
            ],
        }
    )
    kept = {"crop": {"frame": 1, "row": 64, "column": 0, "png": {"original": png(), "decoded": png()}}}
    return made.model_copy(update={"attachments": kept if repetition == 1 else {}})


def written(exp, root):
    """Three records of an experiment."""
    spec = root / spec_path(exp.testbed, exp.family, exp.experiment, exp.identity())
    spec.parent.mkdir(parents=True)
    spec.write_text(Spec(identity=exp.identity(), experiment=exp).model_dump_json())
    for n in (1, 2, 3):
        record_path(spec, n).write_text(measured(exp, n).model_dump_json())
    return [record_path(spec, n) for n in (1, 2, 3)]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Findings, and the database and the folder that they are from."""
    root, found = tmp_path_factory.mktemp("codecs"), []
    for rate, codecs_of_rate in (("curve", CURVES), ("live", LIVE)):
        for codec in codecs_of_rate:
            found += written(coded(codec, rate, "1-generation"), root)
    for codec in NAMES:
        for rate in RATES if codec in ERRORS else ["200-mbit"]:
            for generations in GENERATIONS:
                if generations != "1-generation" and rate != "100-mbit":
                    continue
                found += written(coded(codec, rate, generations), root)
    database.build(found, root / "x.duckdb")
    return findings.compute(root / "x.duckdb", findings.load(), 0.2), root


def group(made, rate="100-mbit", generations="1-generation"):
    return next(g for g in made[0].groups if g.library == f"natural--{rate}--{generations}--720p50")


def test_one_group_per_workload_and_exact_errors_decide(made):
    assert len(made[0].groups) == 6
    found = group(made)
    assert set(found.configurations) == {NAMES[codec] for codec in ERRORS}
    table = next(t for t in found.metrics if t.metric == "error_levels")
    assert table.exact and [c.configuration for c in table.cells] == ["SpeedHQ", "VMX", "DNxHR"]
    advice = found.recommendation
    assert (advice.verdict, advice.options[0].configuration) == ("better", "SpeedHQ")
    assert advice.options[0].recipe == ["ffmpeg -i INPUT -c:v speedhq -pix_fmt yuv422p -q:v 4 OUTPUT.mov"]


def test_curves_of_codecs_with_other_settings_are_compared(made):
    """Each codec has settings of its own; the curve of each is compared with the same anchor's."""
    found = group(made, "curve")
    assert set(found.configurations) == {"SpeedHQ", "JPEG 2000"}
    advice = found.recommendation
    assert (advice.verdict, advice.options[0].configuration) == ("better", "JPEG 2000")
    assert advice.statements[0].startswith(
        "Encode natural pictures with JPEG 2000: at equal quality it takes 60 % of the bit rate of Motion JPEG, and one hour of film"
    )


def test_live_codecs_are_compared_at_equal_quality(made):
    found = group(made, "live")
    assert set(found.configurations) == {"SpeedHQ", "VMX"}
    assert (found.recommendation.verdict, found.recommendation.options[0].configuration) == ("better", "VMX")


def test_generations_are_against_the_first(made):
    rows = {
        c.same_parts[0]: next(r for r in c.rows if r.metric == "error_levels")
        for c in made[0].contrasts
        if c.question == "generations"
    }
    assert set(rows) == set(ERRORS)
    assert all(
        row.side == "loss" and row.verdict == "better" and row.ratio == pytest.approx(1 / 1.5) for row in rows.values()
    )


def test_recipes_name_the_values_behind_settings():
    assert recipe.commands({"codec.name": "prores"}, "codec_quality") == [
        "# SETTING: 3, 2, 1, 0",
        "ffmpeg -i INPUT -c:v prores_aw -pix_fmt yuv422p10le -profile:v SETTING OUTPUT.mov",
    ]
    assert recipe.commands({"codec.name": "of-tomorrow"}, "codec_quality") == recipe.commands({}, "not-here") == []


def call(*argv, **how):
    return subprocess.run(argv, check=False, capture_output=True, text=True, **how)


@pytest.mark.parametrize("pixels", ["rgb24", "yuv422p10le"])
@pytest.mark.parametrize(
    ("codec", "setting"),
    [
        (name, setting)
        for name, codec in CODECS.items()
        if codec.words
        for setting in (*codec.settings,)[:: 30 if len(codec.settings) > 9 else 1]
    ],
)
def test_the_recipe_of_a_codec_is_a_command_that_runs(codec, setting, pixels, tmp_path):
    (line,) = recipe.commands({"codec.name": codec, "codec.setting": setting}, "codec_quality")
    words = shlex.split(line)
    words[words.index("-i") : words.index("INPUT") + 1] = [
        "-f",
        "lavfi",
        "-i",
        f"testsrc=s=256x128:d=0.04,format={pixels}",
    ]
    assert call(ffmpeg.PROGRAM, "-v", "error", *words[1:-1], str(tmp_path / words[-1])).returncode == 0
    told = call(ffmpeg.PROGRAM, "-hide_banner", "-i", str(tmp_path / words[-1])).stderr
    assert f"Video: {'dnxhd' if codec == 'dnxhr' else codec.partition('-')[0]}" in told


def test_the_recipe_of_open_media_transport_is_python_that_runs(tmp_path):
    lines = recipe.commands({"codec.name": "vmx", "codec.setting": "hq", "format.rate": "50"}, "codec_quality")
    begin = "import numpy, os\nPICTURES = [numpy.zeros((128, 256, 2), numpy.uint8)] * 2\n"
    done = call(
        sys.executable, "-P", "-c", "\n".join([begin, *lines, "os._exit(0)"]), env={"OMT_STORAGE_PATH": str(tmp_path)}
    )
    assert done.returncode == 0, done.stderr
    assert "Quality.HIGH" in lines[2] and "frame_rate=50" in lines[-1]


def test_pictures_join_the_rates_and_the_generations(made, snapshot):
    report, root = made
    with query.connect(root / "x.duckdb") as connection:
        records = query.records(connection)
        factors = query.factors(connection, [identity for _, identity in records])
        seen = ChartData(report, records, factors, raw_records.below(root / "data" / "raw"))
    bits, encoding, decoding, generations, worst = charts.of_group(group(made), seen)
    assert sorted((p.name, p.x) for p in bits.points) == sorted(
        (NAMES[c], r) for c in ERRORS for r in (45e6, 90e6, 180e6)
    )
    snapshot(bits.caption)
    assert [(c.name, {p.x for p in c.points}) for c in (encoding, decoding)] == [
        ("encoding", {102}),
        ("decoding", {198}),
    ]
    assert {(p.name, p.x) for p in generations.points} == {(NAMES[c], g) for c in ERRORS for g in (1.0, 7.0)}
    assert sorted(name for name, _ in worst.rows) == sorted(NAMES[c] for c in ERRORS)
    assert all(crop.png.startswith(b"\x89PNG") and "row 64" in crop.alt for _, crops in worst.rows for crop in crops)
    once = charts.of_group(group(made, "50-mbit"), seen)
    assert [p.name for p in once] == ["bits", "encoding", "decoding", "worst"], "one generation is no curve"


def test_what_is_lossless_is_said_so_and_nothing_is_a_multiple_of_it(made, snapshot):
    found = group(made, "200-mbit")
    table, advice = found.table("error_levels"), found.recommendation
    assert [(c.configuration, c.tier, c.ratio) for c in table.cells[:2]] == [("HAP", 1, 1.0), ("SpeedHQ", 2, None)]
    snapshot([table.statement, advice.statements[0], *advice.options[1].costs])
    assert (
        numbers.number(LEAST_ERROR, "levels")
        == numbers.number(100.0, "dB")
        == "lossless"
        != numbers.number(0.29, "levels")
    )
    assert (
        group_pages.score(2.5, advice) == numbers.MISSING
        and group_pages.score(2.5, group(made).recommendation) == "2.50×"
    )


def test_the_planner_tells_the_error_at_each_bit_rate_and_what_a_link_carries(made):
    report, _ = made
    context = Context({name: {"colour": 1, "shape": "circle"} for name in NAMES.values()}, {}, {}, {}, report)
    page = codecs.codecs(report, context)
    assert [subject["name"] for subject in page["subjects"]] == ["DNxHR", "HAP", "SpeedHQ", "VMX"]
    half, whole, again, double = page["rows"]
    assert (half["carried"], whole["carried"], whole["errors"]) == ("20", "10", ["5.00", "–", "3.00", "4.00"])
    assert double["errors"][1] == "lossless"
    assert half["errors"][0] == "10.0" and again["errors"][0] == "7.50" and "at most 50 Mbit/s" in half["title"]
    assert codecs.codecs(report.model_copy(update={"groups": []}), context) is None
