"""Timelines are drawn the same each time, what comes back is counted as it is, and a damaged project never hangs its reader."""

import io
import random
import shlex
from pathlib import Path

import pytest
from opentimelineio import opentime, schema
from opentimelineio.console import otioconvert

from spindlemark.core.errors import UserError
from spindlemark.families import registry as families
from spindlemark.families.project_exchange import family as project_exchange
from spindlemark.families.project_exchange import formats, independent_readers, round_trip
from spindlemark.families.project_exchange.timelines import SHAPES, Shape, timeline

SMALL = Shape(12, 6, 60, 1, 2)


def exported(name: str, shape: Shape, folder: Path) -> Path:
    path = formats.path_of(folder, name)
    with path.open("wb+") as file:
        formats.write(timeline(shape), name, file)
    return path


@pytest.mark.parametrize("name", SHAPES)
def test_a_timeline_has_the_shape_that_the_source_prints(name):
    shape = SHAPES[name]
    found = timeline(shape)
    clips = list(found.find_clips())
    assert (len(clips), len({c.name for c in clips})) == (shape.edits, shape.clips)
    assert found.duration() == opentime.RationalTime(shape.seconds * 25, 25)
    assert (len(found.video_tracks()), len(found.audio_tracks())) == (shape.pictures, shape.sounds)
    videos = [clip for track in found.video_tracks() for clip in track]
    assert all(len(clip.effects) >= shape.effects for clip in videos)
    assert found.is_equivalent_to(timeline(shape)) and not found.is_equivalent_to(timeline(shape, 2))


def test_what_is_lost_is_told_and_what_is_added_is_not_counted():
    written, back = timeline(SMALL), timeline(SMALL)
    assert set(round_trip.shares(written, back).values()) == {1.0}
    edits = list(back.find_clips())
    next(edit for edit in edits if len(edit.markers)).markers.clear()
    faster = next(edit for edit in edits if any(isinstance(each, schema.LinearTimeWarp) for each in edit.effects))
    faster.effects[0] = schema.LinearTimeWarp("other name", time_scalar=2.0)
    edits[2].source_range = opentime.TimeRange(
        edits[2].source_range.start_time + opentime.RationalTime(1, 25), edits[2].source_range.duration
    )
    back.tracks.append(schema.Track("more", [schema.Clip("more", source_range=edits[0].source_range)]))
    found = round_trip.shares(written, back)
    marked = sum(len(edit.markers) for edit in written.find_clips())
    assert found["markers"] == pytest.approx(1 - 1 / marked) and found["timecodes"] == pytest.approx(11 / 12)
    assert found["clips"] == found["tracks"] == found["effects"] == found["places"] == 1
    effects = sum(len(edit.effects) for edit in written.find_clips())
    assert found["everything"] == pytest.approx(1 - 2 / (12 + marked + effects))


@pytest.mark.parametrize("name", formats.FORMATS)
def test_each_format_keeps_the_edits_of_one_track_and_writes_the_same_bytes(name, tmp_path):
    shape = Shape(8, 8, 60, 1, 0)
    content = exported(name, shape, tmp_path).read_bytes()
    path = exported(name, shape, tmp_path)
    assert path.read_bytes() == content
    with path.open("rb") as file:
        found = round_trip.shares(timeline(shape), formats.read(name, file))
    assert found["clips"] == 1 and found["timecodes"] > 0


@pytest.mark.parametrize("name", formats.FORMATS)
def test_an_independent_reader_finds_every_edit_and_notices_a_changed_one(name, tmp_path):
    shape = Shape(12, 6, 60, 1, 0) if name == "edl" else SMALL
    path, other = exported(name, shape, tmp_path), timeline(shape)
    assert independent_readers.share(timeline(shape), name, path) == 1
    first = other.find_clips()[0]
    first.source_range = opentime.TimeRange(
        first.source_range.start_time + opentime.RationalTime(1, 25), first.source_range.duration
    )
    assert independent_readers.share(other, name, path) == pytest.approx(11 / 12)


@pytest.mark.parametrize("name", [name for name in formats.FORMATS if name != formats.AAF])
def test_a_damaged_project_is_refused_or_read_and_never_crashes_this_program(name, tmp_path):
    """AAF files have a fuzzer of their own, tests/helpers/readers.py."""
    chance, whole, refused = random.Random(7), exported(name, Shape(6, 6, 60, 1, 0), tmp_path).read_bytes(), 0
    for _ in range(200):
        content = bytearray(whole[: chance.randrange(len(whole))] if chance.random() < 0.3 else whole)
        for _ in range(chance.randrange(1, 8)):
            if content:
                content[chance.randrange(len(content))] = chance.randrange(256)
        try:
            assert isinstance(formats.read(name, io.BytesIO(bytes(content))), schema.Timeline)
        except Exception:
            refused += 1
    assert refused > 20


def test_what_is_asked_for_is_told_of_a_shape():
    found = families.factors("project_exchange", {"format": "edl", "shape": "trailer", "storage": "local"}, {}, 1 << 30)
    assert found["shape"] == {
        "name": "trailer",
        "edits": 128,
        "clips": 64,
        "seconds": 1470,
        "pictures": 2,
        "sounds": 8,
        "effects": 0,
    }
    with pytest.raises(UserError, match="shape: there is no 'feature'"):
        families.factors("project_exchange", {"format": "edl", "shape": "feature", "storage": "local"}, {}, 1 << 30)


@pytest.mark.parametrize("name", formats.FORMATS)
def test_the_recipe_of_a_format_is_a_command_that_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "PROJECT.otio").write_bytes(exported("otio", Shape(8, 8, 60, 1, 0), tmp_path).read_bytes())
    _, line = project_exchange.recipe({"format": name})
    monkeypatch.setattr("sys.argv", shlex.split(line))
    otioconvert.main()
    (made,) = tmp_path.glob(f"project.{formats.FORMATS[name].suffix}")
    with made.open("rb") as file:
        assert round_trip.shares(timeline(Shape(8, 8, 60, 1, 0)), formats.read(name, file))["clips"] == 1


def test_what_is_no_format_has_no_recipe():
    assert project_exchange.recipe({"format": "doc"}) == []
