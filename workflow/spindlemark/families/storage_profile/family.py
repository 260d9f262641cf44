"""Family `storage_profile`: the speed of a filesystem on a device under the loads of two well-known benchmarks.

- The profile of CrystalDiskMark 8, by fio: one test file, direct I/O, all reads and then all writes, each for a fixed time.
  Latency is that of the whole request, from its submission: some filesystems do their work there.
- bonnie++ 2, with the options of section 4.2.3 of study 001 (-b, an fsync after each operation on a file), each of its
  tests on cold caches: see harness/bonnie.py. Metrics that mean what figures 13 and 14 print have their names.

What was decided, and why:

- Where a filesystem takes no direct I/O, fio goes through the page cache, the record says so (storage_profile.direct_io),
  and the gate decides: what came out of memory is invalid.
- Some filesystems take direct I/O and then write through the page cache all the same (btrfs with checksums, NILFS2). They
  write to the device before they answer, so the figures are the device's, with the filesystem's own work.
- The engine is what can queue requests with this kernel; the record names it (storage_profile.engine).
- A rate that bonnie++ does not print, since its test ended within half a second, is not recorded; the environment says so
  (absent.<metric>).
- bonnie++ writes almost only zeros: a filesystem that compresses them does not pass the gate.
"""

from pathlib import Path
from typing import Any

from pydantic import Field

from spindlemark.core import bonnie_output
from spindlemark.core.errors import ProfileError, UserError
from spindlemark.core.limits import Seconds, Size
from spindlemark.core.metric import OF_MANY, Metric
from spindlemark.core.record import Closed
from spindlemark.families.factors import volume
from spindlemark.families.factors.control import CONTROL
from spindlemark.families.factors.filesystem import FILESYSTEM
from spindlemark.families.factors.scheduler import SCHEDULER
from spindlemark.families.family import Family
from spindlemark.harness import bonnie, fill_check, fio
from spindlemark.harness.fio_loads import DIRECTIONS, LOADS, MOST_IN_FLIGHT, title, what, words
from spindlemark.harness.repetition import Repetition
from spindlemark.testbeds import direct_io

METHOD = 1
FACTORS = (FILESYSTEM, SCHEDULER, CONTROL)
TOOLS = {fio.PACKAGE: (fio.TOOL, "--version"), bonnie.PACKAGE: (bonnie.TOOL, "-h")}

# fio's names of the percentiles of latency, and what they are.
PERCENTILES = {
    "median": ("50.000000", "time within which half of the requests ended"),
    "p95": ("95.000000", "time within which 95 % of the requests ended"),
    "p99": ("99.000000", "time within which 99 % of the requests ended"),
}
MIB, FILES_UNIT, SEEKS = 2**20, 1024, 8192
# Longest time of one command: as if the device wrote 2 MB/s and 20 files/s. A hung tool is what it must find.
_START_SECONDS, _SLOWEST_BYTES, _SLOWEST_OPERATIONS = 300.0, 2e6, 20.0


def _fio_metrics() -> dict[str, Metric]:
    found = {}
    for load in LOADS:
        for way in DIRECTIONS:
            stem, name, load_text = f"{load}_{way}", title(load, way), what(load, way)
            found[f"{stem}_bytes_per_second"] = Metric(
                title=name,
                unit="B/s",
                step=stem,
                formula=f'fio("{stem}", "{way}", "bw_bytes")',
                better="higher",
                description=load_text,
            )
            found[f"{stem}_iops_per_second"] = Metric(
                title=f"{name}, requests",
                unit="1/s",
                step=stem,
                formula=f'fio("{stem}", "{way}", "iops")',
                better="higher",
                description=f"requests per second: {load_text}",
            )
            for point, (key, means) in PERCENTILES.items():
                found[f"{stem}_latency_{point}_seconds"] = Metric(
                    title=f"{name}, {point} latency",
                    unit="s",
                    step=f"{stem}_latency_{point}",
                    formula=f'fio("{stem}", "{way}", "lat_ns", "percentile", "{key}") / 1e9',
                    better="lower",
                    exact="fio counts latencies in classes that are up to 1.6 % wide, and reports the bound of a class",
                    shortest_seconds=OF_MANY,
                    description=f"{means}: {load_text}",
                )
    return found


