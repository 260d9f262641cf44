"""What is asked of a place: requests, bytes, and how many different blocks of it."""

from dataclasses import dataclass, field

from spindlemark.families.shared.block_storage.backends import Place

BLOCK = 4096


@dataclass
class Counted:
    """A place that counts. `blocks` are those of 4 KiB of which something was read."""

    place: Place
    reads: int = 0
    writes: int = 0
    read_bytes: int = 0
    written_bytes: int = 0
    blocks: set[int] = field(default_factory=set)

    def read(self, offset: int, count: int) -> bytes:
        """See Place."""
        self.reads += 1
        self.read_bytes += count
        self.blocks.update(range(offset // BLOCK, -(-(offset + count) // BLOCK)))
        return self.place.read(offset, count)

    def write(self, offset: int, data: bytes) -> None:
        """See Place."""
        self.writes += 1
        self.written_bytes += len(data)
        self.place.write(offset, data)

    def close(self) -> None:
        """See Place."""
        self.place.close()
