"""Family `raw_storage_cache`: the gain of a page cache between an AAF library and its storage, by the storage's delay.

Study 000 reports that the AAF SDK's cached raw storage made ScaleTest slower everywhere, without a figure. Here its graph
of objects (shared/aaf/graph.py) is written and read by pyaaf2, over caches of our own and over storage that takes its time. What was
decided, and why:

- `none`: each call of the library that moves bytes is one request. `buffer-8-kib` is what Python's own `open` puts between, and
  so what who does nothing has. The others are pages, least recently used first out, written back.
- Storage: a file on the disk; the same file behind nbdkit, whose filter delays each request; and behind a small web server, in
  ranges, read only. All at Unix sockets: a delay is that of a request, nothing of a network's bandwidth is in it.
- Time is the process's own, from before the file is opened until its device has all of it (fsync, or the flush of a network
  block device), without the start of Python. It is processor time plus requests times delay.
- With seeded identifiers and clocks every cache writes the same bytes, and has to: the gate is their SHA-1. nbdkit counts
  requests by itself, and has to agree with our count.
- pyaaf2 is written in Python, the source's SDK in C++: seconds on a local disk say more of the language than of the cache;
  requests and bytes say the same for both.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from spindlemark.core.errors import UserError
from spindlemark.core.metric import OWN_CLOCK, Metric
from spindlemark.core.process import programs
from spindlemark.core.record import Closed
from spindlemark.families.factors import volume
from spindlemark.families.factors.filesystem import FILESYSTEM
from spindlemark.families.factors.scheduler import SCHEDULER
from spindlemark.families.family import Family
from spindlemark.families.shared import media
from spindlemark.families.shared.aaf import aaf_client, graph
from spindlemark.families.shared.block_storage import storage_server
from spindlemark.families.shared.block_storage.storage_client import (
    KIB,
    MIB,
    READ,
    WRITE,
    ask,
    make_empty,
    require_counted,
    require_moved,
    room,
)
from spindlemark.families.shared.block_storage.storage_server import STORAGES, Served
from spindlemark.families.shared.block_storage.storage_stack import BUFFER, NONE, PAGES, Below, Took
from spindlemark.families.shared.choices import require_known
from spindlemark.harness import fill_check
from spindlemark.harness.repetition import Repetition

METHOD = 3
FACTORS = (FILESYSTEM, SCHEDULER)
TOOLS = {"pyaaf2": programs.version_of("pyaaf2"), "nbdkit": (storage_server.TOOL, "--version")}

_NO_PAGES = {"page_bytes": 0, "pages": 0}
CACHES: dict[str, dict[str, Any]] = {
    NONE: {"kind": NONE, **_NO_PAGES},
    "buffer-8-kib": {"kind": BUFFER, **_NO_PAGES},
} | {
    f"{size // KIB}-kib-x-{pages}" if size < MIB else f"{size // MIB}-mib-x-{pages}": {
        "kind": PAGES,
        "page_bytes": size,
        "pages": pages,
    }
    for size, pages in ((4 * KIB, 16), (4 * KIB, 4096), (64 * KIB, 4), (64 * KIB, 16), (64 * KIB, 256), (MIB, 4))
}
# Sources in the file, each four objects of media and about 10 KB: 4,000 of them are more than the largest cache holds.
SOURCES = {f"{count}-sources": count for count in (1, 10, 100, 1000, 4000)}
_WHERE = "config/experiments/raw_storage_cache.yaml: sets: factors"
# Longest time of one command, as if a source took a second and 2,000 requests: a hung server is what it must find.
_START_SECONDS, _SECONDS, _REQUESTS = 120.0, 1.0, 2000
_MODEL_SECONDS = 600.0

METRICS = {
    "elapsed_seconds": Metric(
        title="Time",
        unit="s",
        step="elapsed",
        better="lower",
        shortest_seconds=OWN_CLOCK,
        description=("from before the file is opened until all of it is read, or stored on its device"),
    ),
    "cpu_seconds": Metric(
        title="Processor time",
        unit="s",
        step="cpu",
        better="lower",
        shortest_seconds=OWN_CLOCK,
        description="user and system time of the process in elapsed_seconds",
    ),
    "reads_count": Metric(
        title="Requests to read", unit="1", kind="count", better="lower", description="that the storage was asked for"
    ),
    "writes_count": Metric(
        title="Requests to write", unit="1", kind="count", better="lower", description="that the storage was asked for"
    ),
    "read_bytes": Metric(title="Bytes read", unit="B", better="lower", description="from the storage, by all requests"),
    "written_bytes": Metric(
        title="Bytes written", unit="B", better="lower", description="to the storage, by all requests"
    ),
}


class Scale(Closed):
    """Nothing: an experiment names its number of sources."""


def factors(chosen: dict[str, str], scale: Scale, size: int) -> dict[str, Any]:
    """Cache, storage, way and sources; raises UserError naming what is not known or does not fit."""
    known: dict[str, Any] = {"cache": CACHES, "storage": STORAGES, "way": (WRITE, READ), "sources": SOURCES}
    require_known(chosen, known, "raw_storage_cache")
    storage = STORAGES[chosen["storage"]]
    if storage["kind"] == storage_server.HTTP and chosen["way"] == WRITE:
        raise UserError(
            f"{_WHERE}: way: {chosen['storage']} cannot be written", "let it be read only, in a set of its own"
        )
    sources = SOURCES[chosen["sources"]]
    fill_check.require_fit(_room(sources), size, "its file", "raw_storage_cache")
    return {
        "cache": {"name": chosen["cache"], **CACHES[chosen["cache"]]},
        "storage": {"name": chosen["storage"], **storage},
        "way": chosen["way"],
        "sources": sources,
        "sector_bytes": 4096,
    }


def expected(factors: dict[str, Any], size: int) -> tuple[float, float]:
    """Seconds at any speed, and bytes moved: about what was tried, 18,000 requests to write without a cache, 230 to read."""
    buffered = {NONE: 1.0, BUFFER: 0.35}.get(
        factors["cache"]["kind"], 200 * KIB / max(1, factors["cache"]["page_bytes"]) / 1000
    )
    requests = (
        18_000 + 120 * factors["sources"] if factors["way"] == WRITE else 230 + 3 * factors["sources"]
    ) * buffered
    return 2.0 + 0.01 * factors["sources"] + requests * factors["storage"]["delay_ms"] / 1000, 2.0 * _room(
        factors["sources"]
    )


def recipe(settings: Mapping[str, str]) -> list[str]:
    """How a program gets the cache: Python's own buffer is a word of its `open`, the others are a file object."""
    cache = CACHES.get(settings.get("cache.name", ""))
    if cache is None:
        return []
    if cache["kind"] == PAGES:
        pages, size = cache["pages"], cache["page_bytes"]
        return [
            f"# Between library and file {pages} pages of {size} bytes: the one longest not used goes first, and is written then.",
            f"# The AAF SDK has that: AAFCreateRawStorageCached(storage, {pages}, {size}, &cached)",
        ]
    return [f"aaf2.open('FILE.aaf', 'rw', buffering={0 if cache['kind'] == NONE else 8192})"]


