"""Family `full_size_metadata`: format, inodes, space, check and delete at the full size of a disk and of the libraries.

These depend on the size of the disk and on the number of files, and not on the content of the files. So the device is a
sparse image, and files get space without content. What was decided, and why:

- Files are allocated by fallocate, in the order of the library. Their extents are unwritten, so nothing reads them.
- Filesystems that checksum content have no checksums for such extents: their check and delete would be too short. They
  are not measured then. Real zeros on a device that drops them took ten minutes for one library.
- mkfs.ext4 must not ask the device for zeros that stay allocated: a file in memory cannot do that, the kernel then
  writes zeros itself, and the kernel thread that zeroes inode tables would fill 12 GB of memory. So its journal is
  written, as it is where a disk lacks that command.
- The sparse image and the page cache are in the same memory: cold caches mean that the filesystem's own are dropped.
- A device that needs more memory than it has is a fault of the testbed, and not a result.
"""

import json
import os
from pathlib import Path
from typing import Any

from spindlemark.core.metric import Metric
from spindlemark.core.outcome import Failed, Unsupported
from spindlemark.core.process import programs
from spindlemark.core.process.interrupts import interruptible
from spindlemark.families.factors import filesystem_life, volume
from spindlemark.families.factors.control import CONTROL
from spindlemark.families.factors.filesystem import FILESYSTEM
from spindlemark.families.factors.library import LIBRARY_LAYOUT
from spindlemark.families.family import Family
from spindlemark.families.full_size_metadata import fill_program
from spindlemark.families.shared import media
from spindlemark.harness import fill_check
from spindlemark.harness.repetition import Repetition
from spindlemark.harness.work import work

_LACKS = "not measured where files have checksums of their content, which allocated space lacks (Btrfs)"


_WITHOUT_CHECKSUMS = "too short: allocated space lacks the checksums of content that written files have"


def _with(metric: Metric, **changes: str) -> Metric:
    return metric.model_copy(update=changes)


_FULL, _DELETE = filesystem_life.FULL_METRICS, filesystem_life.DELETE_METRICS
METRICS = {
    **filesystem_life.EMPTY_METRICS,
    "fill_seconds": Metric(
        title="Fill with metadata",
        unit="s",
        step="fill",
        better="lower",
        description="creation of all folders and files, allocation of their space without content, and the sync after it",
    ),
    "library_space_ratio": Metric(
        title="Space used",
        unit="1",
        kind="ratio",
        better="lower",
        description="free space that the library took (statvfs f_bfree, before and after) over the sum of all file sizes: "
        "half-filled blocks, folders and inodes, without what the format took; an estimate on btrfs",
    ),
    **_FULL,
    "used_after_copy_bytes": _with(_FULL["used_after_copy_bytes"], title="Used with library"),
    "free_after_copy_bytes": _with(_FULL["free_after_copy_bytes"], title="Free with library"),
    "unmount_seconds": Metric(
        title="Unmount", unit="s", step="unmount", better="lower", description="unmount after the fill"
    ),
    "check_seconds": Metric(
        title="Check",
        unit="s",
        step="check",
        better="lower",
        description=f"forced check of the unmounted filesystem on cold caches; {_LACKS}",
    ),
    **_DELETE,
    "delete_seconds": _with(
        _DELETE["delete_seconds"], description=f"{_DELETE['delete_seconds'].description}; {_LACKS}"
    ),
    **work("check", "Check", "the forced check"),
    **work("delete", "Delete", "rm, sync and unmount"),
}

KEEP_HOLES = ("env", "UNIX_IO_NOZEROOUT=1")  # a variable of e2fsprogs
# Longest time of one command, with 20 files/s. A hung tool is what it must find.
_START_SECONDS, _SLOWEST_FILES = 300.0, 20.0
# First guess: seconds of a repetition, and of each file or folder in all steps together.
_BASE_SECONDS, _SECONDS_EACH = 5.0, 1.2e-4


