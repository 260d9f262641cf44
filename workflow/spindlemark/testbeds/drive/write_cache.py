"""Writes that a disk has answered and not yet written: pieces of the disk, combined where they touch."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice


@dataclass
class Dirty:
    """Bytes [start, end), the number of the oldest write among them, and the time at which that one came."""

    start: int
    end: int
    number: int
    ready: float


class WriteCache:
    """Bytes to be written."""

    def __init__(self) -> None:
        self.size = 0
        self._starts: list[int] = []
        self._found: dict[int, Dirty] = {}  # by their starts
        self._ages: dict[int, Dirty] = {}  # by the numbers of their oldest writes, the oldest first

    def has_room(self, more: int, most: int, pieces: int) -> bool:
        """Whether `more` bytes fit; a single write always does."""
        return not self._ages or (self.size + more <= most and len(self._ages) < pieces)

    def add(self, start: int, end: int, number: int, ready: float, barrier: int = -1) -> None:
        """Add a write, which takes the place of earlier ones to the same bytes.

        It is combined with its neighbours, but not with those up to the number `barrier`: a flush waits for them.
        """
        touched = [e for e in self._touching(start, end) if e.number > barrier or (e.start < end and e.end > start)]
        kept = min(touched, key=lambda each: each.number, default=None)
        for each in touched:
            self._remove(each, each is not kept)
            start, end = min(start, each.start), max(end, each.end)
        added = Dirty(start, end, *((number, ready) if kept is None else (kept.number, kept.ready)))
        self._ages[added.number] = added  # in the place of the one it contains
        self._insert(added)

    def take(self, chosen: Dirty, most: int) -> Dirty:
        """Remove the first `most` bytes of a piece and return them."""
        taken = Dirty(chosen.start, min(chosen.end, chosen.start + most), chosen.number, chosen.ready)
        self._remove(chosen, taken.end == chosen.end)
        if taken.end < chosen.end:
            rest = Dirty(taken.end, chosen.end, chosen.number, chosen.ready)
            self._ages[rest.number] = rest
            self._insert(rest)
        return taken

    def oldest(self, count: int) -> Iterator[Dirty]:
        """At most `count` pieces, those with the oldest writes first."""
        return islice(self._ages.values(), count)

    def contains(self, start: int, end: int) -> bool:
        """Whether it has all bytes [start, end)."""
        place = bisect_right(self._starts, start) - 1
        return place >= 0 and self._found[self._starts[place]].end >= end

    def _touching(self, start: int, end: int) -> Iterator[Dirty]:
        place = max(0, bisect_left(self._starts, start) - 1)
        for first in self._starts[place:]:
            if first > end:
                return
            if self._found[first].end >= start:
                yield self._found[first]

    def _insert(self, each: Dirty) -> None:
        insort(self._starts, each.start)
        self._found[each.start] = each
        self.size += each.end - each.start

    def _remove(self, each: Dirty, with_age: bool) -> None:
        del self._starts[bisect_left(self._starts, each.start)]
        del self._found[each.start]
        self.size -= each.end - each.start
        if with_age:
            del self._ages[each.number]
