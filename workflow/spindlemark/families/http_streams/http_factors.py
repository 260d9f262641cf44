"""What a family asks of clients: the profile's scale and the chosen workload, resolved into factors."""

import re
from dataclasses import dataclass
from math import ceil
from typing import Any

from pydantic import Field, model_validator

from spindlemark.core.errors import ProfileError, UserError
from spindlemark.core.limits import Seconds
from spindlemark.core.record import Closed
from spindlemark.families.http_streams import thumbnails
from spindlemark.families.http_streams.asset_blocks import BLOCK

# A client who gets a tenth less than the rate must be seen to run short before the asset ends.
MOST_BUFFER = 0.1
_PATIENCE = 2.0  # buffers
_START = 0.5  # of the buffer: a client starts, and goes on after a stall, when so much of it is filled
PROGRESSIVE = "progressive"
NO_RECORDINGS = NO_THUMBNAILS = "none"
SEARCH, CURVE = "search", "curve"
_LENGTH = re.compile(r"(\d{1,4}(?:\.\d)?)-seconds")
_RECORDINGS = re.compile(rf"{NO_RECORDINGS}|(\d{{1,3}})-recordings")
_THUMBNAILS = re.compile(rf"{NO_THUMBNAILS}|(\d{{1,3}})-each-second")
_SEGMENTED = re.compile(r"hls-(\d{1,3}(?:\.\d{1,2})?)")


class TrialSettings(Closed):
    """How one number of clients is tried, and how exactly the largest is looked for."""

    film_seconds: Seconds = Field(ge=0.5, description="length of the asset that each client plays, and so of a trial")
    hold_seconds: Seconds | None = Field(
        default=None, gt=0, description="length of a trial; without it, a trial ends when all assets are there"
    )
    buffer_seconds: Seconds = Field(gt=0, description="what a client's buffer holds; up to a tenth of a trial")
    most_viewers: int = Field(ge=1, le=2048, description="the largest number of clients that is tried")
    overload_viewers: int = Field(
        ge=1, le=2048, description="so many ask at once where goodput is measured: more than a disk feeds"
    )
    resolution: float = Field(
        ge=0,
        le=1,
        description="the search ends when the next number that fails is larger by no more than this share, or by one",
    )

    @model_validator(mode="after")
    def _buffer_is_short(self) -> "TrialSettings":
        if self.hold_seconds and self.hold_seconds > self.film_seconds - self.buffer_seconds:
            raise ValueError(
                "hold_seconds is longer than film_seconds without buffer_seconds: an asset would be over earlier"
            )
        key = "hold_seconds" if self.hold_seconds else "film_seconds"
        if self.buffer_seconds > MOST_BUFFER * (self.hold_seconds or self.film_seconds):
            raise ValueError(
                f"buffer_seconds is more than {MOST_BUFFER:.0%} of {key}: a shortage would not show within the trial"
            )
        return self


class Curve(Closed):
    """The load curve and the ramp of experiments with `load: curve`."""

    points: int = Field(
        ge=2, le=32, description="numbers of clients at equal distances, up to a quarter beyond the limit"
    )
    ramp_step_seconds: Seconds = Field(ge=0.1, description="seconds after which more clients join, or leave again")


@dataclass(frozen=True)
class Demand:
    """What each client asks for; as `factors` resolved it."""

    bytes_per_second: float
    film_seconds: float
    hold_seconds: float | None
    buffer_seconds: float
    most_viewers: int
    overload_viewers: int
    resolution: float
    film_bytes: int
    segment_bytes: int
    recordings: int
    thumbnails: int  # in each second

    @property
    def thumbnail_count(self) -> int:
        """Thumbnails for a whole trial in which none is requested twice."""
        return ceil(self.thumbnails * self.limit_seconds)

    @property
    def concurrent_bytes(self) -> int:
        """Upper bound of the bytes that recordings and thumbnails take on the disk."""
        return self.recorded_bytes + self.thumbnail_count * thumbnails.BYTES

    @property
    def recording_bytes(self) -> int:
        """Upper bound of the bytes that one recording writes in a trial."""
        return _whole(self.bytes_per_second * self.limit_seconds)

    @property
    def recorded_bytes(self) -> int:
        """Upper bound of the bytes that all recordings write in a trial."""
        return self.recordings * self.recording_bytes

    @property
    def most_bytes(self) -> int:
        """What a client's buffer holds."""
        return int(self.buffer_seconds * self.bytes_per_second)

    @property
    def start_bytes(self) -> int:
        """With so much in it a client starts."""
        return max(1, int(_START * self.most_bytes))

    @property
    def start_seconds(self) -> float:
        """What is in a buffer when its client starts."""
        return self.start_bytes / self.bytes_per_second

    @property
    def marks(self) -> tuple[float, float, float]:
        """Seconds: when all buffers had time to fill, half of the trial, and its end, or when the first client may have the asset."""
        if self.hold_seconds:
            return 2 * self.buffer_seconds, self.hold_seconds / 2, self.hold_seconds
        return 2 * self.buffer_seconds, self.film_seconds / 2, self.film_seconds - self.buffer_seconds

    @property
    def limit_seconds(self) -> float:
        """When a trial ends, for those too who wait: who begins at once has the asset long before."""
        return self.hold_seconds or self.film_seconds + _PATIENCE * self.buffer_seconds


