"""What a family asks of streams: the part of a profile's scale, resolved into factors."""

import math
from dataclasses import dataclass
from typing import Any

from pydantic import AliasChoices, Field, model_validator

from spindlemark.core.limits import Seconds
from spindlemark.core.record import Closed

# A block is what a stream moves in about this time, as a power of two between the bounds.
_BLOCK_SECONDS, _SMALLEST_BLOCK, _LARGEST_BLOCK = 0.1, 4096, 1024 * 1024
# A stream that gets a fifth less than its rate must be seen to fall behind before the run ends.
_MOST_BUFFER = 0.2
BUFFER = "playout_buffer_seconds"  # the factor of the buffer; identities contain this name
_TRIALS = 5  # of a search, as a rule


class Probing(Closed):
    """How one number of streams is tried, and how exactly the largest is looked for."""

    probe_seconds: Seconds = Field(ge=0.1, description="length of one trial; 60 and more is about playing a film")
    playback_buffer_seconds: Seconds = Field(
        validation_alias=AliasChoices("playback_buffer_seconds", BUFFER),
        serialization_alias=BUFFER,
        gt=0,
        description="what a stream may be late; up to a fifth of the probe",
    )
    writers: int = Field(
        ge=0, le=2048, description="recordings that are written while the readers read, at the same rate"
    )
    most_streams: int = Field(ge=1, le=2048, description="the largest number of readers that is tried")
    resolution: float = Field(
        ge=0,
        le=1,
        description="the search ends when the next number that fails is larger by no more than this share, or by one",
    )
    tries: int = Field(
        default=1,
        ge=1,
        le=100,
        description="a number fails when a reader or writer falls behind this many times in a row",
    )

    @model_validator(mode="after")
    def _buffer_is_short(self) -> "Probing":
        if self.playback_buffer_seconds > _MOST_BUFFER * self.probe_seconds:
            raise ValueError(
                f"playback_buffer_seconds is more than {_MOST_BUFFER:.0%} of probe_seconds: a shortage "
                "would not show within the probe"
            )
        return self


@dataclass(frozen=True)
class Demand:
    """What each stream asks for; as `factors` resolved it."""

    bytes_per_second: float
    block_bytes: int
    probe_seconds: float
    playback_buffer_seconds: float
    writers: int
    most_streams: int
    resolution: float
    tries: int
    direct: bool

    @property
    def writer_bytes(self) -> int:
        """Upper bound of the bytes that one writer can write in a probe: it catches up, but never overtakes its rate."""
        return math.ceil(self.bytes_per_second * self.probe_seconds) + 2 * self.block_bytes


def factors(probing: Probing, rate: dict[str, Any], direct: bool) -> dict[str, Any]:
    """The factor `streams`: every key of `Demand` but the rate."""
    return probing.model_dump(by_alias=True) | {"block_bytes": block_bytes(rate["bytes_per_second"]), "direct": direct}


def demand(rate: dict[str, Any], streams: dict[str, Any]) -> Demand:
    """The demand that the factors `rate` and `streams` describe."""
    others = {key: value for key, value in streams.items() if key != BUFFER}
    return Demand(bytes_per_second=rate["bytes_per_second"], playback_buffer_seconds=streams[BUFFER], **others)


def expected_seconds(streams: dict[str, Any]) -> float:
    """A first estimate of one search: its trials, each with the start and end of fio."""
    return _TRIALS * streams["tries"] * (streams["probe_seconds"] + 1.0)


def block_bytes(rate: float) -> int:
    """Bytes that a stream of `rate` B/s moves at a time: the power of two below 0.1 s of it, from 4 KiB to 1 MiB."""
    power = 2 ** math.floor(math.log2(max(rate * _BLOCK_SECONDS, 1.0)))
    return min(max(power, _SMALLEST_BLOCK), _LARGEST_BLOCK)
