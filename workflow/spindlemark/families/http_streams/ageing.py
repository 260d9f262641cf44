"""Factor `age`: assets on a new filesystem, or on one on which recordings came and went for years.

An aged filesystem is filled and overwritten by the same recorder as in the family `aging`. Then recordings drawn at random are
deleted, until the assets fit: they are written into the gaps, as recordings on a disk in use are.
"""

import random
from pathlib import Path
from typing import Any

from pydantic import Field, model_validator

from spindlemark.core.errors import ProfileError, UserError
from spindlemark.core.limits import Size
from spindlemark.core.record import Closed
from spindlemark.families.shared.streams.recorder import record
from spindlemark.harness.repetition import Repetition

FRESH, AGED = "fresh", "aged"
FULLEST = 0.8  # of a new filesystem: the most that assets and recordings take
_FOLDER = "old-recordings"
_BLOCK = 256 * 1024  # bytes of one write of the recorder
_MARGIN = 0.02  # of the device, which stays free for the filesystem's own structures
_KEPT = 0.25  # of old recordings, between which the assets are written
_KEY = "families.http_streams.scale.ageing"


class Ageing(Closed):
    """What the recorder does on an aged filesystem before the assets are written."""

    tuners: int = Field(ge=1, le=1000, description="recordings that are written side by side")
    smallest: Size = Field(ge=1, description="bytes of the shortest recording")
    largest: Size = Field(description="bytes of the longest recording")
    flush: Size = Field(ge=1, description="bytes after which a recording is forced to the disk")
    filled: float = Field(gt=0, le=0.95, description="share of the device that recordings take when it counts as full")
    overwritten: float = Field(gt=0, le=10_000, description="times the size of the device that is recorded in all")
    seed: int = Field(default=1, ge=0, le=1 << 40, description="of lengths and deletions; each repetition has its own")

    @model_validator(mode="after")
    def _ordered(self) -> "Ageing":
        if self.smallest > self.largest:
            raise ValueError("smallest is larger than largest")
        return self


def factor(age: str, ageing: Ageing | None, size: int, where: str) -> dict[str, Any]:
    """The factor `age`; raises UserError for an unknown one, and for an aged filesystem without `ageing` or space for it."""
    if age == FRESH:
        return {"name": FRESH}
    if age != AGED:
        raise UserError(f"{where}: age: {age!r} is unknown", f"write {FRESH} or {AGED}")
    if ageing is None:
        raise ProfileError(f"{_KEY}: is missing, and {where} measures an aged filesystem", "declare it in the profile")
    if 2 * ageing.tuners * ageing.largest > ageing.filled * size:
        raise ProfileError(
            f"{_KEY}.largest: {ageing.tuners} recordings in progress take more than half of {ageing.filled:.0%} of "
            f"{size} bytes",
            "lower it or tuners, or raise image_size",
        )
    return {"name": AGED, **ageing.model_dump(mode="json")}


def room_bytes(age: dict[str, Any], size: int) -> int:
    """Bytes that assets and new recordings may take on a device of `size` bytes, in addition to the old recordings."""
    return int((1 - _KEPT) * (1 - _MARGIN) * age["filled"] * size) if age["name"] == AGED else int(FULLEST * size)


def moved_bytes(age: dict[str, Any], size: int) -> float:
    """Bytes that the recorder writes."""
    return age["overwritten"] * size if age["name"] == AGED else 0.0


def prepare(repetition: Repetition, needed: int) -> None:
    """Age the mounted filesystem and make room for `needed` bytes; nothing for a new one."""
    age = repetition.factors["age"]
    if age["name"] == FRESH:
        return
    folder, size = repetition.testbed.mount_point / _FOLDER, repetition.testbed.size
    seed = 1000 * age["seed"] + repetition.number
    with repetition.step("ageing", cold=False):
        written = record(
            repetition,
            folder,
            round(age["overwritten"] * size),
            budget=int(age["filled"] * size),
            block=_BLOCK,
            seed=seed,
            **{key: age[key] for key in ("tuners", "flush", "smallest", "largest")},
        )
        kept = _make_room(folder, round((1 - _MARGIN) * age["filled"] * size) - needed, seed)
        repetition.run(["sync", "-f", str(folder)])
    repetition.note({"age.recorded_bytes": written, "age.kept_bytes": kept})


def _make_room(folder: Path, most: int, seed: int) -> int:
    """Delete recordings drawn at random until at most `most` bytes of them are left; returns those bytes."""
    sizes = {path: path.stat().st_size for path in sorted(folder.iterdir(), key=lambda path: int(path.name))}
    doomed = list(sizes)
    random.Random(seed).shuffle(doomed)
    left = sum(sizes.values())
    for path in doomed:
        if left <= most:
            break
        path.unlink()
        left -= sizes[path]
    return left
