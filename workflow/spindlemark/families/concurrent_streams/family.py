"""Family `concurrent_streams`: the largest number of readers at a fixed rate that a filesystem serves without a gap.

Study 001 tested one user at a time and leaves open (its section 5.4) what several at once would change. Here each
reader has a file of its own, and recordings of the same rate are written at the same time. What was decided, and why:

- `shared/streams/deadline_misses.py` defines a deadline miss: a stream is later than its playback
  buffer allows. A number of streams holds when no reader and no writer falls behind, and the readers together got what they
  need to within 2 %: in a short trial their buffers hide for so long that the device gives too little.
- The files are recorded one after another onto an empty filesystem, so nothing is fragmented; `aging` measures that.
  A reader that reaches the end of its file begins again. Files are as long as the profile says; past the page cache
  (`direct`, the default) a second reading comes from the device too. Through the page cache (`buffered`) it would
  not, so a file must then be longer than a trial.
- Readers without a rate show where the search begins, and are a result of their own: bytes per second
  have no largest tried number.
- A number that needs more than the declared limit of a reference device is too many and is not tried: the first slice of
  time is free of the limit, and enough for a short trial.
- The search ends at a declared number of readers. Where even that holds, the count means "at least": no number
  failed, `streams_failed_count` is 0 and the environment's `streams.limited_by` says `most_streams`. It says
  `processor` where the smallest number that failed kept all processors busy: then it is the machine that ends it and
  not the disk.
"""

from math import ceil
from pathlib import Path
from typing import Any

from pydantic import ByteSize, Field

from spindlemark.core.errors import ProfileError, UserError
from spindlemark.core.limits import Seconds, Size
from spindlemark.core.metric import Metric
from spindlemark.families.factors import volume
from spindlemark.families.factors.control import CONTROL
from spindlemark.families.factors.filesystem import FILESYSTEM
from spindlemark.families.factors.scheduler import SCHEDULER
from spindlemark.families.family import Family
from spindlemark.families.shared import media
from spindlemark.families.shared.streams import stream_factors, stream_rate
from spindlemark.families.shared.streams.stream_files import Library
from spindlemark.families.shared.streams.stream_trial import Place, Prober
from spindlemark.harness import fio
from spindlemark.harness.repetition import Repetition

METHOD = 4
FACTORS = (FILESYSTEM, SCHEDULER, CONTROL)
TOOLS = {"fio": ("fio", "--version")}

METRICS = {
    "streams_sustained_count": Metric(
        title="Streams",
        unit="1",
        kind="searched",
        failed="streams_failed_count",
        limited_by="streams.limited_by",
        most="streams.most_streams",
        resolution="streams.resolution",
        step="streams",
        moves="read",
        each="rate.bytes_per_second",
        better="higher",
        description="the largest number of readers at the rate of which none falls behind, with concurrent writers; "
        "at least so many where streams_failed_count is 0",
    ),
    "streams_failed_count": Metric(
        title="Streams that were too many",
        unit="1",
        kind="count",
        better="none",
        description="the smallest number of readers at which one or a writer fell behind; 0 where the largest number "
        "tried still held",
    ),
    "streams_read_bytes_per_second": Metric(
        title="Read by streams without a rate",
        unit="B/s",
        step="streams_read",
        moves="read",
        better="higher",
        description="what a declared number of readers gets without a rate limit, with the concurrent writers",
    ),
}

CACHES = {"direct": True, "buffered": False}
FULLEST = 0.8
_LIMIT_SECONDS = 900.0
_WHERE = "config/experiments/concurrent_streams.yaml"
_KEY = "families.concurrent_streams.scale"


class Scale(stream_factors.Probing):
    """How much a profile measures."""

    file_seconds: Seconds = Field(gt=0, description="length of each reader's file at its rate; read again when it ends")
    smallest_file: Size = Field(default=ByteSize(0), description="bytes of a reader's file at least")
    unpaced_streams: int = Field(
        ge=1, le=2048, description="readers that are not held to the rate, to find where to begin"
    )


def factors(chosen: dict[str, str], scale: Scale, size: int) -> dict[str, Any]:
    """The factors `rate` and `streams` on a device of `size` bytes; chosen: rate, and cache (direct or buffered).

    Raises UserError where a rate is unknown, or the files of even one reader do not fit.
    """
    unknown = chosen.keys() - {"rate", "cache"}
    if unknown:
        raise UserError(f"{_WHERE}: unknown factor {sorted(unknown)[0]}", "there are: rate, cache")
    speed = stream_rate.resolve(chosen.get("rate", "25-mbit"), _WHERE)
    cache = chosen.get("cache", "direct")
    if cache not in CACHES:
        raise UserError(f"{_WHERE}: no cache is called {cache!r}", f"there are: {', '.join(CACHES)}")
    probing = stream_factors.Probing(**{name: getattr(scale, name) for name in stream_factors.Probing.model_fields})
    streams = stream_factors.factors(probing, speed, CACHES[cache])
    block = streams["block_bytes"]
    file_bytes = ceil(max(speed["bytes_per_second"] * scale.file_seconds, scale.smallest_file) / block) * block
    if not streams["direct"] and file_bytes < stream_factors.demand(speed, streams).writer_bytes:
        raise ProfileError(
            f"{_KEY}.file_seconds: {scale.file_seconds:g} is shorter than a probe, and files that are read "
            "through the page cache twice are not read from the disk",
            "raise it above probe_seconds",
        )
    room = int(FULLEST * size) - scale.writers * stream_factors.demand(speed, streams).writer_bytes
    fitting = min(scale.most_streams, room // file_bytes)
    if fitting < 1:
        raise ProfileError(
            f"{_KEY}.file_seconds: a file of {file_bytes} bytes and {scale.writers} recordings does not "
            f"fit {FULLEST:.0%} of {size} bytes",
            "lower file_seconds, or raise image_size",
        )
    return {
        "rate": speed,
        "streams": streams | {"most_streams": fitting},
        "file_bytes": file_bytes,
        "unpaced_streams": min(scale.unpaced_streams, fitting),
    }


def expected(factors: dict[str, Any], size: int) -> tuple[float, float]:
    """Seconds at any speed, and bytes moved: the trials of one search."""
    return stream_factors.expected_seconds(factors["streams"]), 0.0


def steps(repetition: Repetition) -> None:
    """Find the largest number of streams of one filesystem."""
    volume.require(repetition)
    repetition.need_tools([fio.TOOL], fio.PACKAGE)
    volume.make(repetition, _LIMIT_SECONDS)
    volume.mount(repetition, _LIMIT_SECONDS)
    wanted = stream_factors.demand(repetition.factors["rate"], repetition.factors["streams"])
    library = Library(repetition, repetition.factors["file_bytes"], wanted.block_bytes)
    with media.scratch(Path(repetition.declared.source_directory)) as logs:
        prober = Prober(repetition, wanted, Place(library.readers, repetition.testbed.mount_point, logs))
        speed = prober.unpaced(repetition.factors["unpaced_streams"])
        found = prober.largest(int(speed / wanted.bytes_per_second))
    repetition.measure("streams_sustained_count", found.sustained)
    repetition.measure("streams_failed_count", found.failed or 0)
    repetition.measure("streams_read_bytes_per_second", speed)
    volume.unmount(repetition, _LIMIT_SECONDS)


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