def steps(repetition: Repetition) -> None:
    """Write the file without a cache in memory, then write it, or read it, over the storage."""
    f, limit = repetition.factors, _START_SECONDS + repetition.factors["sources"] * _SECONDS
    volume.require(repetition)
    storage_server.require(repetition, f["storage"])
    volume.make(repetition, limit, cold=False)
    volume.mount(repetition, limit, cold=False)
    limit += _REQUESTS * (10 + f["sources"]) * f["storage"]["delay_ms"] / 1000
    shape, file = graph.Shape(f["sources"], f["sector_bytes"]), repetition.testbed.mount_point / "file.aaf"
    model = _model(repetition, shape)
    length = model.stat().st_size
    expected_sum = _digest(model, length)
    if f["way"] == READ:
        repetition.run(["cp", "--sparse=never", model, file], limit)
        repetition.run(["sync", "-f", file], limit)
    else:
        make_empty(file, f["storage"], _room(f["sources"]))
    with storage_server.serving(repetition, f["storage"], file) as served, repetition.step(f["way"]) as step:
        took = _client(repetition, served, shape, length if f["way"] == READ else 0, limit)
    require_moved(repetition, took, step, f["way"])
    require_counted(repetition, served, took)
    found = _digest(file, took.requests.length)
    repetition.require(
        "content",
        found == expected_sum,
        float(found != expected_sum),
        0.0,
        "1",
        "difference of the SHA-1 of the file and of the same written without a cache",
    )
    fill_check.require_space(repetition)
    for metric in ("reads_count", "writes_count"):
        repetition.measure(metric, getattr(took.requests, metric.removesuffix("_count")))
    repetition.measure("read_bytes", took.requests.read_bytes)
    repetition.measure("written_bytes", took.requests.written_bytes)
    repetition.measure("elapsed_seconds", took.seconds)
    repetition.measure("cpu_seconds", took.cpu_seconds)
    volume.unmount(repetition, limit)


def _model(repetition: Repetition, shape: graph.Shape) -> Path:
    """The same file written in memory without a cache, kept for the next cache: a large one takes half a minute."""

    def make(folder: Path) -> None:
        words = ["write", folder / "file.aaf", shape.sources, shape.sector_bytes, shape.essence_bytes]
        program = [*programs.PYTHON, "-m", "spindlemark.families.shared.aaf"]
        repetition.run([*program, *map(str, words)], _MODEL_SECONDS)

    key = ["raw_storage_cache", asdict(shape), repetition.spec.experiment.fingerprint["tools"]]
    return media.kept(key, Path(repetition.declared.source_directory), make) / "file.aaf"


def _client(repetition: Repetition, served: Served, shape: graph.Shape, length: int, limit: float) -> Took:
    cache, way = repetition.factors["cache"], repetition.factors["way"]
    place = Below(
        repetition.factors["storage"]["kind"],
        str(served.at),
        length,
        way == WRITE,
        cache["kind"],
        cache["page_bytes"],
        cache["pages"],
    )
    return ask(repetition, aaf_client.__name__, {"below": asdict(place), "shape": asdict(shape)}, limit)


def _room(sources: int) -> int:
    """Bytes that a file of so many sources certainly fits in: about twice the tried sizes, in whole MiB."""
    return room(2 * MIB, 24 * KIB, sources)


def _digest(file: Path, length: int) -> str:
    """SHA-1 of the first `length` bytes."""
    whole = hashlib.sha1(usedforsecurity=False)
    with file.open("rb") as opened:
        while length and (piece := opened.read(min(length, MIB))):
            whole.update(piece)
            length -= len(piece)
    return whole.hexdigest()


FAMILY = Family(
    method=METHOD,
    metrics=METRICS,
    steps=steps,
    expected=expected,
    shared=FACTORS,
    scale=Scale,
    factors=factors,
    tools=TOOLS,
    recipe=recipe,
)
