"""What each protocol's client does with a share."""

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

PIECE = 1 << 20  # bytes of a request when a whole file is moved


class Connection(Protocol):
    """A connection by one protocol to the shared file at the server."""

    def read_into(self, offset: int, view: memoryview) -> None:
        """Fill the view from `offset`; raises OSError."""

    def write(self, offset: int, view: memoryview) -> None:
        """Write the view at `offset`; raises OSError."""

    def store(self, file: Path) -> None:
        """Put the local file in the place of the shared one."""

    def names(self, folder: str) -> list[str]:
        """Names in a folder of the share; raises OSError."""

    def read_head(self, path: str, view: memoryview) -> None:
        """Open another file of the share, fill the view from its beginning, and close it; raises OSError."""

    def create(self, path: str, size: int, pieces: Iterable[memoryview]) -> None:
        """Write a new file of `size` bytes, each piece as it comes, and close it; raises OSError."""

    def close(self) -> None:
        """Leave the server."""


def store_in_pieces(connection: Connection, file: Path) -> None:
    """`store` of a protocol that writes at any place of a file."""
    place = 0
    with file.open("rb") as source:
        while piece := source.read(PIECE):
            connection.write(place, memoryview(bytearray(piece)))
            place += len(piece)
