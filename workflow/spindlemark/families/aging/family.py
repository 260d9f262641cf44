"""Family `aging`: how years of recording and deleting slow a filesystem down, compared with a new one.

The maker of the audio-video filesystem of study 004 claims that the rate at which recordings can be read stays the
same however long recordings come and go, and names as future work a way to measure that. This is one. What was
decided, and why:

- Recordings are written side by side, as a recorder with several tuners does, by the program `streams/recorder.py`,
  whose docstring says why it is not fio. The order of writes and deletions follows from seed
  and repetition alone, so that all filesystems live through the same.
- *Fresh* is the filesystem after its first fill, *aged* after recordings of so many times the size of the device were
  written and deleted. Both are measured the same way: pieces of all recordings, then all read one after another on cold
  caches, then the largest number of streams. So both hold about as many bytes, and the difference is the aging alone.
- A piece is a contiguous run on the device, as filefrag counts: neighbouring extents are one piece, since no head
  moves between them. A sync precedes it, so delayed allocation has ended.
- The recordings are read through the page cache, with the kernel's own readahead, as a copy to another disk does.
- More readers than recordings share recordings, each from another place, past the page cache.
- A configuration with `preallocate` has the recorder reserve the space of a recording before it is written.
"""

from functools import partial
from pathlib import Path
from typing import Any

from pydantic import Field, model_validator

from spindlemark.core.errors import ProfileError, UserError
from spindlemark.core.limits import Size
from spindlemark.core.record import Closed
from spindlemark.families.aging.aging_metrics import METRICS
from spindlemark.families.factors import volume
from spindlemark.families.factors.control import CONTROL
from spindlemark.families.factors.filesystem import FILESYSTEM
from spindlemark.families.factors.scheduler import SCHEDULER
from spindlemark.families.family import Family
from spindlemark.families.shared import media
from spindlemark.families.shared.streams import pieces, stream_factors, stream_rate
from spindlemark.families.shared.streams.recorder import record
from spindlemark.families.shared.streams.stream_trial import Place, Prober
from spindlemark.harness import fio
from spindlemark.harness.repetition import Repetition, Step

METHOD = 4
FACTORS = (FILESYSTEM, SCHEDULER, CONTROL)
TOOLS = {"fio": ("fio", "--version"), "e2fsprogs": ("mke2fs", "-V")}

BLOCK_BYTES = 256 * 1024  # of one write of the recorder, and of the reading; recordings are whole blocks
_LIMIT_SECONDS = 3600.0
_KEY = "families.aging.scale"


class Recording(Closed):
    """What the recorder does all those years."""

    tuners: int = Field(ge=1, le=1000, description="recordings that are written side by side")
    smallest: Size = Field(ge=1, description="bytes of the shortest recording")
    largest: Size = Field(description="bytes of the longest recording")
    flush: Size = Field(ge=1, description="bytes after which a recording is forced to the disk")
    filled: float = Field(gt=0, le=0.95, description="share of the device that recordings take when it counts as full")
    overwritten: float = Field(
        gt=0, le=10_000, description="times the size of the device that is recorded after the first fill"
    )
    seed: int = Field(
        default=1, ge=0, le=1 << 40, description="of lengths and deletions; each repetition has its own that follows"
    )

    @model_validator(mode="after")
    def _ordered(self) -> "Recording":
        if self.smallest > self.largest:
            raise ValueError("smallest is larger than largest")
        return self


class Scale(Closed):
    """How much a profile measures."""

    recording: Recording
    streams: stream_factors.Probing


def factors(chosen: dict[str, str], scale: Scale, size: int) -> dict[str, Any]:
    """The factors `recording`, `rate` and `streams` on a device of `size` bytes; chosen: rate, if not 25-mbit.

    Raises UserError where the recordings in progress would fill the device beyond its share.
    """
    unknown = chosen.keys() - {"rate"}
    if unknown:
        raise UserError(f"config/experiments/aging.yaml: unknown factor {sorted(unknown)[0]}", "there is: rate")
    recording = scale.recording
    if 2 * recording.tuners * recording.largest > recording.filled * size:
        raise ProfileError(
            f"{_KEY}.recording.largest: {recording.tuners} recordings in progress take more than half of "
            f"{recording.filled:.0%} of {size} bytes",
            "lower it or tuners, or raise image_size",
        )
    speed = stream_rate.resolve(chosen.get("rate", "25-mbit"), "config/experiments/aging.yaml")
    return {
        "recording": recording.model_dump(mode="json"),
        "rate": speed,
        "streams": stream_factors.factors(scale.streams, speed, direct=True),
    }


def expected(factors: dict[str, Any], size: int) -> tuple[float, float]:
    """Seconds at any speed, and bytes moved: two searches, and the device overwritten as often as declared."""
    overwritten = (factors["recording"]["overwritten"] + 1) * size
    return 2 * stream_factors.expected_seconds(factors["streams"]), overwritten


