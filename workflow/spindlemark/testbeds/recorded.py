"""A disk in memory that records what is written to it: a loop device on a file that a process shows by FUSE.

dm-log-writes of the kernel does the same, which few kernels have. The loop device does direct I/O and FUSE caches
nothing, so that the record has each request as the filesystem made it (those of more than FUSE's 1 MiB in parts), and
a flush where it asked for one. The disk takes neither discards nor commands to write zeros: zeros are written.

Nothing needs to be taken away after a kill: the disk lies in a tmpfs in this process's own mount namespace, its
recorder dies with this process, and the kernel detaches the loop device when nobody holds it (fleeting.py). The empty
folder that is left goes with the next start.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spindlemark.core import space
from spindlemark.core.errors import UserError
from spindlemark.core.outcome import Broken, Failed, Unsupported
from spindlemark.core.process.command import Finished, execute
from spindlemark.core.process.programs import PYTHON
from spindlemark.testbeds import (
    background,
    guard,
    image,
    kernel,
    mark,
    mountpoint,
    temporary_loop,
    unmounting,
    write_log,
)

_FUSE = Path("/dev/fuse")
_PROGRAM = "spindlemark.testbeds.write_recorder"
_LIMIT_SECONDS = 300.0


@dataclass(frozen=True)
class Disk:
    """The mounted disk, and the folder in memory that it lies in. `name` is what its image is marked as made for."""

    name: str
    folder: Path
    filesystem: dict[str, Any]  # as the factor of that name resolves it

    @property
    def point(self) -> Path:
        """Where it is mounted, while it is."""
        return self.folder / "mounted"

    @property
    def log(self) -> Path:
        """What was written."""
        return self.folder / "writes"

    @property
    def kept(self) -> Path:
        """What the disk holds by now."""
        return self.folder / "kept"

    def settled(self) -> int:
        """Have all that was written so far reach the disk; returns how many entries its log then has."""
        _done(["sync", "-f", self.point])
        return self.entries()

    def entries(self) -> int:
        """How many entries the log has at this moment, in which nothing is being written."""
        return len(write_log.entries(self.log))


@contextmanager
def workshop(room: int) -> Iterator[Path]:
    """A folder in memory that takes `room` bytes at most, in the mount namespace that this process has of its own.

    Raises UserError where so much memory is not to be had.
    """
    folder = mountpoint.own(mountpoint.RECORDED)
    folder.mkdir(exist_ok=True)
    _done(["mount", "-t", "tmpfs", "-o", f"size={room},mode=0700", "spindlemark", folder])
    try:
        free = space.capacity(folder)[0]
        if room > free:
            raise UserError(
                f"{folder}: a recorded disk needs {room} bytes of memory, {free} are free",
                "free some, or measure smaller files: see config/profiles/<profile>.yaml",
            )
        yield folder
    finally:
        unmounting.until_free(["umount", str(folder)], f"{folder}: cannot be unmounted")
        folder.rmdir()


@contextmanager
def mounted(
    repetition: background.Recorder, folder: Path, name: str, filesystem: dict[str, Any], size: int
) -> Iterator[Disk]:
    """Make a disk of `size` bytes in the workshop `folder`, with a filesystem; unmount it in the end.

    Its recorder is among the commands of the `repetition`. Raises Unsupported without FUSE, Failed when the filesystem
    cannot be made or mounted, Broken when something is missing from the record.
    """
    if not _FUSE.exists():
        raise Unsupported("this kernel has no FUSE, which the recorded disk needs (modprobe fuse)")
    disk = Disk(name, folder, filesystem)
    with _shown(repetition, disk, size) as file, temporary_loop.attached(file, direct_io=True) as node:
        with guard.claim(node, name) as claimed:
            _done([*filesystem["mkfs"], claimed])
        with on(node, filesystem, disk.point):
            yield disk


@contextmanager
def on(node: Path, filesystem: dict[str, Any], point: Path) -> Iterator[Path]:
    """Mount a device with the filesystem's options. Raises Failed when it cannot be mounted."""
    point.mkdir(exist_ok=True)
    options = ["-o", ",".join(filesystem["mount"])] if filesystem["mount"] else []
    _done(["mount", "-t", filesystem["module"], *options, node, point])
    try:
        yield point
    finally:
        unmounting.until_free(["umount", str(point)], f"{point}: cannot be unmounted")


@contextmanager
def _shown(repetition: background.Recorder, disk: Disk, size: int) -> Iterator[Path]:
    """The recorder and its file, marked as ours."""
    shown = disk.folder / "shown"
    shown.mkdir()
    with disk.kept.open("xb") as kept:
        kept.truncate(size)
    file = image.path_of(shown, disk.name)
    argv = [*PYTHON, "-m", _PROGRAM, str(shown), file.name, str(disk.kept), str(disk.log)]
    try:
        with background.background(repetition, argv, name="recorder", ready=file.exists) as recorder:
            try:
                with file.open("rb") as opened:
                    mark.put(opened.fileno(), file, disk.name)
                yield file
            finally:
                if not recorder.alive():
                    raise Broken(f"{disk.folder}: not all that was written could be recorded: {recorder.words()}")
    finally:  # asked to end it unmounts its file itself, killed it does not
        if any(mount.point == shown for mount in kernel.mounts()):
            unmounting.until_free(["umount", str(shown)], f"{shown}: cannot be unmounted")


def _done(argv: Sequence[object]) -> Finished:
    """Run a command that is no part of what is measured. Raises Failed with its words when it ends badly."""
    done = execute([str(word) for word in argv], _LIMIT_SECONDS)
    if done.exit_code != 0:
        words = (done.stderr.strip() or done.stdout.strip() or "it said nothing").splitlines()[-1]
        raise Failed(f"{done.argv[0]} ended with exit code {done.exit_code}: {words}")
    return done
