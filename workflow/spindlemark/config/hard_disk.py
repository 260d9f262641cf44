"""The figures of a documented hard disk, for testbeds that model it."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from spindlemark.core.limits import Size, Text
from spindlemark.core.record import Closed


class SeekTimes(Closed):
    """Times of a seek in milliseconds, without the overhead of a command."""

    single: float = Field(gt=0, le=1000, description="to the next track")
    average: float = Field(gt=0, le=1000, description="over all pairs of tracks")
    full: float = Field(gt=0, le=1000, description="from the first track to the last")

    @model_validator(mode="after")
    def _concave(self) -> Self:
        bent, rising = (
            3 * self.average - 2 * self.single - self.full,
            7 * self.single - 15 * self.average + 8 * self.full,
        )
        if not (self.single <= self.average <= self.full and bent >= 0 and rising >= 0):
            raise ValueError(
                "no seek curve of Lee and Katz has these times: from single to full it would not rise everywhere"
            )
        return self


Source = Annotated[Text, Field(pattern=r"^(printed|derived|assumed)(: .+)?$")]


class Sources(Closed):
    """Where each figure of a hard disk comes from: printed in the document, derived from it, or assumed."""

    capacity: Source
    tracks_per_surface: Source
    bytes_per_surface: Source
    zones: Source
    fastest_rate: Source
    slowest_rate: Source
    rotations_per_minute: Source
    read_seek_ms: Source
    write_seek_ms: Source
    overhead_ms: Source
    interface: Source
    cache: Source
    cache_segments: Source
    write_cache: Source
    cached_writes: Source
    queue: Source
    ageing: Source
    write_piece: Source
    seed: Source


class HardDisk(Closed):
    """A documented hard disk, whose figures a model uses. docs/methods/disk-model.md describes what they do."""

    product: Text = Field(min_length=1)
    document: Text = Field(min_length=1, description="title and edition of the manufacturer's manual")
    address: Text = Field(pattern=r"^https://", description="address of the document, or of a copy")
    capacity: Size = Field(gt=0, description="bytes of the disk that an image represents")
    tracks_per_surface: int = Field(ge=2, le=1 << 30)
    bytes_per_surface: Size = Field(gt=0)
    zones: int = Field(ge=1, le=1024, description="parts of the radius with the same number of bytes on each track")
    fastest_rate: Size = Field(gt=0, description="bytes per second at the outermost track, as recorded on the medium")
    slowest_rate: Size = Field(gt=0, description="bytes per second at the innermost track, as recorded on the medium")
    rotations_per_minute: int = Field(gt=0, le=1_000_000)
    read_seek_ms: SeekTimes
    write_seek_ms: SeekTimes
    overhead_ms: float = Field(ge=0, le=1000, description="of each command")
    interface: Size = Field(gt=0, description="bytes per second between disk and computer")
    cache: Size = Field(gt=0, description="bytes that the disk keeps for reads, and as many for writes")
    cache_segments: int = Field(ge=1, le=1024, description="sequences of reads that the cache can follow")
    write_cache: bool = Field(description="whether the disk answers a write before it is on the medium")
    cached_writes: int = Field(ge=1, le=1 << 20, description="separate pieces that the cache for writes can hold")
    queue: int = Field(ge=1, le=1024, description="commands, or cached writes, that the disk sorts")
    ageing: float = Field(
        ge=0, le=1, description="share of its waiting time by which a command goes before nearer ones"
    )
    write_piece: Size = Field(gt=0, description="largest number of bytes that the disk writes from its cache at once")
    seed: int = Field(ge=0, description="of the angle at which the disk starts")
    sources: Sources

    @model_validator(mode="after")
    def _falling(self) -> Self:
        if self.slowest_rate > self.fastest_rate:
            raise ValueError("slowest_rate: is above fastest_rate")
        return self
