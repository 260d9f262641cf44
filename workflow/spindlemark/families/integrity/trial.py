"""One trial: a copy of the disks gets faults, is used, scrubbed, checked and repaired, and is then read again."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spindlemark import config
from spindlemark.core.outcome import Broken
from spindlemark.core.process import programs
from spindlemark.families.integrity import disks, dm_integrity, read_program, zfs_pool
from spindlemark.families.integrity.copies_factor import BTRFS, DM_INTEGRITY, F2FS, ZFS
from spindlemark.families.integrity.faults import Fault
from spindlemark.testbeds import guard

# Checks that change nothing, and what repairs: the first that ends well is the last that is tried. ZFS has neither.
CHECK = {
    "ext4": ["e2fsck", "-f", "-n"],
    "xfs": ["xfs_repair", "-n"],
    BTRFS: ["btrfs", "check", "--readonly"],
    F2FS: ["fsck.f2fs", "--dry-run", "-f"],
}
REPAIR = {
    "ext4": [["e2fsck", "-f", "-y"]],
    "xfs": [["xfs_repair"], ["xfs_repair", "-L"]],
    F2FS: [["fsck.f2fs", "-f", "-y"]],
}
# `btrfs check --repair` is for developers' advice only (its manual page), so scrub repairs, and this where it cannot be mounted.
RESCUE = [["btrfs", "rescue", "super-recover", "-y"]]
SCRUB = ["btrfs", "scrub", "start", "-B", "-R"]
_REPAIRED = (0, 1)  # exit codes of a repair that ended well: of e2fsck 1 means that it corrected errors
_SCRUBBED = (
    0,
    3,
)  # exit codes of a scrub that reached the end: without errors, and with some that it could not correct
_SCRUB_ERRORS = re.compile(r"(\w+_errors): [1-9]")
Unwhole = dict[str, Any]  # the output of read_program


@dataclass
class Seen:
    """What a trial showed. `reads` are the two readings of all files, None where the mount failed."""

    injected: int = 0
    reads: list[Unwhole | None] = field(default_factory=list)
    scrub: list[str] = field(default_factory=list)
    checks: list[bool] = field(default_factory=list)
    restored: list[bool] = field(default_factory=list)


@dataclass(frozen=True)
class Disk:
    """The pristine disks of a filesystem: images, factors of the repetition, its declaration, and a folder for copies."""

    images: Sequence[Path]
    factors: dict[str, Any]
    declared: config.Filesystem
    folder: Path
    testbed: str

    @property
    def kind(self) -> str:
        """The filesystem."""
        return self.factors["filesystem"]["name"]

    @property
    def point(self) -> Path:
        """The mount point."""
        return self.folder / "mounted"

    @property
    def layered(self) -> bool:
        """Whether dm-integrity is below the filesystem."""
        return self.factors["copies"]["name"] == DM_INTEGRITY

    @contextmanager
    def attached(self, files: Sequence[Path]) -> Iterator[list[Path]]:
        """The devices that the filesystem is on: loop devices of the images, or what dm-integrity maps on the one."""
        with disks.attached(files) as nodes:
            if self.layered:
                with dm_integrity.opened(nodes[0]) as mapped:
                    yield [mapped]
            else:
                yield nodes

    def claimed(self, nodes: Sequence[Path]) -> AbstractContextManager[list[str]]:
        """Context for one command that writes to these devices; see guard.claim."""
        return disks.claimed(nodes, self.testbed, dm_integrity.CHECKS if self.layered else guard.LOOP)

    @contextmanager
    def mounted(self, nodes: Sequence[Path]) -> Iterator[bool]:
        """Mount the devices; yield whether that succeeded."""
        self.point.mkdir(exist_ok=True)
        filesystem = self.factors["filesystem"]
        with zfs_pool.imported(nodes) if self.kind == ZFS else nullcontext(True) as found:
            sources = [zfs_pool.POOL] if self.kind == ZFS else nodes
            mounted = found and disks.mount(sources, filesystem["module"], filesystem["mount"], self.point)
            ok = bool(mounted and mounted.exit_code == 0)
            try:
                yield ok
            finally:
                if ok:
                    disks.unmount(self.point)


def run(disk: Disk, faults: Sequence[Fault], number: int) -> Seen:
    """Try the faults together on one copy of the disks."""
    seen = Seen()
    with disks.copied(disk.images, disk.folder / f"trial-{number}", disk.testbed) as files:
        before = [fault.read(files) for fault in faults]
        seen.injected = sum(fault.inject(files) for fault in faults)
        with disk.attached(files) as nodes:
            _use(disk, nodes, seen, scrub=True)
            seen.checks.append(_check(disk, nodes))
            _repair(disk, nodes, mounted=seen.reads[0] is not None)
            _use(disk, nodes, seen, scrub=False)
            seen.checks.append(_check(disk, nodes))
            if disk.kind == BTRFS:
                disks.forget_btrfs(nodes)
        seen.restored = [fault.read(files) == old for fault, old in zip(faults, before, strict=True)]
    return seen


def _use(disk: Disk, nodes: Sequence[Path], seen: Seen, scrub: bool) -> None:
    """Mount, read all files and compare them; scrub where the filesystem has one."""
    with disk.mounted(nodes) as ok:
        seen.reads.append(_read(disk) if ok else None)
        if ok and scrub:
            seen.scrub = _scrub(disk)


def _scrub(disk: Disk) -> list[str]:
    """Scrub where the filesystem has that; return the kinds of errors."""
    if disk.kind == ZFS:
        return zfs_pool.scrub()
    if disk.kind != BTRFS:
        return []
    done = disks.run([*SCRUB, disk.point])
    found = _SCRUB_ERRORS.findall(done.stdout) + ["aborted"] * (done.exit_code not in _SCRUBBED)
    # The counters also have errors that a read corrected from the other copy.
    stats = disks.run(["btrfs", "device", "stats", "--check", disk.point])
    return found + ["device_stats"] * bool(stats.exit_code)


def _read(disk: Disk) -> Unwhole:
    found = disk.folder / "read.json"
    words = [disk.point, disk.factors["files"], disk.factors["seed"], found]
    done = disks.run([*programs.PYTHON, "-m", read_program.__name__, *words])
    if done.exit_code:
        raise Broken(f"the files cannot be compared: {done.stderr.strip()[-300:]}")
    try:
        return json.loads(found.read_text(encoding="utf-8"))
    finally:
        found.unlink()


def _check(disk: Disk, nodes: Sequence[Path]) -> bool:
    """Check without changes; return whether that finds an error. Nothing checks ZFS, which compares what it reads itself."""
    if disk.kind not in CHECK:
        return False
    done = disks.run([*CHECK[disk.kind], nodes[0]])
    return disk.declared.finds_errors(done.exit_code, done.stdout + done.stderr)


def _repair(disk: Disk, nodes: Sequence[Path], mounted: bool) -> None:
    for words in REPAIR.get(disk.kind, [] if mounted else RESCUE):
        with disk.claimed(nodes) as devices:
            if disks.run([*words, devices[0]]).exit_code in _REPAIRED:
                return
