"""Resident memory: free memory must not go back to the hypervisor during a run.

With free page reporting, the kernel of a virtual machine reports free pages to its hypervisor, which reclaims them. The
next process that gets such a page waits until the hypervisor provides another one, so a copy through the page cache may
take up to seven times as long. Therefore reporting is stopped during a run, and free memory is fetched once before. A
machine without reporting needs nothing, nor does the guest of a testbed, whose memory belongs to this machine.
"""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from spindlemark.core import private_files
from spindlemark.core.process import programs
from spindlemark.core.process.command import execute
from spindlemark.core.record import Scalar
from spindlemark.testbeds import kernel_settings

# Free blocks of at least 2 ** order pages are reported; an order above that of the largest block means none.
ORDER = Path("/sys/module/page_reporting/parameters/page_reporting_order")
_ABOVE_ALL = 32
_OWNER, _NOTE = "+memory", "memory"  # no testbed's name begins with +
_LEAST_LEFT, _SHARE_LEFT = 256 << 20, 0.02
_LIMIT_SECONDS = 600.0
_GROUPS = Path("/sys/fs/cgroup")


def keep(say: Callable[[], None], order: Path = ORDER) -> None:
    """Stop reporting and make free memory resident, if needed; `say` is called before, since it may take a minute.

    The caller holds the machine's lock; `restore` undoes it.
    """
    if not _is_reported(order):
        return
    _stop(order)
    if not private_files.read_note(_NOTE):
        say()
        make_resident(room())
        private_files.write_note(_NOTE, {"resident": True})


def restore() -> None:
    """Let the kernel report free pages again, as it did before."""
    kernel_settings.restore(_OWNER)
    private_files.remove_note(_NOTE)


def facts(order: Path = ORDER) -> dict[str, Scalar]:
    """Environment fields: the smallest order that is reported, null without reporting; whether we stopped it."""
    return {
        "memory.page_reporting_order": _read(order),
        "memory.page_reporting_stopped": bool(kernel_settings.changed(_OWNER)),
    }


def make_resident(size: int) -> int:
    """Touch `size` bytes of free memory; returns how many were touched, fewer where memory is resident already.

    A separate process does it, which the kernel kills before any other if memory gets short.
    """
    program = Path(__file__).with_name("touch_memory.py")
    done = execute([*programs.PYTHON, program, str(size), str(_left())], _LIMIT_SECONDS)
    print(f"made {int(done.stdout or 0) >> 20} MiB of memory resident", file=sys.stderr)
    return int(done.stdout or 0)


def room() -> int:
    """Bytes of free memory that may be touched: with a margin, and within the limits of our control groups."""
    return max(0, min(_meminfo("MemFree"), *_unused_by_groups(), _meminfo("MemAvailable")) - _left())


def _left() -> int:
    """Bytes that always stay free."""
    return max(_LEAST_LEFT, int(_SHARE_LEFT * _meminfo("MemTotal")))


def _is_reported(order: Path) -> bool:
    """Whether a hypervisor receives reports: without one, the order has its largest value."""
    return (_read(order) or _ABOVE_ALL) < _ABOVE_ALL


def _stop(order: Path) -> None:
    """Write the largest order that this kernel accepts."""
    before = _read(order)
    if before is None:
        return
    for above in range(_ABOVE_ALL - 1, before, -1):
        with suppress(OSError):
            kernel_settings.change(_OWNER, order, str(above), str(before))
            return


def _read(order: Path) -> int | None:
    try:
        return int(order.read_text())
    except (OSError, ValueError):
        return None


def _meminfo(key: str) -> int:
    rows = dict(re.findall(r"^(\w+):\s+(\d+) kB$", Path("/proc/meminfo").read_text(), re.MULTILINE))
    return int(rows[key]) * 1024


def _unused_by_groups() -> Iterator[int]:
    """Yield the bytes that each control group of this process may still use, for groups with a limit."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        if names not in ("", "memory"):
            continue
        root, most, used = (
            (_GROUPS, "memory.max", "memory.current")
            if not names
            else (_GROUPS / "memory", "memory.limit_in_bytes", "memory.usage_in_bytes")
        )
        own = root / path.lstrip("/")
        for group in (own, *own.parents):
            with suppress(OSError, ValueError):  # "max", or a group outside our container
                yield max(0, int((group / most).read_text()) - int((group / used).read_text()))
