"""What people do with a library that is on the disk: list it, compare it with a backup, open it, read it, verify it."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from spindlemark.core.process import programs
from spindlemark.families.filesystem_lifecycle import random_reads
from spindlemark.families.filesystem_lifecycle.metrics import INSTANT
from spindlemark.families.shared import media
from spindlemark.harness.repetition import Repetition, drop_caches

OPENED, FIRST_BYTES = 500, 64 << 10  # files at most, and what a program reads of each for a thumbnail
FEWEST_OPENED = 100  # files; of fewer there is no 99th percentile
SEEKS, SEEK_BYTES, LARGE = 200, 1 << 20, 16 << 20  # positions, bytes at each, smallest file with a position to seek
# A short command is repeated on cold caches until its runs together last this long, or this often. A command that ends in an
# instant is not: users do not notice it, and dropping the caches takes most of a second.
LEAST_SECONDS, MOST_RUNS = 1.0, 5
_READ_ALL = 'exec find "$0" -type f -exec cat {} + > /dev/null'
_LIST_ALL = 'exec find "$0" -printf "%s %T@ %p\\n" > /dev/null'


def measure(repetition: Repetition, source: Path, library: dict[str, Any], folder: Path, limit: float) -> None:
    """Measure all of them on the library in `folder`, a copy of `source`, each on cold caches."""
    repeat(repetition, "scan", ["sh", "-c", _LIST_ALL, folder], limit)
    repeat(repetition, "backup", ["rsync", "-an", "--delete", "--itemize-changes", f"{source}/", f"{folder}/"], limit)
    _require_equal(repetition)
    paths = media.paths(library)
    if len(paths) >= FEWEST_OPENED:
        _random(repetition, "browse", [str(folder / path) for path in paths], OPENED, FIRST_BYTES, limit)
    # Not media.sizes: a virtual machine has the library, but not scipy, which computes its sizes.
    large = [str(folder / path) for path in paths if (source / path).stat().st_size >= LARGE]
    if large:
        _random(repetition, "seek", large, SEEKS, SEEK_BYTES, limit)
    in_memory = Path(repetition.declared.source_directory)
    with media.scratch(in_memory) as scratch:
        sums = scratch / "checksums"
        sums.write_text("".join(f"{digest}  {folder / path}\n" for digest, path in media.checksums(library, in_memory)))
        _whole(repetition, "read", ["sh", "-c", _READ_ALL, folder], library, limit)
        _whole(repetition, "verify", [media.CHECKSUM_TOOL, "--check", "--quiet", sums], library, limit)


def _whole(
    repetition: Repetition, name: str, argv: Sequence[str | Path], library: dict[str, Any], limit: float
) -> None:
    """Measure a command that reads every byte of the library."""
    with repetition.step(name) as step:
        repetition.run(argv, limit)
    repetition.compute(f"{name}_seconds")
    repetition.compute(f"{name}_bytes_per_second")
    repetition.measure_work(name, step)
    repetition.require(
        "cold_proof",
        step.read_bytes >= library["total"],
        step.read_bytes,
        library["total"],
        "B",
        f"bytes that the device read during {name}, from its own counter, against the payload",
    )


def repeat(repetition: Repetition, name: str, argv: Sequence[str | Path], limit: float) -> None:
    """Run one command as the step `name` on cold caches, again until it lasts, and measure the mean of its runs."""
    with repetition.step(name) as step:
        repetition.run(argv, limit)
        runs = 1
        while INSTANT <= step.seconds < LEAST_SECONDS and runs < MOST_RUNS:
            drop_caches()
            repetition.run(argv, limit)
            runs += 1
    repetition.compute(f"{name}_seconds")
    repetition.note({f"{name}.runs": runs})
    if f"{name}_cpu_seconds" in repetition.metrics:
        repetition.measure_work(name, step, runs=runs)


def _require_equal(repetition: Repetition) -> None:
    differing = len(repetition.commands[-1].stdout.splitlines())
    repetition.require(
        "completeness", differing == 0, differing, 0, "1", "files and folders that differ from the source, by rsync"
    )


def _random(repetition: Repetition, name: str, files: list[str], count: int, size: int, limit: float) -> None:
    """Read at random places with the program random_reads, and measure its median and 99th percentile."""
    task = {
        "files": files,
        "count": count,
        "bytes": size,
        "anywhere": name == "seek",
        "seed": repetition.number,
        "slowdown": repetition.slowdown,
    }
    with media.scratch(Path(repetition.declared.source_directory)) as scratch:
        given = scratch / "reads.json"
        given.write_text(json.dumps(task))
        with repetition.step(name):
            done = repetition.run([*programs.PYTHON, str(Path(random_reads.__file__)), given], limit)
    for key, value in json.loads(done.stdout).items():
        repetition.measure(f"{name}_{key}_seconds", value)
