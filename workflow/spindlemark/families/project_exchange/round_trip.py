"""Fidelity of a timeline's round trip: the share of written parts that come back, each counted as often as it was there.

A part is found again if the kind of track and the name are the same. Additional parts are not counted.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator

from opentimelineio import opentime, schema

from spindlemark.families.project_exchange.timelines import RATE

PARTS = ("clips", "timecodes", "places", "tracks", "markers", "effects")
EVERYTHING, MADE = (
    "everything",
    ("timecodes", "markers", "effects"),
)  # what people made by hand, each piece with equal weight


def shares(written: schema.Timeline, back: schema.Timeline) -> dict[str, float]:
    """For each of PARTS how much of it came back, from 0 to 1; for EVERYTHING of all pieces of MADE together."""
    before, after = _parts(written), _parts(back)
    came = {part: (before[part] & after[part]).total() for part in PARTS}
    together = sum(came[part] for part in MADE) / sum(before[part].total() for part in MADE)
    return {part: came[part] / before[part].total() for part in PARTS if before[part]} | {EVERYTHING: together}


def _parts(found: schema.Timeline) -> dict[str, Counter[Hashable]]:
    edits = list(_edits(found))
    return {
        "clips": Counter((kind, edit.name) for kind, edit in edits),
        "timecodes": Counter((kind, edit.name, *_frames(edit.trimmed_range())) for kind, edit in edits),
        "places": Counter((kind, edit.name, _frames(found.range_of_child(edit))) for kind, edit in edits),
        "tracks": Counter(track.kind for track in found.find_children(descended_from_type=schema.Track) if track),
        "markers": Counter(
            (kind, edit.name, marker.name, _frames(marker.marked_range)[0])
            for kind, edit in edits
            for marker in edit.markers
        ),
        "effects": Counter((kind, edit.name, each) for kind, edit in edits for each in _effects(edit.effects)),
    }


def _edits(found: schema.Timeline) -> Iterator[tuple[str, schema.Clip]]:
    """Clips that show something, each with the kind of its track, however deep it is nested."""
    for clip in found.find_clips():
        above = clip.parent()
        while above is not None and not isinstance(above, schema.Track):
            above = above.parent()
        yield (above.kind if above is not None else "none"), clip


def _effects(effects: Iterable[schema.Effect]) -> Iterator[Hashable]:
    """A change of speed is its factor, whatever it is called; any other effect is its name."""
    for effect in effects:
        yield round(effect.time_scalar, 3) if isinstance(effect, schema.LinearTimeWarp) else effect.name


def _frames(found: opentime.TimeRange) -> tuple[int, int]:
    return tuple(round(time.rescaled_to(RATE).value) for time in (found.start_time, found.duration))
