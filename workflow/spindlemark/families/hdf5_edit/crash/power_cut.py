"""Power cuts of an edit: it edits a file on a recorded disk, and what each point of the replay left is judged.

The edit is not synced beyond what it asks for itself; the retry that follows writes the rest, and belongs to the
record. What was acknowledged is asked of the points after the end of an edit that syncs: those must have all of it.
Before its end any whole number of commands will do for the levels that promise no more.
"""

import hashlib
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from spindlemark.core import durability
from spindlemark.families.hdf5_edit.crash import crash_points, replay
from spindlemark.families.hdf5_edit.crash.kill import Edit
from spindlemark.families.hdf5_edit.crash.recovery_states import Found, Known, Tool, judge
from spindlemark.testbeds import recorded, write_log

# Bytes of the recorded disk: the least that XFS is made in. It and its copies are in memory, without their holes.
SIZE, ROOM = 300 << 20, 600 << 20
MOST, MOST_REORDERED = 200, 50  # points; more are drawn from
LOST = Found(replay.UNMOUNTABLE, "lost", rule_loses=True)


class Cut(NamedTuple):
    """What one point left. `checked`: the filesystem could not be mounted before its check."""

    point: crash_points.Point
    found: Found
    checked: bool


@dataclass(frozen=True)
class Record:
    """An edit on a recorded disk, from entry `begin` to before entry `end`; `live` are the files as they were in the end."""

    disk: recorded.Disk
    edit: Edit
    begin: int
    end: int
    live: str

    def in_order(self, most: int, seed: int) -> list[crash_points.Point]:
        """The points after each write, or a sample."""
        return crash_points.in_order(write_log.entries(self.disk.log), self.begin, most, seed)

    def reordered(self, most: int, seed: int) -> list[crash_points.Point]:
        """A sample of the other states that a disk with a cache may leave."""
        return crash_points.reordered(write_log.entries(self.disk.log), self.begin, most, seed)


def record(disk: recorded.Disk, original: Path, words: Sequence[str], run: Callable[[Sequence[str]], object]) -> Record:
    """Have `run` do the edit with its words on the mounted disk. Raises what it raises."""
    edit = Edit(original, disk.point / "cut", words)
    edit.folder.mkdir()
    shutil.copyfile(original, edit.file)
    begin = disk.synced_entries()
    run([str(edit.file), *words])
    return Record(disk, edit, begin, disk.entries(), digest(edit.folder))


def cuts(done: Record, wanted: Sequence[crash_points.Point], known: Known, synced: bool, editor: Tool) -> Iterator[Cut]:
    """What each of the points left of the file, after the disk was unmounted."""
    work = done.disk.folder / "judged"
    found: dict[crash_points.Point, Found] = {}

    def judged(point: crash_points.Point, _: Path) -> str:
        acknowledged = len(known.texts) - 1 if synced and point.upto >= done.end else 0
        found[point] = judge(done.edit.file, _allowing(known), acknowledged, work, editor)
        return found[point].state

    for seen in replay.replayed(done.disk, wanted, judged):
        yield Cut(seen.point, found.get(seen.point, LOST), seen.checked)


def ends_as_live(done: Record) -> bool:
    """Whether the disk after all its writes has the files that were seen before it was unmounted."""
    everything = crash_points.Point(len(write_log.entries(done.disk.log)))
    seen = next(iter(list(replay.replayed(done.disk, [everything], lambda *_: digest(done.edit.folder)))))
    return seen.state == done.live


def digest(folder: Path) -> str:
    """SHA-256 over names and contents of the files in a folder."""
    total = hashlib.sha256()
    for file in sorted(folder.iterdir()):
        total.update(f"{file.name} {hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return total.hexdigest()


def _allowing(known: Known) -> Known:
    """A disk does not show which command was acknowledged before which write: any whole number is within the promise."""
    return replace(known, level=durability.NO) if known.level in (durability.INC, durability.SWMR) else known
