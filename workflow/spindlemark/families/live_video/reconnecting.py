"""A watcher's connection that is made again when it ends, or when nothing came for a while, as players do."""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Protocol

_AGAIN_SECONDS = 0.1


class Client(Protocol):
    """A connection of a transport."""

    def packets(self, until: float, silent_seconds: float) -> Iterator[bytes]:
        """Packets until then, until the sender ends, or until nothing came for so long; raises OSError."""

    def close(self) -> None:
        """End it."""


class Reconnecting:
    """Like the client that `connect` returns, with a new one whenever the last one ended or was silent.

    `connect` raises OSError where nothing answers; the first time that is an error, afterwards it is tried again.
    """

    def __init__(self, connect: Callable[[], Client], silent_seconds: float) -> None:
        self._connect, self._silent_seconds = connect, silent_seconds
        self._client: Client | None = connect()

    def packets(self, until: float) -> Iterator[bytes]:
        """Packets of all connections until that moment of CLOCK_MONOTONIC."""
        while time.monotonic() < until:
            with suppress(OSError):
                self._client = self._client or self._connect()
                yield from self._client.packets(until, self._silent_seconds)
            if self._client:
                self._client.close()
                self._client = None
            time.sleep(_AGAIN_SECONDS)
