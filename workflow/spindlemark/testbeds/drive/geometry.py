"""Where the bytes of an image are on the modelled disk, and how long a seek takes.

The image represents the whole disk. Its zones have the disk's shares of all bytes and the disk's tracks, each with its
real number of bytes, so bytes pass the head as fast as on the disk. The image has fewer of these tracks than the disk,
so they are spread over the disk's whole radius: a seek between two offsets goes as far as between the same shares of
the disk. Only the next track is really next to a track, so reading on goes on.
"""

import math
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate

from spindlemark.testbeds.drive.parameters import Parameters, Seeks


@dataclass(frozen=True)
class Place:
    """A byte's track in the order of the image, its place on the radius, and its place along all tracks."""

    track: int
    cylinder: float
    turns: float  # revolutions from the image's first byte on; the part after the point is the angle


class SeekCurve:
    """Seek time over distance: Lee and Katz, An analytic performance model of disk arrays, SIGMETRICS 1993.

    The square root is the acceleration and the linear part the constant speed; both follow from the times
    of a single track, of the average distance and of a full stroke.
    """

    def __init__(self, seeks: Seeks, tracks: int) -> None:
        self._single = seeks.single
        self._root = (-10 * seeks.single + 15 * seeks.average - 5 * seeks.full) / (3 * math.sqrt(tracks))
        self._linear = (7 * seeks.single - 15 * seeks.average + 8 * seeks.full) / (3 * tracks)

    def seconds(self, distance: float) -> float:
        """Seconds of a seek over a distance in tracks."""
        if distance <= 0:
            return 0.0
        beyond = max(0.0, distance - 1)
        return self._single + self._root * math.sqrt(beyond) + self._linear * beyond


class Geometry:
    """Places of an image of `size` bytes on the disk."""

    def __init__(self, disk: Parameters, size: int) -> None:
        # The bytes of a track fall in equal steps from zone to zone; all zones have the same number of tracks.
        steps = [1 - (1 - disk.rate_ratio) * zone / max(1, disk.zones - 1) for zone in range(disk.zones)]
        outermost = disk.track_bytes * disk.zones / sum(steps)
        self._disk, self._size = disk, size
        self._track_bytes = [outermost * step for step in steps]
        ends = list(accumulate(size * step / sum(steps) for step in steps))
        self._starts = [0.0, *ends[:-1]]
        self._lengths = [end - start for start, end in zip(self._starts, ends, strict=True)]
        counts = [math.ceil(n / b) for n, b in zip(self._lengths, self._track_bytes, strict=True)]
        self._first_tracks = [0, *accumulate(counts[:-1])]
        # A track begins so much later than its neighbour that the head is there in time, also for writing.
        self.skew = disk.writes.single / disk.revolution
        self._curves = {False: SeekCurve(disk.reads, disk.tracks), True: SeekCurve(disk.writes, disk.tracks)}

    def place(self, offset: float) -> Place:
        """The place of a byte. The offset after the last byte counts as the last track's end."""
        zone = bisect_right(self._starts, offset) - 1
        into, length = offset - self._starts[zone], self._track_bytes[zone]
        track, rest = divmod(into, length)
        number = self._first_tracks[zone] + int(track)
        cylinder = (zone + into / self._lengths[zone]) * self._disk.tracks / self._disk.zones
        return Place(number, cylinder, number * (1 + self.skew) + rest / length)

    def end(self, offset: int) -> Place:
        """The place where the head is after the byte before `offset`."""
        last = self.place(offset - 1)
        zone = bisect_right(self._starts, offset - 1) - 1
        return Place(last.track, last.cylinder, last.turns + 1 / self._track_bytes[zone])

    def offset(self, turns: float) -> int:
        """The number of bytes before a place along all tracks: the inverse of `end`."""
        track = int(turns / (1 + self.skew))
        zone = bisect_right(self._first_tracks, track) - 1
        share = min(1.0, turns - track * (1 + self.skew))
        passed = (track - self._first_tracks[zone] + share) * self._track_bytes[zone]
        return min(self._size, int(self._starts[zone] + min(passed, self._lengths[zone]) + 0.5))

    def seek(self, start: Place, end: Place, write: bool) -> float:
        """Seconds until the head is on another track. The same track needs none, and the next is one track away."""
        apart = abs(end.track - start.track)
        distance = apart if apart < 2 else max(1.0, abs(end.cylinder - start.cylinder))
        return self._curves[write].seconds(distance)

    def rate(self, offset: int) -> float:
        """Bytes per second at an offset while one track passes the head."""
        return self._track_bytes[bisect_right(self._starts, offset) - 1] / self._disk.revolution
