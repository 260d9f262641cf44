"""Family `file_creation`: single files of growing size, and the same bytes as many small and as few large files.

These are the two tests of section 4.1.6 of study 001. What was decided, and why:

- The source wrote with dd, one process for each file. fio writes the same way, 1 MiB at a time and one request after
  the other, but from a single process: half a million starts of dd would be timed as if the filesystem were slow. And
  its content cannot be compressed, where dd has /dev/zero, or the processor's speed with /dev/urandom.
- `direct` bypasses the page cache, as the source's second test did; `cached` writes as most programs do.
- The time is that of fio's job, from its first open to its last write, and of the sync of the filesystem after it.
  With `direct` the sync writes little more than metadata. The start and end of fio are in neither.
- No file is preallocated: dd does not do it, and it would hide how a filesystem finds space while a file grows.
- A layout's name says what is written, whatever the profile; its GB and MB are GiB and MiB, which is what the source's
  dd counts in. Many and few files are declared with the same bytes in all.
"""

import re
from typing import Any

from spindlemark.core.errors import UserError
from spindlemark.core.metric import Metric
from spindlemark.core.outcome import Unsupported
from spindlemark.core.process.interrupts import interruptible
from spindlemark.core.record import Closed
from spindlemark.families.factors import volume
from spindlemark.families.factors.control import CONTROL
from spindlemark.families.factors.filesystem import FILESYSTEM
from spindlemark.families.factors.scheduler import SCHEDULER
from spindlemark.families.family import Family
from spindlemark.harness import fill_check, fio
from spindlemark.harness.repetition import Repetition, Step
from spindlemark.harness.work import work
from spindlemark.testbeds import direct_io

METHOD = 3
FACTORS = (FILESYSTEM, SCHEDULER, CONTROL)
TOOLS = {fio.PACKAGE: (fio.TOOL, "--version")}

METRICS = {
    "creation_seconds": Metric(
        title="Creation",
        unit="s",
        step="creation",
        formula='fio("create", "write", "runtime") / 1000 + seconds("sync")',
        better="lower",
        description="all files written one after the other, and the sync of the filesystem",
    ),
    "creation_sync_seconds": Metric(
        title="Sync after creation",
        unit="s",
        step="creation_sync",
        formula='seconds("sync")',
        better="lower",
        description="the sync's part of creation_seconds",
    ),
    "creation_bytes_per_second": Metric(
        title="Creation throughput",
        unit="B/s",
        step="creation",
        timed_by="creation_seconds",
        moves="written",
        formula="files * file_bytes / creation_seconds",
        better="higher",
        description="payload of all files over creation_seconds",
    ),
    **work("creation", "Creation", "fio and the sync"),
}

MIB, GIB = 2**20, 2**30
ONE = re.compile(r"one-([1-9]\d{0,2})-gb")
MANY = re.compile(r"([1-9]\d{0,5})-files-([1-9]\d{0,4})mb")
CACHES = ("direct", "cached")
# Longest time of one command: as if the device wrote 2 MB/s and 20 files/s. A hung tool is what it must find.
_START_SECONDS, _SLOWEST_BYTES, _SLOWEST_FILES = 300.0, 2e6, 20.0
# fio keeps what it knows of each file in a pool of KiB; its own default holds about 400,000.
_POOL_KIB = 16384


class Scale(Closed):
    """Nothing: a layout names its own sizes."""


def factors(chosen: dict[str, str], scale: Scale, size: int) -> dict[str, Any]:
    """Layout and cache with exact counts and bytes; raises UserError naming what is not known or does not fit."""
    where = "config/experiments/file_creation.yaml: sets: factors"
    for key in chosen.keys() - {"layout", "cache"}:
        raise UserError(f"{where}: {key}: the family has no such factor", "there are: layout, cache")
    if chosen.get("cache") not in CACHES:
        raise UserError(f"{where}: cache: there is no {chosen.get('cache')!r}", f"use {', '.join(CACHES)}")
    sizes = _sizes(chosen.get("layout", ""))
    if sizes is None:
        raise UserError(
            f"{where}: layout: there is no {chosen.get('layout')!r}", "use one-4-gb or 5000-files-1mb, with any number"
        )
    files, file_bytes = sizes
    fill_check.require_fit(files * file_bytes, size, chosen["layout"], "file_creation")
    return {**chosen, "files": files, "file_bytes": file_bytes, "block_bytes": MIB}