def steps(repetition: Repetition) -> None:
    """Fill a filesystem, measure it, let it age, and measure it again."""
    volume.require(repetition)
    repetition.need_tools([fio.TOOL], fio.PACKAGE)
    repetition.need_tools([pieces.TOOL], pieces.PACKAGE)
    volume.make(repetition, _LIMIT_SECONDS)
    volume.mount(repetition, _LIMIT_SECONDS)
    size, recording = repetition.testbed.size, repetition.factors["recording"]
    wanted = stream_factors.demand(repetition.factors["rate"], repetition.factors["streams"])
    _record(repetition, "fill", recording["filled"] * size - recording["largest"])
    fresh_rate = _read(repetition, "fresh")
    fresh_streams = _streams(repetition, wanted, "fresh", int(fresh_rate / wanted.bytes_per_second))
    years, recorded = _record(repetition, "age", recording["overwritten"] * size)
    repetition.measure("overwritten_ratio", recorded / size)
    repetition.measure_work("age", years)
    repetition.measure("read_kept_ratio", _read(repetition, "aged") / fresh_rate)
    _streams(repetition, wanted, "aged", fresh_streams)
    volume.unmount(repetition, _LIMIT_SECONDS)


def _record(repetition: Repetition, step: str, target: float) -> tuple[Step, int]:
    """Record at least `target` bytes; returns how many it were, and the step."""
    recording = repetition.factors["recording"]
    seed = 1000 * recording["seed"] + 2 * repetition.number + (step == "age")
    with repetition.step(step) as done:
        return done, record(
            repetition,
            _folder(repetition),
            round(target),
            tuners=recording["tuners"],
            block=BLOCK_BYTES,
            flush=recording["flush"],
            smallest=recording["smallest"],
            largest=recording["largest"],
            seed=seed,
            budget=int(recording["filled"] * repetition.testbed.size),
        )


def _read(repetition: Repetition, age: str) -> float:
    """Pieces and cold sequential read of all recordings, measured as `age`; returns the read rate in B/s."""
    names = sorted((entry.name for entry in _folder(repetition).iterdir()), key=int)
    size = sum((_folder(repetition) / name).stat().st_size for name in names)
    found = pieces.count(repetition, [_folder(repetition) / name for name in names], f"{age}-pieces", _LIMIT_SECONDS)
    repetition.measure(f"{age}_extents_per_100_mb", found / (size / pieces.HUNDRED_MB))
    with repetition.step(f"{age}-read") as step:
        output = fio.run(
            repetition,
            [
                "--name=recordings",
                "--rw=read",
                f"--bs={BLOCK_BYTES}",
                f"--directory={_folder(repetition)}",
                f"--filename={':'.join(names)}",
                "--file_service_type=sequential",
                "--openfiles=1",
                "--allow_file_create=0",
            ],
            _LIMIT_SECONDS,
            f"{age}-read",
        )
    got = output["jobs"][0]["read"]
    repetition.require(
        "completeness", got["io_bytes"] == size, got["io_bytes"], size, "B", "bytes of all recordings read"
    )
    repetition.require(
        "cold_proof",
        step.read_bytes >= size,
        step.read_bytes,
        size,
        "B",
        "bytes that the device read, from its own counter, against the recordings",
    )
    speed = size / (got["runtime"] / 1000)
    repetition.measure(f"{age}_read_bytes_per_second", speed)
    repetition.measure_work(f"{age}_read", step)
    return speed


def _streams(repetition: Repetition, wanted: stream_factors.Demand, age: str, guess: int) -> int:
    """Largest number of streams, measured as `age`; see Prober.largest."""
    with media.scratch(Path(repetition.declared.source_directory)) as logs:
        readers = partial(shared_readers, _folder(repetition), wanted.block_bytes)
        found = Prober(repetition, wanted, Place(readers, repetition.testbed.mount_point, logs), f"{age}-").largest(
            guess
        )
    repetition.measure(f"{age}_streams_count", found.sustained)
    return found.sustained


def shared_readers(folder: Path, block: int, number: int) -> list[str]:
    """Fio's words for `number` readers of the recordings in `folder`: those of one begin at equal distances in it."""
    files = sorted(folder.iterdir(), key=lambda file: int(file.name))
    words = []
    for place, file in enumerate(files[:number]):
        several = number // len(files) + (place < number % len(files))
        distance = file.stat().st_size // several // block * block
        words += [
            f"--name=reader-{file.name}",
            "--rw=read",
            f"--filename={file}",
            f"--numjobs={several}",
            f"--offset_increment={distance}",
            "--allow_file_create=0",
        ]
    return words


def _folder(repetition: Repetition) -> Path:
    return repetition.testbed.mount_point / "recordings"


FAMILY = Family(
    method=METHOD,
    metrics=METRICS,
    steps=steps,
    expected=expected,
    shared=FACTORS,
    scale=Scale,
    factors=factors,
    tools=TOOLS,
)
