"""The relay: carries packets between two TUN devices with a given delay, jitter and loss.

A program of its own that needs only Python. Packets keep their order: one with a shorter delay waits for the one before
it. The bytes in its queue are limited; when it is full, packets are dropped and counted, as a full switch does. It reads
settings as lines of JSON from its standard input and answers each with its counts. It ends when that is closed.
"""

import ctypes
import fcntl
import json
import os
import random
import resource
import select
import struct
import sys
import time
from collections import deque
from dataclasses import dataclass, field

_TUNSETIFF, _IFF_TUN, _IFF_NO_PI, _CLONE_NEWNET = 0x400454CA, 0x0001, 0x1000, 0x40000000
_LARGEST, _QUEUE_BYTES, _AT_ONCE = 1 << 16, 64 << 20, 64
_UNPRIVILEGED, _IDLE_SECONDS = 65534, 60.0  # the user and group `nobody`


@dataclass
class Way:
    """One direction: packets that were read from one device and are due at the other."""

    taken: int
    given: int
    chance: random.Random
    waiting: deque = field(default_factory=deque)
    bytes: int = 0
    last: float = 0.0
    passed: int = 0
    lost: int = 0
    dropped: int = 0

    def take(self, delay: float, jitter: float, loss: float) -> None:
        """Read packets, at most _AT_ONCE of them, and determine when each is due."""
        for _ in range(_AT_ONCE):
            try:
                packet = os.read(self.taken, _LARGEST)
            except BlockingIOError:
                return
            if loss and self.chance.random() < loss:
                self.lost += 1
            elif self.bytes + len(packet) > _QUEUE_BYTES:
                self.dropped += 1
            else:
                due = time.monotonic() + delay + (self.chance.uniform(-jitter, jitter) if jitter else 0.0)
                self.last = max(due, self.last)
                self.waiting.append((self.last, packet))
                self.bytes += len(packet)

    def give(self, now: float) -> None:
        """Write the packets that are due."""
        while self.waiting and self.waiting[0][0] <= now:
            packet = self.waiting.popleft()[1]
            self.bytes -= len(packet)
            try:
                os.write(self.given, packet)
                self.passed += 1
            except OSError:  # the device is down, or its queue is full
                self.dropped += 1


def main() -> int:
    """Create the devices, drop all privileges, and carry packets until standard input is closed."""
    devices = [_device(*sys.argv[at : at + 2]) for at in (1, 3)]
    os.setgroups([])
    os.setresgid(_UNPRIVILEGED, _UNPRIVILEGED, _UNPRIVILEGED)
    os.setresuid(_UNPRIVILEGED, _UNPRIVILEGED, _UNPRIVILEGED)
    ways = [Way(a, b, random.Random(seed)) for seed, (a, b) in enumerate((devices, devices[::-1]))]
    _answer(ways)
    setting = {"delay": 0.0, "jitter": 0.0, "loss": 0.0}
    while True:
        due = min((way.waiting[0][0] for way in ways if way.waiting), default=time.monotonic() + _IDLE_SECONDS)
        ready = select.select([0, *devices], [], [], max(0.0, due - time.monotonic()))[0]
        for way in ways:
            if way.taken in ready:
                way.take(**setting)
            way.give(time.monotonic())
        if 0 in ready:
            line = sys.stdin.buffer.readline()
            if not line:
                return 0
            request = json.loads(line)
            setting |= {name: request[name] or 0.0 for name in setting if name in request}
            _answer(ways)


def _device(namespace: str, name: str) -> int:
    """Create a TUN device in the namespace, which this process enters. It exists as long as its descriptor is open."""
    descriptor = os.open(namespace, os.O_RDONLY)
    if ctypes.CDLL(None, use_errno=True).setns(descriptor, _CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "cannot enter a network namespace")
    os.close(descriptor)
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, _TUNSETIFF, struct.pack("16sH22x", name.encode(), _IFF_TUN | _IFF_NO_PI))
    return device


def _answer(ways: list[Way]) -> None:
    used = resource.getrusage(resource.RUSAGE_SELF)
    account = {key: sum(getattr(way, key) for way in ways) for key in ("passed", "lost", "dropped")}
    print(json.dumps(account | {"cpu_seconds": round(used.ru_utime + used.ru_stime, 3)}), flush=True)


if __name__ == "__main__":
    sys.exit(main())
