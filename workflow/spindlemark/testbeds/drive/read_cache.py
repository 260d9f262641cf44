"""The segments of a disk's cache for reads: each holds one sequence of bytes, and the oldest one is given up first."""


class ReadCache:
    """At most `count` segments of at most `size` bytes."""

    def __init__(self, count: int, size: int) -> None:
        self._count, self.segment = count, size
        self._segments: list[tuple[int, int]] = []  # the newest last

    def missing(self, start: int, end: int) -> int:
        """The first byte of [start, end) that is not cached; `end` if all are."""
        for first, last in self._segments:
            if first <= start < last:
                return min(last, end)
        return start

    def add(self, start: int, end: int) -> None:
        """Cache what was read. It continues the segment that ends at `start` or beyond it."""
        for segment in self._segments:
            if segment[0] <= start <= segment[1]:
                self._segments.remove(segment)
                start, end = segment[0], max(end, segment[1])
                break
        self._segments.append((max(start, end - self.segment), end))
        del self._segments[: -self._count]

    def forget(self, start: int, end: int) -> None:
        """Give up the segments with bytes that are written now."""
        self._segments = [segment for segment in self._segments if segment[1] <= start or segment[0] >= end]