def _bonnie_metrics() -> dict[str, Metric]:
    what = {
        "sequential_write_char": "one byte at a time",
        "sequential_write": "8 KiB at a time, fsync included",
        "sequential_rewrite": "read 8 KiB, change them, write them back",
        "sequential_read_char": "one byte at a time",
        "sequential_read": "8 KiB at a time",
        "seeks": f"{SEEKS} reads of 8 KiB at random places by 5 processes, one in ten written back",
        "sequential_create": "empty files in the order of their names",
        "sequential_stat": "in that order",
        "sequential_delete": "in that order",
        "random_create": "empty files with random names",
        "random_stat": "in random order",
        "random_delete": "in random order",
    }
    found = {}
    for test in bonnie_output.TESTS:
        title = f"bonnie++ {test.replace('_', ' ')}"
        found[bonnie_output.rate(test)] = Metric(
            title=title,
            unit=bonnie_output.rate_unit(test),
            step=test,
            formula=f'bonnie("{bonnie_output.rate(test)}")',
            better="higher",
            description=what[test],
        )
        found[bonnie_output.latency(test)] = Metric(
            title=f"{title}, longest latency",
            unit="s",
            step=f"{test}_latency_longest",
            formula=f'bonnie("{bonnie_output.latency(test)}")',
            better="lower",
            shortest_seconds=OF_MANY,
            description=f"longest time of one operation: {what[test]}",
        )
    return found


METRICS = _fio_metrics() | _bonnie_metrics()


class Scale(Closed):
    """How large the files are and how long it lasts."""

    file_size: Size = Field(gt=0, description="bytes of fio's test file")
    seconds: Seconds = Field(gt=0, description="seconds of each of fio's eight loads")
    bonnie_size: Size = Field(gt=0, description="bytes of bonnie++'s large file")
    bonnie_char_size: Size = Field(ge=0, description="bytes that bonnie++ writes and reads one by one; 0: not at all")
    bonnie_files: int = Field(
        ge=0,
        le=FILES_UNIT << 20,
        multiple_of=FILES_UNIT,
        description="small files that bonnie++ makes, a multiple of 1024; 0: none",
    )


def factors(chosen: dict[str, str], scale: Scale, size: int) -> dict[str, Any]:
    """Sizes and times; raises UserError when a factor is not known or a file does not fit `size` bytes."""
    for key in chosen:
        raise UserError(
            f"config/experiments/storage_profile.yaml: sets: factors: {key}: the family has no such factor", "remove it"
        )
    for key in ("file_size", "bonnie_size", "bonnie_char_size"):
        if getattr(scale, key) % MIB:
            raise ProfileError(f"families.storage_profile.scale.{key} is not in whole MiB", "round it")
    fill_check.require_fit(max(scale.file_size, scale.bonnie_size), size, "its largest file", "storage_profile")
    return {
        "file_bytes": int(scale.file_size),
        "seconds": scale.seconds,
        "bonnie_bytes": int(scale.bonnie_size),
        "bonnie_char_bytes": int(scale.bonnie_char_size),
        "bonnie_files": scale.bonnie_files,
    }


def expected(factors: dict[str, Any], size: int) -> tuple[float, float]:
    """Seconds at any speed, and bytes moved: eight loads by fio, and what bonnie++ writes, rewrites and reads."""
    return 8 * (factors["seconds"] + 0.5) + 4, 4.0 * factors["bonnie_bytes"]


def steps(repetition: Repetition) -> None:
    """Both profiles on a new filesystem."""
    volume.require(repetition)
    repetition.need_tools([fio.TOOL], fio.PACKAGE)
    repetition.need_tools([bonnie.TOOL], bonnie.PACKAGE)
    engine = direct_io.engine(MOST_IN_FLIGHT)
    volume.make(repetition, _START_SECONDS)
    volume.mount(repetition, _START_SECONDS)
    bypass = direct_io.supported(repetition.testbed.mount_point)
    repetition.note({"storage_profile.engine": engine, "storage_profile.direct_io": bypass})
    _fio(repetition, engine, bypass)
    _bonnie(repetition)


