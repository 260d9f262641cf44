"""The figures of a modelled hard disk, in bytes and seconds."""

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Seeks:
    """Seek times in one direction of transfer, without the time of a command."""

    single: float  # to the next track
    average: float  # over all pairs of tracks
    full: float  # from the first track to the last


@dataclass(frozen=True)
class Parameters:
    """A documented disk; see config/testbeds/hdd.yaml for the source of each figure."""

    capacity: int
    tracks: int  # of one surface
    track_bytes: float  # average of all tracks
    zones: int
    rate_ratio: float  # innermost zone by outermost
    revolution: float
    reads: Seeks
    writes: Seeks
    overhead: float  # of a command
    interface: float  # bytes per second
    cache: int  # bytes, for reads; as many for writes
    segments: int  # of the cache for reads
    write_cache: bool
    cached_writes: int  # most separate pieces in the cache for writes
    queue: int  # commands that the disk sorts
    ageing: float  # share of its waiting time by which a command goes before nearer ones
    piece: int  # most bytes that are written from the cache at once
    seed: int  # of the angle at which the disk starts

    def facts(self) -> dict[str, Any]:
        """All figures, as a part of a fingerprint."""
        return asdict(self)

    @classmethod
    def of(cls, facts: dict[str, Any]) -> "Parameters":
        """The inverse of `facts`."""
        return cls(**facts | {way: Seeks(**facts[way]) for way in ("reads", "writes")})
