"""What lies below a library's file, as a measured process is told: the place, the cache over it, and whether it may be written."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, cast

from spindlemark.families.shared.block_storage.backends import KINDS, Place
from spindlemark.families.shared.block_storage.counting import Counted
from spindlemark.families.shared.block_storage.page_cache import Paged
from spindlemark.families.shared.block_storage.storage_file import Opened, buffered

NONE, BUFFER, PAGES = "none", "buffer", "pages"


@dataclass(frozen=True)
class Below:
    """A file of `length` bytes at `at`, a path or a socket; `kind` is one of places.KINDS, `cache` none, buffer or pages."""

    kind: str
    at: str
    length: int = 0
    writable: bool = False
    cache: str = BUFFER
    page_bytes: int = 0
    pages: int = 0


@dataclass
class Asked:
    """What the place was asked for; `blocks` of 4 KiB were read, and `length` is that of the file in the end."""

    reads: int = 0
    writes: int = 0
    read_bytes: int = 0
    written_bytes: int = 0
    blocks: int = 0
    length: int = 0


@dataclass(frozen=True)
class Took:
    """Seconds from before the file is opened until all of it is stored, or read, and processor seconds of the process in them;
    what was asked of the place; and where a project was read, the shares of it that were kept.
    """

    seconds: float
    cpu_seconds: float
    asked: Asked
    kept: dict[str, float] = field(default_factory=dict)


@contextmanager
def opened(below: Below, asked: Asked) -> Iterator[BinaryIO]:
    """The file that a library gets and may close, and what that asked for; all of it is stored when this ends well."""
    counted = Counted(KINDS[below.kind](Path(below.at)))
    place: Place = counted
    if below.cache == PAGES:
        place = Paged(counted, below.page_bytes, below.pages, below.length)
    raw = Opened(place, below.length, below.writable)
    file = buffered(raw) if below.cache == BUFFER else cast(BinaryIO, raw)  # it has what libraries call
    yield file
    file.close()
    asked.reads, asked.writes, asked.blocks = counted.reads, counted.writes, len(counted.blocks)
    asked.read_bytes, asked.written_bytes, asked.length = counted.read_bytes, counted.written_bytes, raw.length