def _fio(repetition: Repetition, engine: str, bypass: bool) -> None:
    """Write the test file, load it in eight ways, and take it away."""
    size, seconds = repetition.factors["file_bytes"], repetition.factors["seconds"]
    file = repetition.testbed.mount_point / "profile"
    limit = _START_SECONDS + size / _SLOWEST_BYTES + 8 * seconds
    with repetition.step("profile") as step:
        layout, *jobs = fio.run(repetition, _jobs(file, size, bypass, engine, seconds), limit, "fio")["jobs"]
    _require(repetition, "fio's reads", step.read_bytes, sum(_moved(job, "read", size) for job in jobs), "read")
    _require(
        repetition,
        "fio's writes",
        step.written_bytes,
        layout["write"]["io_bytes"] + sum(_moved(job, "write", size) for job in jobs),
        "wrote",
    )
    for job in jobs:
        _measure_load(repetition, job["jobname"])
    file.unlink()


def _jobs(file: Path, size: int, bypass: bool, engine: str, seconds: float) -> list[str]:
    """The job that writes the test file, and one job per load after it."""
    given = [
        "--name=global",
        f"--filename={file}",
        f"--size={size}",
        f"--direct={int(bypass)}",
        "--fallocate=none",
        "--name=layout",
        "--rw=write",
        "--bs=1m",
        "--ioengine=psync",
        "--end_fsync=1",
        "--name=global",
        f"--ioengine={engine}",
        "--time_based",
        f"--runtime={round(seconds * 1000)}ms",
        "--thread",
        "--group_reporting",
        "--lat_percentiles=1",
        "--clat_percentiles=0",
        "--stonewall",
    ]
    return [*given, *(word for way in DIRECTIONS for load in LOADS for word in words(load, way))]


def _moved(job: dict[str, Any], way: str, size: int) -> int:
    """Bytes that a load must have moved on the device.

    Requests at random places that are in flight together may meet in one block: in that many of them, at most, a
    filesystem that goes through the page cache answers two with one transfer.
    """
    load = LOADS[job["jobname"].rpartition("_")[0]]
    met = load.in_flight * load.block_bytes / size if load.at_random else 0.0
    return round(job[way]["io_bytes"] * max(0.0, 1 - met))


def _measure_load(repetition: Repetition, name: str) -> None:
    repetition.compute(f"{name}_bytes_per_second")
    repetition.compute(f"{name}_iops_per_second")
    for point in PERCENTILES:
        repetition.compute(f"{name}_latency_{point}_seconds")


def _bonnie(repetition: Repetition) -> None:
    size, files = repetition.factors["bonnie_bytes"], repetition.factors["bonnie_files"]
    char = repetition.factors["bonnie_char_bytes"] // MIB
    limit = _START_SECONDS + 4 * size / _SLOWEST_BYTES + (SEEKS + 6 * files) / _SLOWEST_OPERATIONS
    with repetition.step("bonnie"):
        done = bonnie.run(
            repetition,
            [
                "-d",
                repetition.testbed.mount_point,
                "-u",
                "root",
                "-m",
                "spindlemark",
                "-r",
                "0",
                "-s",
                f"{size // MIB}:8k:{SEEKS}",
                "-n",
                str(files // FILES_UNIT),
                "-b",
                "-z",
                "1",
                f"-f{char}" if char else "-f",
            ],
            limit,
            "bonnie",
        )
    repetition.note(
        {f"absent.{bonnie_output.rate(test)}": "ended too soon for bonnie++ to report it" for test in done.too_fast}
    )
    for test, word in (
        ("sequential_write", "wrote"),
        ("sequential_rewrite", "read"),
        ("sequential_rewrite", "wrote"),
        ("sequential_read", "read"),
    ):
        moved = done.tests[test]["written_bytes" if word == "wrote" else "read_bytes"]
        _require(repetition, f"bonnie++ {test.replace('_', ' ')}", moved, size, word)
    for metric in done.values:
        repetition.compute(metric)


def _require(repetition: Repetition, what: str, moved: int, bound: int, word: str) -> None:
    repetition.require(
        "cold_proof",
        moved >= bound,
        moved,
        bound,
        "B",
        f"bytes that the device {word}, from its own counter, against {what}",
    )


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
