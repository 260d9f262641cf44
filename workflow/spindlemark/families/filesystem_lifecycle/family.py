"""Family `filesystem_lifecycle`: time and space to format, fill, check and empty a filesystem with a media library.

The order is that of section 3.2 of study 001. What was decided, and why:

- Files have their real sizes; a profile measures a part of their number. The memory of the commands is limited, so that
  a library is larger than the page cache and a copy reaches the disk at the disk's own pace (factor `memory`).
- After the check the library is used as people use it: listed, compared with a backup, opened at random, read whole and
  verified (reading.py). A step that is over in a moment is repeated on cold caches until its runs last a second together.
- The library is copied by one `cp -a` from memory into the new folder `library` of the filesystem, so what mkfs itself
  makes there (lost+found) is neither counted nor deleted. `rm -rf` deletes that folder.
- Copy and delete include the sync of that filesystem, and delete the unmount too: btrfs does delayed deletes there. A
  time without them measures the page cache.
- Each step but the unmount after the copy begins on cold caches. What is read between steps (used space, count of
  files) is outside the clocks.
- ext4 as mkfs sets it up by default leaves its inode tables to a kernel thread that zeroes them after the first mount.
  It begins up to five seconds after that and goes on a group at a time, and an unmount ends it: a copy that is over by
  then has nothing of that work, a longer one has it in its time and in the bytes that the device wrote. It is left so,
  as anyone who formats with default settings has it. A variant with `-E lazy_itable_init=0` pays it in the format step.
- Formatting is measured once, on the image as it was allocated: a second mkfs would find its blocks written already.
"""

from pathlib import Path
from typing import Any

from spindlemark.core.outcome import Broken, Failed
from spindlemark.core.process.interrupts import interruptible
from spindlemark.families.factors import filesystem_life, memory, volume
from spindlemark.families.factors.control import CONTROL
from spindlemark.families.factors.filesystem import FILESYSTEM
from spindlemark.families.factors.library import LIBRARY
from spindlemark.families.factors.memory import MEMORY
from spindlemark.families.factors.scheduler import SCHEDULER
from spindlemark.families.family import Family
from spindlemark.families.filesystem_lifecycle import reading
from spindlemark.families.filesystem_lifecycle.metrics import METRICS
from spindlemark.families.shared import media
from spindlemark.harness import fill_check
from spindlemark.harness.repetition import Repetition, Step

METHOD = 4
FACTORS = (FILESYSTEM, LIBRARY, SCHEDULER, MEMORY, CONTROL)
TOOLS = {
    "coreutils": ("cp", "--version"),
    "findutils": ("find", "--version"),
    "rsync": ("rsync", "--version"),
    "xxhash": ("xxh128sum", "--version"),
}

# Longest time of one command: as if the device wrote 2 MB/s and 20 files/s. A hung tool is what it must find.
_START_SECONDS, _SLOWEST_BYTES, _SLOWEST_FILES = 300.0, 2e6, 20.0


def expected(factors: dict[str, Any], size: int) -> tuple[float, float]:
    """Seconds at any speed, and bytes moved: the library is copied once and read twice; short steps are repeated."""
    return 6.0, 3.0 * factors["library"]["total"]


def steps(repetition: Repetition) -> None:
    """Measure one life of a filesystem."""
    library = repetition.factors["library"]
    volume.require(repetition)
    filesystem_life.require_fit(repetition)
    limit = _START_SECONDS + library["total"] / _SLOWEST_BYTES + library["files"] / _SLOWEST_FILES
    folder = Path(repetition.declared.source_directory)
    with interruptible():
        source = media.cached(library, folder)
        media.checksums(library, folder)
    with memory.limit(repetition):
        _life(repetition, source, library, limit)


def _life(repetition: Repetition, source: Path, library: dict[str, Any], limit: float) -> None:
    point = repetition.testbed.mount_point
    filesystem_life.make(repetition, limit)

    with repetition.step("copy") as step:
        _copy(repetition, source, limit)
        sync = repetition.run(["sync", "-f", point], limit)
    _measure_copy(repetition, step, sync.seconds, point, library)

    volume.unmount(repetition, limit)
    repetition.compute("unmount_seconds")
    _check(repetition, limit)
    volume.mount(repetition, limit, "remount")
    reading.measure(repetition, source, library, point / filesystem_life.FOLDER, limit)

    filesystem_life.delete(repetition, limit)


def _copy(repetition: Repetition, source: Path, limit: float) -> None:
    try:
        repetition.run(["cp", "-a", source, repetition.testbed.mount_point / filesystem_life.FOLDER], limit)
    except Failed:
        if not media.is_whole(repetition.factors["library"], Path(repetition.declared.source_directory)):
            raise Broken("copy: the library was removed while it was copied") from None
        raise


def _check(repetition: Repetition, limit: float) -> None:
    if repetition.factors["filesystem"]["check"] is None:
        return
    with repetition.testbed.claimed() as device:
        reading.repeat(repetition, "check", [*repetition.factors["filesystem"]["check"], device], limit)


def _measure_copy(
    repetition: Repetition, step: Step, sync_seconds: float, point: Path, library: dict[str, Any]
) -> None:
    payload = library["total"]
    repetition.compute("copy_seconds")
    repetition.measure("copy_sync_seconds", sync_seconds)
    repetition.compute("copy_bytes_per_second")
    repetition.compute("copy_files_per_second")
    filesystem_life.measure_space(repetition)
    repetition.measure_work("copy", step)
    repetition.require(
        "cold_proof",
        step.written_bytes >= payload,
        step.written_bytes,
        payload,
        "B",
        "bytes that the device wrote during copy and sync, from its own counter, against the payload",
    )
    with interruptible():
        files, size = fill_check.tally(point / filesystem_life.FOLDER)
    repetition.require("completeness", files == library["files"], files, library["files"], "1", "files that arrived")
    repetition.require("completeness", size == payload, size, payload, "B", "bytes that arrived")
    fill_check.require_space(repetition)


FAMILY = Family(
    method=METHOD,
    metrics=METRICS,
    steps=steps,
    expected=expected,
    shared=FACTORS,
    tools=TOOLS,
)
