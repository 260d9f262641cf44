"""Loads on a modelled disk in its own time, without a device: so many commands at once, one after another."""

import heapq
import random
from dataclasses import dataclass

from spindlemark import config
from spindlemark.testbeds import disk_model
from spindlemark.testbeds.drive.mechanism import READ, Drive, Order

BLOCK, MIB, GIB = 4096, 1 << 20, 1 << 30
_THINKS = 50e-6  # seconds from an answer to the next command


@dataclass(frozen=True)
class Ran:
    """What came of a load."""

    seconds: float
    bytes: int
    latencies: list[float]

    @property
    def per_second(self):
        return len(self.latencies) / self.seconds

    @property
    def rate(self):
        return self.bytes / self.seconds


def hdd(**changes):
    """The figures of the reference device."""
    declared = config.load().testbeds["hdd"].disk.model_copy(update=changes)
    return disk_model.parameters(declared)


def run(drive, orders, depth, after=0.0):
    """Give the disk all of `orders`, (kind, start, end), with `depth` of them at once, from a time on."""
    given, waiting, latencies = iter(orders), {}, []
    coming = [(after, number) for number in range(depth)]
    tag, now, moved = 0, after, 0
    while coming or waiting:
        if coming and coming[0][0] <= drive.due():
            now = max(now, heapq.heappop(coming)[0])
            if (order := next(given, None)) is not None:
                tag += 1
                waiting[tag] = now
                moved += order[2] - order[1]
                drive.submit(Order(*order, now, tag))
            continue
        for finish, done in drive.advance(drive.due()):
            latencies.append(finish - waiting.pop(done))
            now = max(now, finish)
            heapq.heappush(coming, (finish + _THINKS, done))
    return Ran(now - after, moved, latencies)


def scattered(size, count, kind=READ, seed=1):
    """Blocks at random places of an image."""
    places = random.Random(seed)
    return [(kind, at, at + BLOCK) for at in (places.randrange(size // BLOCK) * BLOCK for _ in range(count))]


def consecutive(start, count, block, kind=READ):
    """Blocks one after another."""
    return [(kind, at, at + block) for at in range(start, start + count * block, block)]


def new(size=4 * GIB, **changes):
    """A disk that has done nothing yet."""
    return Drive(hdd(**changes), size)
