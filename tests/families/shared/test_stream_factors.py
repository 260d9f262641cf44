"""Rates from the published table, and what the scale of a profile becomes as factors."""

import pytest
from pydantic import ValidationError

from spindlemark.analysis.studies import published_cells
from spindlemark.core.errors import ProfileError, UserError
from spindlemark.core.paths import REFERENCE
from spindlemark.families import registry as families
from spindlemark.families.shared.streams import stream_rate
from spindlemark.families.shared.streams.stream_factors import Probing, block_bytes

PROBING = {"probe_seconds": 10, "playback_buffer_seconds": 1, "writers": 2, "most_streams": 100, "resolution": 0.1}
STREAMS = PROBING | {"file_seconds": 12, "unpaced_streams": 8}
RECORDING = {"tuners": 2, "smallest": "8 MiB", "largest": "64 MiB", "flush": "4 MiB", "filled": 0.8, "overwritten": 10}
GIB = 2**30


def streams(chosen=(), size=64 * GIB, **scale):
    return families.factors("concurrent_streams", dict(chosen), STREAMS | scale, size)


def test_every_rate_of_table_1_is_the_printed_one():
    printed = {
        str(placed.factors["media"]): placed.cell.value
        for placed in published_cells.cells(REFERENCE / "001")
        if placed.cell.table_name == "table-01" and placed.cell.metric == "data_rate_bytes_per_second"
    }
    assert {name: rate.bytes_per_second for name, rate in stream_rate.declared().items()} == printed
    assert stream_rate.resolve("mp3", "here") == {
        "name": "mp3",
        "bytes_per_second": 17_500.0,
        "reference": "001, Table 1",
    }
    assert (
        stream_rate.resolve("camcorder-720x480", "here")["bytes_per_second"]
        == stream_rate.resolve("25-mbit", "here")["bytes_per_second"]
        == 3_125_000
    )


@pytest.mark.parametrize("name", ["25", "mp4", "0-mbit", "-5-mbit"])
def test_another_rate_is_refused(name):
    with pytest.raises(UserError) as refused:
        stream_rate.resolve(name, "config/experiments/concurrent_streams.yaml")
    assert "concurrent_streams.yaml" in str(refused.value)


def test_the_declared_experiments_resolve_under_every_profile(resolved):
    for profile in ("quick", "standard", "full"):
        found = [spec.experiment for spec in resolved[profile]]
        named = {e.factors["rate"]["name"] for e in found if e.family == "concurrent_streams"}
        assert named == {"25-mbit"}
        aged = {e.experiment: e.factors["filesystem"]["preallocate"] for e in found if e.family == "aging"}
        assert sum(aged.values()) == (profile != "quick") and aged.get("ext4+fallocate", profile == "quick")


@pytest.mark.parametrize(("speed", "block"), [(17_500, 4096), (3_125_000, 262_144), (81e6, 1_048_576), (1, 4096)])
def test_a_block_is_about_a_tenth_of_a_second(speed, block):
    assert block_bytes(speed) == block


def test_files_are_whole_blocks_of_the_declared_length_or_size():
    made = streams({"rate": "25-mbit"})
    assert made["file_bytes"] % made["streams"]["block_bytes"] == 0
    assert 0 <= made["file_bytes"] - 12 * 3_125_000 < made["streams"]["block_bytes"]
    assert streams({"rate": "mp3"}, smallest_file="4 MiB")["file_bytes"] == 4 * 2**20


def test_no_more_streams_are_tried_than_files_fit():
    assert streams(size=GIB)["streams"]["most_streams"] == (int(0.8 * GIB) - 2 * (31_250_000 + 524_288)) // 37_748_736
    assert streams(size=GIB, unpaced_streams=90)["unpaced_streams"] == streams(size=GIB)["streams"]["most_streams"]


@pytest.mark.parametrize(
    ("chosen", "size", "scale", "named"),
    [
        ({"rate": "25-mbit"}, 64 * 2**20, {}, "file_seconds"),
        ({"cache": "buffered"}, 64 * GIB, {"file_seconds": 9}, "file_seconds"),
        ({"cache": "warm"}, 64 * GIB, {}, "warm"),
        ({"speed": "fast"}, 64 * GIB, {}, "speed"),
        ({}, 64 * GIB, {"playback_buffer_seconds": 3}, "playback_buffer_seconds"),
        ({}, 64 * GIB, {"most_stream": 3}, "most_stream"),
    ],
)
def test_what_cannot_be_measured_is_refused(chosen, size, scale, named):
    with pytest.raises(UserError) as refused:
        streams(chosen, size, **scale)
    told = refused.value.of("quick") if isinstance(refused.value, ProfileError) else refused.value
    assert named in told.problem and told.problem.startswith(
        ("config/profiles/quick.yaml: families.", "config/experiments/")
    )


def test_the_key_of_earlier_profiles_gives_the_same_factors():
    earlier = {"playout_buffer_seconds" if key == "playback_buffer_seconds" else key: STREAMS[key] for key in STREAMS}
    found = families.factors("concurrent_streams", {}, earlier, 64 * GIB)
    assert found == streams() and found["streams"]["playout_buffer_seconds"] == 1


def test_a_buffer_that_hides_a_shortage_is_refused():
    with pytest.raises(ValidationError, match="would not show"):
        Probing.model_validate(PROBING | {"playback_buffer_seconds": 2.5})


@pytest.mark.parametrize(
    ("recording", "named"),
    [({"largest": "512 MiB"}, "largest"), ({"smallest": "1 GiB"}, "smallest"), ({"filled": 1.0}, "filled")],
)
def test_recordings_that_do_not_fit_are_refused(recording, named):
    scale = {"recording": RECORDING | recording, "streams": PROBING}
    with pytest.raises(UserError) as refused:
        families.factors("aging", {}, scale, GIB)
    assert named in str(refused.value)
