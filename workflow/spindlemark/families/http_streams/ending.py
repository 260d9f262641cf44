"""Connections whose last answer came whole, kept until the server ends them.

A client that hangs up at the last byte may be faster than the server's own account of it: nginx with threads leaves out of
its log what a thread was still sending. Standard library alone, as the client program that uses it.
"""

import select

from spindlemark.families.http_streams.download import Download


class Ending:
    """The connections, watched by `poll`, at which they are registered."""

    def __init__(self, poll: select.epoll) -> None:
        self._poll = poll
        self._open: dict[int, Download] = {}

    def __len__(self) -> int:
        return len(self._open)

    def __contains__(self, descriptor: int) -> bool:
        return descriptor in self._open

    def add(self, download: Download) -> None:
        """Keep a connection whose last answer is complete."""
        self._open[download.descriptor] = download

    def readable(self, descriptor: int) -> None:
        """Hang up if the server did."""
        if self._open[descriptor].is_over():
            self._close(descriptor)

    def close(self) -> None:
        """Hang up at all that are left."""
        for descriptor in list(self._open):
            self._close(descriptor)

    def _close(self, descriptor: int) -> None:
        self._poll.unregister(descriptor)
        self._open.pop(descriptor).close()
