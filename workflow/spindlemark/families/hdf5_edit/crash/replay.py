"""The replay: the disk as it is after some of its writes, mounted as after a power cut, so that a caller can judge files.

Writes are applied to one image, in their order; each point is a copy of it under a new name, since the kernel may know
pages of a name that came before. A filesystem that cannot be mounted is checked as its owner would, and tried again.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from spindlemark.core.outcome import Broken, Failed
from spindlemark.core.process.command import execute
from spindlemark.core.process.interrupts import check
from spindlemark.families.hdf5_edit.crash.crash_points import Point
from spindlemark.testbeds import guard, image, mark, recorded, temporary_loop, write_log

UNMOUNTABLE = "unmountable"
_CHUNK = 1 << 20
_LIMIT_SECONDS = 300.0


class Seen(NamedTuple):
    """What was found at a point. `checked`: it could be mounted only after the filesystem's check."""

    point: Point
    state: str
    checked: bool = False


def replayed(disk: recorded.Disk, points: Iterable[Point], judge: Callable[[Point, Path], str]) -> Iterator[Seen]:
    """The state that `judge` names of the mounted folder, or UNMOUNTABLE, at each of the points, which are in order.

    The disk is not mounted any more. Raises what `judge` raises.
    """
    entries = write_log.entries(disk.log)
    so_far, applied = disk.folder / "replayed", 0
    with so_far.open("w+b") as file:
        file.truncate(disk.kept.stat().st_size)
        for number, point in enumerate(points):
            check()
            write_log.apply(disk.log, entries[applied : point.upto], file.fileno())
            applied = point.upto
            also = [entries[n] for n in point.also]
            yield _seen(disk, f"{disk.name}-{number}", so_far, also, point, judge)
    so_far.unlink()


def agrees(disk: recorded.Disk) -> bool:
    """Whether all recorded writes, applied to an empty disk, give what the disk held in the end: none was left out."""
    entries = write_log.entries(disk.log)
    whole = disk.folder / "whole"
    with whole.open("w+b") as file, disk.kept.open("rb") as kept:
        file.truncate(disk.kept.stat().st_size)
        write_log.apply(disk.log, entries, file.fileno())
        file.seek(0)
        same = all(file.read(_CHUNK) == part for part in iter(lambda: kept.read(_CHUNK), b""))
    whole.unlink()
    return same


def _seen(
    disk: recorded.Disk,
    name: str,
    so_far: Path,
    also: list[write_log.Entry],
    point: Point,
    judge: Callable[[Point, Path], str],
) -> Seen:
    copy = image.path_of(disk.folder, name)
    try:
        _copy(so_far, copy)
        with copy.open("r+b") as file:
            mark.put(file.fileno(), copy, name)
            write_log.apply(disk.log, also, file.fileno())
        with temporary_loop.attached(copy) as node, ExitStack() as mounted:
            folder, checked = _mounted(mounted, disk, node, name)
            return Seen(point, judge(point, folder) if folder else UNMOUNTABLE, checked)
    finally:
        copy.unlink(missing_ok=True)


def _mounted(mounted: ExitStack, disk: recorded.Disk, node: Path, name: str) -> tuple[Path | None, bool]:
    """Where it is mounted, and whether only its check let it be."""
    for checked in (False, True):
        try:
            return mounted.enter_context(recorded.on(node, disk.filesystem, disk.point)), checked
        except Failed:
            if not checked and disk.filesystem["check"]:
                with guard.claim(node, name) as claimed:
                    execute([*disk.filesystem["check"], claimed], _LIMIT_SECONDS)
    return None, False


def _copy(source: Path, target: Path) -> None:
    """A copy that takes memory only for what is not zero."""
    done = execute(["cp", "--sparse=always", str(source), str(target)], _LIMIT_SECONDS)
    if done.exit_code != 0:
        raise Broken(f"{target.parent}: {done.stderr.strip()}")
