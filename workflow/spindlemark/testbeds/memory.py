"""Memory that stays: what is free for a moment must not go back to the hypervisor while a run lasts.

With free page reporting a kernel in a virtual machine tells its hypervisor which pages are free, which takes them away.
Whoever gets such a page next waits until the hypervisor has found another one: a copy through the page cache then lasts
up to seven times as long, or not, as chance has it. So reporting is stopped for the length of a run, and what was taken
away before is fetched once. A machine without it needs nothing, and in the guest of a testbed nothing is needed: its
memory is this machine's.
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
from spindlemark.testbeds import tuning

# Free blocks of 2 ** order pages and more are reported; an order above all blocks means none.
ORDER = Path("/sys/module/page_reporting/parameters/page_reporting_order")
_ABOVE_ALL = 32
_OWNER, _NOTE = "+memory", "memory"  # no testbed's name begins so
_LEAST_LEFT, _SHARE_LEFT = 256 << 20, 0.02
_LIMIT_SECONDS = 600.0
_GROUPS = Path("/sys/fs/cgroup")


def keep(say: Callable[[], None], order: Path = ORDER) -> None:
    """Stop reporting and make free memory resident, unless it is; `say` is called before what may take a minute.

    The caller holds the machine's lock; `put_back` undoes it.
    """
    if not _is_reported(order):
        return
    _stop(order)
    if not private_files.read_note(_NOTE):
        say()
        make_resident(room())
        private_files.write_note(_NOTE, {"resident": True})


def put_back() -> None:
    """Let the kernel report again, as it did before."""
    tuning.put_back(_OWNER)
    private_files.remove_note(_NOTE)


def facts(order: Path = ORDER) -> dict[str, Scalar]:
    """Environment fields: the order from which on free memory is reported, null where none is; whether we stopped."""
    return {"memory.page_reporting_order": _read(order), "memory.page_reporting_stopped": bool(tuning.changed(_OWNER))}


def make_resident(size: int) -> int:
    """Have `size` bytes touched that nobody uses; returns how many were, fewer where they are there already.

    A process of its own does it, which the kernel ends before any other where memory is short after all.
    """
    program = Path(__file__).with_name("touch_memory.py")
    done = execute([*programs.PYTHON, program, str(size), str(_left())], _LIMIT_SECONDS)
    print(f"made {int(done.stdout or 0) >> 20} MiB of memory resident", file=sys.stderr)
    return int(done.stdout or 0)


def room() -> int:
    """Bytes of free memory that may be touched, with a margin, and within the limits of our control groups."""
    return max(0, min(_meminfo("MemFree"), *_unused_by_groups(), _meminfo("MemAvailable")) - _left())


def _left() -> int:
    """Bytes that stay free whatever happens."""
    return max(_LEAST_LEFT, int(_SHARE_LEFT * _meminfo("MemTotal")))


def _is_reported(order: Path) -> bool:
    """Whether there is somebody to report to: the order is the largest of its type as long as there is not."""
    return (_read(order) or _ABOVE_ALL) < _ABOVE_ALL


def _stop(order: Path) -> None:
    """Write the largest order that this kernel takes."""
    before = _read(order)
    if before is None:
        return
    for above in range(_ABOVE_ALL - 1, before, -1):
        with suppress(OSError):
            tuning.change(_OWNER, order, str(above), str(before))
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
    """What each control group of this process, under either version, may still use; nothing of one without a limit."""
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
            with suppress(OSError, ValueError):  # "max", or a group outside of our container
                yield max(0, int((group / most).read_text()) - int((group / used).read_text()))
