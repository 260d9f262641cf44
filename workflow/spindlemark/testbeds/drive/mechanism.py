"""The disk at work: which command it serves next, and when each is done.

The caller passes commands in the order of their times and asks at any later time what is done. What the model decides
does not depend on when it is asked, apart from commands that come later than the mechanism was free.
"""

import heapq
import random
from collections import deque
from dataclasses import dataclass
from itertools import islice
from math import inf

from spindlemark.testbeds.drive.geometry import Geometry, Place
from spindlemark.testbeds.drive.parameters import Parameters
from spindlemark.testbeds.drive.read_cache import ReadCache
from spindlemark.testbeds.drive.write_cache import Dirty, WriteCache

# Times are rounded: a sector that the head passes within this share of a revolution before it is ready is not missed.
_SAME_ANGLE = 1e-5
READ, WRITE, FLUSH = "read", "write", "flush"


@dataclass(eq=False)
class Order:
    """One command: bytes [start, end), the time at which it came, and the caller's name of it."""

    kind: str
    start: int
    end: int
    at: float
    tag: int
    number: int = 0  # in the order of arrival, set by the disk


@dataclass
class _Plan:
    """What the mechanism would do for a command or for cached writes, and when."""

    begin: float
    finish: float
    place: Place
    key: float
    order: Order | None = None
    dirty: Dirty | None = None


