"""The storage below a library's file, as given to a measured process: the place, its cache, and whether it may be written."""

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
    """A file of `length` bytes at `at`, a path or a socket; `kind` is one of backends.KINDS, `cache` none, buffer or pages."""

    kind: str
    at: str
    length: int = 0
    writable: bool = False
    cache: str = BUFFER
    page_bytes: int = 0
    pages: int = 0


@dataclass
class Requests:
    """The requests to the place; `blocks` of 4 KiB were read, and `length` is that of the file in the end."""

    reads: int = 0
    writes: int = 0
    read_bytes: int = 0
    written_bytes: int = 0
    blocks: int = 0
    length: int = 0


@dataclass(frozen=True)
class Took:
    """Seconds from before the file is opened until all of it is stored, or read, and processor seconds of the process in them;
    the requests to the place; and where a project was read, its fidelity as shares.
    """

    seconds: float
    cpu_seconds: float
    requests: Requests
    kept: dict[str, float] = field(default_factory=dict)


@contextmanager
def opened(below: Below, requests: Requests) -> Iterator[BinaryIO]:
    """The file that a library gets and may close, with its requests counted; all of it is stored when this ends well."""
    counted = Counted(KINDS[below.kind](Path(below.at)))
    place: Place = counted
    if below.cache == PAGES:
        place = Paged(counted, below.page_bytes, below.pages, below.length)
    raw = Opened(place, below.length, below.writable)
    file = buffered(raw) if below.cache == BUFFER else cast(BinaryIO, raw)  # it has what libraries call
    yield file
    file.close()
    requests.reads, requests.writes, requests.blocks = counted.reads, counted.writes, len(counted.blocks)
    requests.read_bytes, requests.written_bytes, requests.length = counted.read_bytes, counted.written_bytes, raw.length
