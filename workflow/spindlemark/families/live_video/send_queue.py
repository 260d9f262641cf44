"""What leaves for one watcher: a thread that writes, and a short queue before it from which the oldest is dropped."""

import threading
from collections import deque
from collections.abc import Callable

WAITING = 2  # packets: a live picture that waits longer is of no use any more


class Outlet:
    """`write` sends one packet, however long it takes; it raises OSError when the watcher is gone."""

    def __init__(self, write: Callable[[bytes, int], None]) -> None:
        self._write, self._waiting, self.dropped = write, deque[tuple[bytes, int]](), 0
        self._changed = threading.Condition()
        threading.Thread(target=self._run, daemon=True).start()

    def offer(self, packet: bytes, number: int) -> None:
        """Send the packet of a frame soon, or never where the watcher is too slow."""
        with self._changed:
            if len(self._waiting) == WAITING:
                self._waiting.popleft()
                self.dropped += 1
            self._waiting.append((packet, number))
            self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting)
                packet, number = self._waiting.popleft()
            try:
                self._write(packet, number)
            except OSError:
                return  # the watcher does not read: what is offered from now on is dropped