class Drive:
    """A disk whose image has `size` bytes."""

    def __init__(self, disk: Parameters, size: int) -> None:
        self._disk, self._size = disk, size
        self.geometry = Geometry(disk, size)
        self._phase = random.Random(disk.seed).random()
        self._head, self._free = self.geometry.place(0), 0.0
        self._ahead: tuple[Place, float, float] | None = None  # reads on: from, since, at most to these turns
        self._running: tuple[_Plan, Dirty | None] | None = None
        self._reads: dict[int, Order] = {}  # and writes without a cache for them, the oldest first
        self._blocked: deque[Order] = deque()  # writes for which the cache has no room
        self._flushes: deque[Order] = deque()
        self._cached, self._written = ReadCache(disk.segments, disk.cache // disk.segments), WriteCache()
        self._bus, self._number = 0.0, 0
        self._done: list[tuple[float, int]] = []  # time and tag

    def submit(self, order: Order) -> None:
        """Take a command; its time is not before that of the last one."""
        self._number += 1
        order.number, ready = self._number, order.at + self._disk.overhead
        if order.kind == FLUSH:
            self._flushes.append(order)
            self._flush(ready)
        elif order.kind == WRITE and self._disk.write_cache:
            self._blocked.append(order)
            self._admit(ready)
        elif order.kind == READ and self._in_cache(order, ready):
            self._answer(order, ready)
        else:
            self._reads[order.number] = order
        self._start()

    def due(self) -> float:
        """The next time at which something is done; infinite without any command."""
        return min(self._done[0][0] if self._done else inf, self._running[0].finish if self._running else inf)

    def advance(self, now: float) -> list[tuple[float, int]]:
        """Let the disk work until `now`; return the tags of finished commands, each with its time."""
        while self._running and self._running[0].finish <= now:
            self._finish(*self._running)
            self._start()
        found = []
        while self._done and self._done[0][0] <= now:
            found.append(heapq.heappop(self._done))
        return found

    def _start(self) -> None:
        """Start the best waiting command or cached write, if the mechanism is free."""
        if self._running:
            return
        plan = min(self._plans(), key=lambda each: each.key, default=None)
        if plan is None:
            return
        self._stop_reading_on(plan.begin)
        if plan.order is not None:
            del self._reads[plan.order.number]
        self._running = plan, self._written.take(plan.dirty, self._disk.piece) if plan.dirty else None

    def _plans(self) -> list[_Plan]:
        """What could be done next: reads go before cached writes, unless these press."""
        found = [self._plan(order) for order in islice(self._reads.values(), self._disk.queue)]
        pressing = self._blocked or self._flushes or self._written.size > self._disk.cache // 2
        if pressing or not found:
            found += [self._plan_writing(dirty) for dirty in self._written.oldest(self._disk.queue)]
        return found

    def _plan(self, order: Order) -> _Plan:
        begin = max(self._free, order.at + self._disk.overhead)
        if order.kind == WRITE:
            return self._moved(begin, order.start, order.end, order.at, True, order=order)
        first, coming = self._reached(order.start, order.end, begin)
        if coming:
            assert self._ahead, "the head comes to what is missing"
            last = self.geometry.end(order.end)
            finish = self._ahead[1] + (last.turns - self._ahead[0].turns) * self._disk.revolution
            return _Plan(begin, max(begin, finish), last, self._key(finish, begin, order.at), order)
        return self._moved(begin, first, order.end, order.at, False, order=order)

    def _plan_writing(self, dirty: Dirty) -> _Plan:
        begin = max(self._free, dirty.ready)
        end = min(dirty.end, dirty.start + self._disk.piece)
        return self._moved(begin, dirty.start, end, begin, True, dirty=dirty)

    def _moved(
        self,
        begin: float,
        start: int,
        end: int,
        at: float,
        write: bool,
        order: Order | None = None,
        dirty: Dirty | None = None,
    ) -> _Plan:
        """Seek, wait for the first byte, and pass all bytes."""
        first, last = self.geometry.place(start), self.geometry.end(end)
        there = begin + self.geometry.seek(self._head_at(begin), first, write)
        turn = self._disk.revolution
        wait = (first.turns - there / turn - self._phase) % 1
        if wait > 1 - _SAME_ANGLE:
            wait = 0.0
        finish = there + (wait + last.turns - first.turns) * turn
        return _Plan(begin, finish, last, self._key(finish, begin, at), order, dirty)

    def _key(self, finish: float, begin: float, at: float) -> float:
        """The shortest positioning time goes first; a command that waits long goes before nearer ones."""
        return finish - self._disk.ageing * (begin - at)

    def _finish(self, plan: _Plan, taken: Dirty | None) -> None:
        self._head, self._free, self._running = plan.place, plan.finish, None
        if taken:
            self._admit(plan.finish)
            self._flush(plan.finish)
            return
        order = plan.order
        assert order, "a plan is for a command or for cached writes"
        heapq.heappush(self._done, (plan.finish, order.tag))
        if order.kind == READ:
            self._cached.add(order.start, order.end)
            self._read_on(order.end, plan.finish)
            self._answer_cached(plan.finish)
        else:
            self._flush(plan.finish)

    def _answer_cached(self, at: float) -> None:
        """Answer the waiting commands whose bytes came with others."""
        for key, order in list(self._reads.items()):
            if order.kind == READ and self._cached.missing(order.start, order.end) >= order.end:
                del self._reads[key]
                self._answer(order, max(at, order.at + self._disk.overhead))

    def _in_cache(self, order: Order, at: float) -> bool:
        """Whether a read needs no mechanism; then the disk reads on beyond it."""
        writing = self._running[1] if self._running else None
        if self._written.contains(order.start, order.end) or (
            writing and writing.start <= order.start and order.end <= writing.end
        ):
            return True
        first, _ = self._reached(order.start, order.end, at)
        if first < order.end:
            return False
        if self._ahead and self._ahead_to(at) < self._ahead[2] and self._begun() <= order.end:
            place, since, most = self._ahead
            self._ahead = place, since, max(most, self._limit(order.end))
        return True

    def _reached(self, start: int, end: int, at: float) -> tuple[int, bool]:
        """The first byte that is neither cached nor read ahead at that time, and whether the head is coming to it."""
        first, coming = self._cached.missing(start, end), False
        if self._ahead and self._begun() <= first < end:
            there = self._ahead_to(at)
            reached = self.geometry.offset(there)
            if first < reached:
                first, coming = reached, there < self._ahead[2]
        return (end, False) if first >= end else (first, coming)

    def _begun(self) -> int:
        """Where the disk began to read on."""
        assert self._ahead, "asked only while the disk reads on"
        return self.geometry.offset(self._ahead[0].turns)

    def _read_on(self, end: int, since: float) -> None:
        self._ahead = self._head, since, self._limit(end)

    def _limit(self, end: int) -> float:
        return self.geometry.end(min(self._size, end + self._cached.segment)).turns

    def _ahead_to(self, at: float) -> float:
        assert self._ahead, "asked only while the disk reads on"
        place, since, most = self._ahead
        return min(most, place.turns + max(0.0, at - since) / self._disk.revolution)

    def _head_at(self, at: float) -> Place:
        """Where the head is: on while the disk reads ahead."""
        if self._ahead:
            return self.geometry.end(self.geometry.offset(self._ahead_to(at)))
        return self._head

    def _stop_reading_on(self, at: float) -> None:
        if self._ahead:
            begun, there = self.geometry.offset(self._ahead[0].turns), self.geometry.offset(self._ahead_to(at))
            if there > begun:
                self._cached.add(begun, there)
            self._ahead = None

    def _admit(self, at: float) -> None:
        """Take writes into the cache while it has room."""
        while self._blocked:
            order = self._blocked[0]
            if not self._written.has_room(order.end - order.start, self._disk.cache, self._disk.cached_writes):
                return
            self._blocked.popleft()
            barrier = self._flushes[-1].number if self._flushes else -1
            self._cached.forget(order.start, order.end)
            ready = self._answer(order, max(at, order.at + self._disk.overhead))
            self._written.add(order.start, order.end, order.number, ready, barrier)

    def _flush(self, at: float) -> None:
        """Answer the flushes before which everything is written."""
        while self._flushes:
            order = self._flushes[0]
            before = [each.number for each in self._blocked] + [each.number for each in self._written.oldest(1)]
            before += [each.number for each in self._reads.values() if each.kind == WRITE]
            if self._running and (taken := self._running[1]):
                before.append(taken.number)
            if min(before, default=order.number) < order.number:
                return
            self._flushes.popleft()
            heapq.heappush(self._done, (max(at, order.at + self._disk.overhead), order.tag))

    def _answer(self, order: Order, at: float) -> float:
        """Pass the bytes over the interface; return the time at which that is done."""
        self._bus = max(self._bus, at) + (order.end - order.start) / self._disk.interface
        heapq.heappush(self._done, (self._bus, order.tag))
        return self._bus
