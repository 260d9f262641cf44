"""Packets to every watcher over a connection of its own, whatever carries them."""

import threading
from collections.abc import Callable, Iterator

from spindlemark.families.live_video.send_queue import Outlet

Write = Callable[[bytes, int], None]  # one packet, and the number of its frame


class Server:
    """Send every packet to each connected watcher. `accepted` waits for watchers and yields what writes to each, as Outlet says."""

    def __init__(self, accepted: Iterator[Write]) -> None:
        self.outlets: list[Outlet] = []
        threading.Thread(target=self._accept, args=(accepted,), daemon=True).start()

    def offer(self, packet: bytes, number: int) -> None:
        """Send the packet of a frame to all."""
        for outlet in list(self.outlets):
            outlet.offer(packet, number)

    def _accept(self, accepted: Iterator[Write]) -> None:
        for write in accepted:
            self.outlets.append(Outlet(write))