def expected(factors: dict[str, Any], size: int) -> tuple[float, float]:
    """Seconds of metadata; no content is moved."""
    return _BASE_SECONDS + _SECONDS_EACH * media.needed_inodes(factors["library"]), 0.0


def steps(repetition: Repetition) -> None:
    """Measure one life of a filesystem, filled with metadata alone.

    Raises UserError when the device ran out of memory, whatever the filesystem made of it.
    """
    volume.require(repetition)
    filesystem_life.require_fit(repetition)
    try:
        _live(repetition)
    except Failed:
        repetition.testbed.require_room()
        raise
    repetition.testbed.require_room()


def _live(repetition: Repetition) -> None:
    filesystem, limit = repetition.factors["filesystem"], _START_SECONDS + _files(repetition) / _SLOWEST_FILES
    filesystem_life.make(repetition, limit, KEEP_HOLES)
    free = _free(repetition)
    _fill(repetition, limit)
    filesystem_life.measure_space(repetition)
    taken = free - _free(repetition)
    repetition.measure("library_space_ratio", taken / repetition.factors["library"]["total"])
    _require_whole(repetition, taken)
    repetition.measure("unmount_seconds", volume.unmount(repetition, limit).seconds)
    if repetition.registry.filesystems[filesystem["name"]].checksums(filesystem["variant"]):
        absent = [metric for metric in METRICS if metric.startswith(("check_", "delete_"))]
        repetition.note({f"absent.{metric}": _WITHOUT_CHECKSUMS for metric in absent})
        return
    _check(repetition, limit)
    volume.mount(repetition, limit, "remount")
    filesystem_life.delete(repetition, limit)


def _check(repetition: Repetition, limit: float) -> None:
    words = repetition.factors["filesystem"]["check"]
    if words is None:
        return
    with repetition.step("check") as step, repetition.testbed.claimed() as device:
        repetition.run([*words, device], limit)
    repetition.measure("check_seconds", step.seconds)
    repetition.measure_work("check", step)


def _free(repetition: Repetition) -> int:
    """Free bytes of the filesystem, those reserved for root included."""
    stat = os.statvfs(repetition.testbed.mount_point)
    return stat.f_bfree * stat.f_frsize


def _files(repetition: Repetition) -> int:
    return media.needed_inodes(repetition.factors["library"])


def _fill(repetition: Repetition, limit: float) -> None:
    """Run the program that fills, and the sync."""
    point, library = repetition.testbed.mount_point, repetition.factors["library"]
    program = [*programs.PYTHON, str(Path(fill_program.__file__)), str(point / filesystem_life.FOLDER)]
    with repetition.step("fill"):
        done = repetition.run([*program, json.dumps(library)], limit, accept=(0, fill_program.UNAVAILABLE))
        if done.exit_code:
            raise Unsupported(
                f"{repetition.factors['filesystem']['name']} cannot allocate space without writing it: {done.stderr.strip()}"
            )
        sync = repetition.run(["sync", "-f", point], limit)
    repetition.measure("fill_seconds", json.loads(done.stdout)["seconds"] + sync.seconds)


def _require_whole(repetition: Repetition, taken: int) -> None:
    """Gates: every file has its size, and the filesystem has given the space of all."""
    library = repetition.factors["library"]
    with interruptible():
        files, size = fill_check.tally(repetition.testbed.mount_point / filesystem_life.FOLDER)
    repetition.require(
        "completeness", files == library["files"], files, library["files"], "1", "files that were created"
    )
    repetition.require("completeness", size == library["total"], size, library["total"], "B", "sum of their sizes")
    repetition.require(
        "delivered", taken >= library["total"], taken, library["total"], "B", "space that the filesystem gave to them"
    )
    fill_check.require_space(repetition)


FAMILY = Family(
    method=1,
    metrics=METRICS,
    steps=steps,
    expected=expected,
    shared=(FILESYSTEM, LIBRARY_LAYOUT, CONTROL),
    tools={"coreutils": ("rm", "--version")},
)