def _sizes(layout: str) -> tuple[int, int] | None:
    """Number of files and bytes of each; None for a name that says neither."""
    if one := ONE.fullmatch(layout):
        return 1, int(one[1]) * GIB
    many = MANY.fullmatch(layout)
    return (int(many[1]), int(many[2]) * MIB) if many else None


def expected(factors: dict[str, Any], size: int) -> tuple[float, float]:
    """Seconds at any speed, and bytes moved: every file once."""
    return 0.0, float(factors["files"] * factors["file_bytes"])


def steps(repetition: Repetition) -> None:
    """Create the files on a new filesystem, and sync it."""
    volume.require(repetition)
    repetition.need_tools([fio.TOOL], fio.PACKAGE)
    files, payload = repetition.factors["files"], repetition.factors["files"] * repetition.factors["file_bytes"]
    limit = _START_SECONDS + payload / _SLOWEST_BYTES + files / _SLOWEST_FILES
    volume.make(repetition, limit)
    volume.mount(repetition, limit)
    point = repetition.testbed.mount_point
    bypass = repetition.factors["cache"] == "direct"
    if bypass and not direct_io.supported(point):
        raise Unsupported(
            f"{repetition.factors['filesystem']['name']} takes no direct I/O here: only `cached` can be measured"
        )
    (point / "created").mkdir()

    with repetition.step("create") as create:
        fio.run(repetition, _job(repetition.factors, point / "created", bypass), limit, "fio")
    if bypass:
        repetition.require(
            "cold_proof",
            create.written_bytes >= payload,
            create.written_bytes,
            payload,
            "B",
            "bytes that the device wrote before the sync, from its own counter, against the payload",
        )
    with repetition.step("sync", cold=False) as sync:
        repetition.run(["sync", "-f", point], limit)
    _measure(repetition, create, sync, payload)


def _job(factors: dict[str, Any], folder: Any, bypass: bool) -> list[str]:
    """Fio's job: open, write and close one file after the other."""
    return [
        f"--alloc-size={_POOL_KIB + factors['files']}",
        "--name=create",
        f"--directory={folder}",
        f"--nrfiles={factors['files']}",
        f"--filesize={factors['file_bytes']}",
        f"--size={factors['files'] * factors['file_bytes']}",
        f"--bs={factors['block_bytes']}",
        "--rw=write",
        "--ioengine=psync",
        f"--direct={int(bypass)}",
        "--fallocate=none",
        "--create_on_open=1",
        "--openfiles=1",
        "--file_service_type=sequential",
        "--thread",
    ]


def _measure(repetition: Repetition, create: Step, sync: Step, payload: int) -> None:
    for metric in ("creation_seconds", "creation_sync_seconds", "creation_bytes_per_second"):
        repetition.compute(metric)
    repetition.measure_work("creation", create, sync)
    written = create.written_bytes + sync.written_bytes
    repetition.require(
        "cold_proof",
        written >= payload,
        written,
        payload,
        "B",
        "bytes that the device wrote until the sync ended, from its own counter, against the payload",
    )
    with interruptible():
        files, size = fill_check.tally(repetition.testbed.mount_point / "created")
    repetition.require(
        "completeness",
        files == repetition.factors["files"],
        files,
        repetition.factors["files"],
        "1",
        "files that were created",
    )
    repetition.require("completeness", size == payload, size, payload, "B", "bytes that they hold")
    fill_check.require_space(repetition)


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
