"""Live video beside study 002, and in the planner: bits per pixel, frames of latency, and the link of several streams."""

import dataclasses
import shlex
import subprocess

import av
import imageio_ffmpeg
import pytest

from spindlemark.analysis.findings.model import Cell, Findings, Group, MetricTable
from spindlemark.analysis.studies.published_cells import read
from spindlemark.core import paths
from spindlemark.families import registry as families
from spindlemark.families.live_video.live_codecs import CODECS
from spindlemark.site import longer_profiles
from spindlemark.site.context import Context
from spindlemark.site.planner import links
from spindlemark.site.studies import same_meaning

WHERE = {
    "content": "natural",
    "task": "play",
    "receivers": "1",
    "delay": "none",
    "loss": "none",
    "format.width": 1280,
    "format.height": 720,
    "format.rate": 30,
}


def table(metric, unit, value):
    cell = Cell(
        configuration="vmx-omt",
        experiment="e",
        identity="i",
        n=3,
        samples=[value] * 3,
        noisy=[False] * 3,
        median=value,
        low=value / 2,
        high=value * 2,
        stable=True,
    )
    return MetricTable(
        metric=metric,
        title="Rate of a stream",
        unit=unit,
        better="lower",
        ranked=True,
        why_unranked=None,
        cells=[cell],
        pairs=[],
        statement="",
    )


IN_BYTES = table("stream_bytes_per_second", "B/s", 1280 * 720 * 30 / 8)
IN_BITS = table("stream_bits_per_second", "bit/s", 1280 * 720 * 30)


def group(rate=IN_BITS, **conditions):
    tables = [rate, table("frame_latency_median_seconds", "s", 0.1), table("frames_in_time_ratio", "1", 0.0667)]
    return Group(
        group="link--live_video--720p30",
        testbed="link",
        family="live_video",
        library="720p30",
        library_factors={},
        conditions=WHERE | conditions,
        configurations=["vmx-omt"],
        metrics=tables,
        absent=[],
        notes=[],
        recommendation=None,
    )


@pytest.fixture
def context():
    found = Findings(
        confidence=0.95, practical_threshold=0.05, shortest_rankable_seconds=0.2, relative_width=0.2, groups=[group()]
    )
    return found, Context({"vmx-omt": {"colour": 1, "shape": "circle"}}, {group().group: "question/x/"}, {}, {}, found)


@pytest.mark.parametrize("rate", [IN_BITS, IN_BYTES], ids=["bits", "bytes of method 1"])
def test_figures_that_mean_the_same_everywhere_stand_beside_ours(context, rate):
    (entry,) = same_meaning.pages([group(rate)], {"002": read(paths.REFERENCE / "002")}, context[1], {})
    (ndi,) = entry["tasks"]
    assert ndi["rows"][0]["then"]["value"] == pytest.approx(260e6 / (3840 * 2160 * 60))
    assert ndi["rows"][0]["now"]["value"] == pytest.approx(1) and ndi["rows"][0]["now"]["interval"] == "0.50–2.00"
    assert entry["kind"] == "figure" and {"x", "x1", "x2"} <= ndi["rows"][0]["now"].keys()


def test_a_group_under_other_conditions_stands_beside_nothing(context):
    known = {"002": read(paths.REFERENCE / "002")}
    for other in ({"receivers": "4"}, {"delay": "10-ms"}, {"content": "noise"}):
        assert same_meaning.pages([group(**other)], known, context[1], {}) == []


def test_hap_q_stands_beside_natural_pictures_that_were_coded_with_it_alone(context):
    def coded(content: str, **changes) -> Group:
        made = table("stream_bits_per_second", "bit/s", 4.0 * 1280 * 720 * 50)
        cell = dataclasses.replace(made.cells[0], configuration="hap", **changes)
        return group().model_copy(
            update={
                "family": "codec_quality",
                "library": f"{content}--400-mbit--1-generation--720p50",
                "library_parts": [content, "400-mbit", "1-generation", "720p50"],
                "conditions": {"generations": 1},
                "library_factors": {"width": 1280, "height": 720, "rate": 50},
                "metrics": [made.model_copy(update={"cells": [cell]})],
            }
        )

    known, noted = (
        {"002": read(paths.REFERENCE / "002")},
        {("q", "codec.setting"): "hap_q", ("h", "codec.setting"): "hap"},
    )
    context[1].looks["hap"] = {"colour": 2, "shape": "circle"}
    (entry,) = same_meaning.pages([coded("natural", identity="q")], known, context[1], noted)
    (row,) = entry["tasks"][0]["rows"]
    assert row["now"]["value"] == pytest.approx(4) and row["then"]["value"] == pytest.approx(1.8e9 / (3840 * 2160 * 60))
    for other in (coded("lines", identity="q"), coded("natural", identity="h"), coded("natural", identity="unknown")):
        assert same_meaning.pages([other], known, context[1], noted) == []


def test_a_longer_profile_tests_more_than_the_shortest():
    told = longer_profiles.adds("codec_quality")
    assert "rolling text" in told and "1080p25" in told and "FFV1" in told
    assert "natural motion" not in told and "at most 50 Mbit/s" not in told
    assert longer_profiles.adds("of_tomorrow") == ""
    assert "f2fs" in longer_profiles.adds("integrity")
    assert "f2fs" not in longer_profiles.adds("integrity", {"f2fs--one--data--bit"})
    served = longer_profiles.adds("http_streams")
    assert all(words in served for words in ("model of a hard disk", "aged filesystem (age)", "load curve (load)"))
    grown = longer_profiles.adds("aaf_scale")
    assert "values from 1 source to 16000 sources (sources)" in grown and "63 sources" not in grown
    assert "hdd" not in served and "kernel (readahead)" not in served
    assert "4000 sources, 100 sources (sources)" in longer_profiles.adds("raw_storage_cache")


def test_the_planner_tells_the_link_of_several_streams(context):
    (entry,) = links.links(*context)
    assert entry["counts"] == [1, 4, 16] and entry["what"] == "Rate of a stream"
    assert entry["streams"][0]["texts"] == ["27.6 Mbit/s", "111 Mbit/s", "442 Mbit/s"]


@pytest.mark.parametrize("pixels", ["rgb24", "yuv422p10le"])
@pytest.mark.parametrize("codec", ["speedhq", "mjpeg", "dnxhr", "prores"])
def test_the_recipe_of_a_stream_is_a_command_that_runs(codec, pixels, tmp_path):
    (line,) = families.recipe("live_video", {"stream.codec": codec, "stream.transport": "tcp"})
    words = shlex.split(line)
    words[words.index("-i") : words.index("CAMERA") + 1] = [
        "-f",
        "lavfi",
        "-i",
        f"testsrc=s=1280x720:r=30:d=0.1,format={pixels}",
    ]
    target = tmp_path / "sent.nut"
    subprocess.run([imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", *words[1:-1], str(target)], check=True)
    with av.open(str(target)) as sent:
        assert [frame.width for frame in sent.decode(video=0)] == [1280, 1280, 1280]
        assert sent.streams.video[0].codec_context.name == CODECS[codec].decoder
    assert "cyomtlib.Quality.MEDIUM)" in "".join(
        families.recipe("live_video", {"stream.codec": "vmx", "format.rate": "30"})
    )
