"""ZFS: its disks are a pool, which is imported by name and mounted by that name, and whose state `zpool` shows.

Only in a virtual machine, whose kernel has the module that testbeds/vm/zfs.py builds. There is no check of a pool that is
not imported, so a scrub is its only check.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from spindlemark.families.integrity import disks
from spindlemark.testbeds import retry

POOL = "spindlemark"
_PROGRAM = "zpool"
# A line of `zpool status -p`: a pool, mirror or device with its state and its numbers of read, write and checksum errors.
_COUNTERS = re.compile(r"^\s+\S+\s+[A-Z]+\s+(\d+)\s+(\d+)\s+(\d+)\b", re.MULTILINE)
_NONE = "errors: No known data errors"


def export() -> None:
    """Write everything and let the kernel forget the pool."""
    retry.until_success([_PROGRAM, "export", POOL], f"{POOL}: cannot be exported")


@contextmanager
def imported(nodes: Sequence[Path]) -> Iterator[bool]:
    """Import the pool from its devices, and export it after the context; yield whether the import succeeded."""
    places = [word for node in nodes for word in ("-d", node)]
    # Without a mount, without a list of pools in /etc, and although another machine may have used it last.
    ok = disks.run([_PROGRAM, "import", "-N", "-f", "-o", "cachefile=none", *places, POOL]).exit_code == 0
    try:
        yield ok
    finally:
        if ok:
            export()


def scrub() -> list[str]:
    """Read all blocks of the imported pool; return what has errors since the import, corrected or not."""
    done = disks.run([_PROGRAM, "scrub", "-w", POOL])
    shown = disks.run([_PROGRAM, "status", "-p", POOL])
    return errors_in(shown.stdout) + ["aborted"] * bool(done.exit_code or shown.exit_code)


def errors_in(status: str) -> list[str]:
    """Names of the kinds of errors that the text of `zpool status -p` counts."""
    found = [name for at, name in enumerate(("read", "write", "checksum")) if _counted(status, at)]
    return found + ["data"] * (_NONE not in status)


def _counted(status: str, column: int) -> bool:
    return any(int(counts[column]) for counts in _COUNTERS.findall(status))
