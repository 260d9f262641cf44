"""Timelines of the shapes that users of study 000 exported, drawn by seed.

The source prints tracks, duration, edits and, of two, clips. Of its three sports projects it prints no edits, and that they have
several effects on video: here they have an edit a minute on each track, and the effects on each edit of video. Everything else is
chosen too: each edit shows a part of a clip by its own time code, the edits of a track follow one another without a gap,
every fourth has a marker, every fourth a change of speed and every fourth an effect that has only a name, because other
programs cannot read the settings of a plug-in.
"""

import random
from typing import NamedTuple

from opentimelineio import opentime, schema

RATE = 25
HOUR = 3600 * RATE
EVERY = 4  # edits


class Shape(NamedTuple):
    """The content of an export: `edits` in all tracks together, from `clips` different clips; `pictures` and `sounds` are tracks.

    `effects`: of each edit of a picture track, in addition to those that every project has.
    """

    edits: int
    clips: int
    seconds: int
    pictures: int
    sounds: int
    effects: int = 0


SHAPES = {
    "little-angels": Shape(58, 58, 1800, 1, 2),
    "teen-angels": Shape(805, 805, 3390, 2, 8),
    "trailer": Shape(128, 64, 1470, 2, 8),
    "hells-kitchen": Shape(644, 199, 110, 2, 7),
    "sport-long": Shape(232, 232, 1550, 1, 8, effects=1),
    "sport-medium": Shape(72, 72, 334, 5, 8, effects=3),
    "sport-short": Shape(24, 24, 175, 4, 4, effects=3),
    # The only shape here that is not an export of the source: the most that an edit decision list can hold.
    "one-track": Shape(58, 58, 1800, 1, 0),
}


def timeline(shape: Shape, seed: int = 1) -> schema.Timeline:
    """The timeline of a shape; the same one for the same seed."""
    chance = random.Random(seed)
    found = schema.Timeline("project", global_start_time=_time(10 * HOUR))
    kinds = [schema.TrackKind.Video] * shape.pictures + [schema.TrackKind.Audio] * shape.sounds
    numbers = list(range(shape.edits))
    for place, kind in enumerate(kinds):
        track = schema.Track(f"{kind} {place + 1}", kind=kind)
        own = numbers[place :: len(kinds)]
        begins = [0, *sorted(chance.sample(range(1, shape.seconds * RATE), len(own) - 1)), shape.seconds * RATE]
        for number, begin, end in zip(own, begins, begins[1:], strict=False):
            track.append(_edit(shape, number, end - begin, chance, shape.effects if place < shape.pictures else 0))
        found.tracks.append(track)
    return found


def _edit(shape: Shape, number: int, frames: int, chance: random.Random, effects: int) -> schema.Clip:
    clip = number % shape.clips
    whole = opentime.TimeRange(_time(HOUR), _time(3 * shape.seconds * RATE))
    begin = HOUR + chance.randrange(shape.seconds * RATE)
    edit = schema.Clip(
        f"clip {clip:04}",
        schema.ExternalReference(f"file:///media/clip-{clip:04}.mov", whole),
        opentime.TimeRange(_time(begin), _time(frames)),
    )
    if number % EVERY == 0:
        edit.markers.append(schema.Marker(f"marker {number}", opentime.TimeRange(_time(begin + frames // 2), _time(1))))
    elif number % EVERY == 1:
        edit.effects.append(schema.LinearTimeWarp("speed", time_scalar=2.0))
    elif number % EVERY == 2:
        edit.effects.append(schema.Effect(f"effect {number}", "plug-in"))
    edit.effects.extend(schema.Effect(f"effect {number} {each}", "plug-in") for each in range(effects))
    return edit


def _time(frames: int) -> opentime.RationalTime:
    return opentime.RationalTime(frames, RATE)
