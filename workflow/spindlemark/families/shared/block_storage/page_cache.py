"""A cache of pages over a place, as the AAF SDK's cached raw storage: least recently used, written back.

A page is read whole and written whole, when it is thrown out or at the end. Bytes beyond the stored ones are not requested.
"""

from collections import OrderedDict

from spindlemark.families.shared.block_storage.backends import Place


class Paged:
    """At most `pages` pages of `page_bytes`, over a place that holds `length` bytes."""

    def __init__(self, place: Place, page_bytes: int, pages: int, length: int) -> None:
        self._place, self._size, self._most = place, page_bytes, pages
        self._length = self._stored = length  # with what is in pages alone, and without
        self._pages: OrderedDict[int, bytearray] = OrderedDict()
        self._changed: set[int] = set()

    def read(self, offset: int, count: int) -> bytes:
        """See Place."""
        return b"".join(bytes(self._page(number)[begin:end]) for number, begin, end in self._parts(offset, count))

    def write(self, offset: int, data: bytes) -> None:
        """See Place."""
        self._length = max(self._length, offset + len(data))
        done = 0
        for number, begin, end in self._parts(offset, len(data)):
            self._page(number, whole=end - begin == self._size)[begin:end] = data[done : done + end - begin]
            self._changed.add(number)
            done += end - begin

    def close(self) -> None:
        """Write what was changed, in its order, and close the place."""
        for number in sorted(self._changed):
            self._store(number)
        self._place.close()

    def _parts(self, offset: int, count: int) -> list[tuple[int, int, int]]:
        """Pages of a range, each with where in it the range begins and ends."""
        first, last = offset // self._size, (offset + count - 1) // self._size
        return [
            (number, max(0, offset - number * self._size), min(self._size, offset + count - number * self._size))
            for number in range(first, last + 1)
        ]

    def _page(self, number: int, whole: bool = False) -> bytearray:
        """A page, as the one used last. One that is written over as a `whole` is not read before."""
        if number not in self._pages:
            if len(self._pages) >= self._most:
                self._drop()
            begin = number * self._size
            there = 0 if whole else max(0, min(self._size, self._stored - begin))
            data = self._place.read(begin, there) if there else b""
            self._pages[number] = bytearray(data.ljust(self._size, b"\0"))
        self._pages.move_to_end(number)
        return self._pages[number]

    def _drop(self) -> None:
        oldest = next(iter(self._pages))
        if oldest in self._changed:
            self._store(oldest)
        del self._pages[oldest]

    def _store(self, number: int) -> None:
        """Write a page, but not beyond the end; the bytes between the stored ones and it are in pages that follow."""
        begin = number * self._size
        end = min(begin + self._size, self._length)
        self._place.write(begin, bytes(self._pages[number][: end - begin]))
        self._stored = max(self._stored, end)
        self._changed.discard(number)