def segment_seconds(delivery: str, where: str) -> float:
    """Length of a segment, 0 for a progressive file; raises UserError naming `where` for an unknown delivery."""
    if delivery == PROGRESSIVE:
        return 0.0
    found = _SEGMENTED.fullmatch(delivery)
    if found is None or float(found[1]) <= 0:
        raise UserError(
            f"{where}: no delivery is called {delivery!r}",
            f"write {PROGRESSIVE}, or hls- and the seconds of a segment, as hls-2",
        )
    return float(found[1])


def as_long(settings: TrialSettings, length: str, where: str) -> TrialSettings:
    """The same with assets of another length, as `4-seconds`, and buffers in proportion; raises UserError naming `where`."""
    found = _LENGTH.fullmatch(length)
    if found is None or not (longer := float(found[1]) / settings.film_seconds) > 0:
        raise UserError(f"{where}: film: {length!r} is not a length", "write its seconds, as 4-seconds")
    hold = settings.hold_seconds and longer * settings.hold_seconds
    return settings.model_copy(
        update={
            "film_seconds": longer * settings.film_seconds,
            "hold_seconds": hold,
            "buffer_seconds": longer * settings.buffer_seconds,
        }
    )


def factors(
    settings: TrialSettings, rate: dict[str, Any], delivery: str, recordings: str, where: str
) -> dict[str, Any]:
    """The factors `delivery`, `recordings` and `viewers`: their values, without the rate."""
    speed = rate["bytes_per_second"]
    segment = segment_seconds(delivery, where)
    if segment > settings.film_seconds / 2:
        raise UserError(
            f"{where}: {delivery}: a segment is longer than half of an asset of {settings.film_seconds:g} s",
            "choose shorter segments, or raise film_seconds in config/profiles/<profile>.yaml",
        )
    concurrent = _RECORDINGS.fullmatch(recordings)
    if concurrent is None:
        raise UserError(
            f"{where}: recordings: {recordings!r} is unknown", f"write {NO_RECORDINGS}, or how many, as 4-recordings"
        )
    return {
        "delivery": {"name": delivery, "segment_bytes": _whole(speed * segment)},
        "recordings": int(concurrent[1] or 0),
        "viewers": settings.model_dump(include=set(TrialSettings.model_fields))
        | {"film_bytes": _whole(speed * settings.film_seconds)},
    }


def thumbnails_per_second(name: str, where: str) -> int:
    """The factor `thumbnails`: how many are requested in each second; raises UserError naming `where` for an unknown one."""
    found = _THUMBNAILS.fullmatch(name)
    if found is None or found[1] == "0":
        raise UserError(
            f"{where}: thumbnails: {name!r} is unknown", f"write {NO_THUMBNAILS}, or how many, as 10-each-second"
        )
    return int(found[1] or 0)


def load(name: str, curve: Curve | None, where: str) -> dict[str, Any]:
    """The factor `load`; raises UserError for an unknown one, and for a curve that the profile does not declare."""
    if name == SEARCH:
        return {"name": SEARCH}
    if name != CURVE:
        raise UserError(f"{where}: load: {name!r} is unknown", f"write {SEARCH} or {CURVE}")
    if curve is None:
        raise ProfileError(
            f"families.http_streams.scale.curve: is missing, and {where} measures a load curve",
            "declare its points and ramp_step_seconds in the profile",
        )
    return {"name": CURVE, **curve.model_dump()}


def demand(factors: dict[str, Any]) -> Demand:
    """The demand that the factors `rate`, `delivery` and `viewers` describe."""
    return Demand(
        bytes_per_second=factors["rate"]["bytes_per_second"],
        **factors["viewers"],
        segment_bytes=factors["delivery"]["segment_bytes"],
        recordings=factors["recordings"],
        thumbnails=factors["thumbnails"],
    )


def _whole(size: float) -> int:
    return ceil(size / BLOCK) * BLOCK
