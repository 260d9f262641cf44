"""A disk in memory that logs all writes: a loop device on a file that a recorder process provides by FUSE.

The kernel's dm-log-writes does the same, but few kernels have it. The loop device uses direct I/O and FUSE caches
nothing, so the log contains each request of the filesystem (those of more than FUSE's 1 MiB in parts) and each flush.
The disk supports neither discards nor commands to write zeros, so zeros are written.

Nothing needs to be removed after a kill: the disk is on a tmpfs in this process's own mount namespace, its recorder
ends with this process, and the kernel detaches the loop device when it is not used any more (temporary_loop.py). The
next start removes the empty folder that is left.
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
    retry,
    temporary_loop,
    write_log,
)

_FUSE = Path("/dev/fuse")
PROGRAM = "spindlemark.testbeds.write_recorder"
_LIMIT_SECONDS = 300.0


@dataclass(frozen=True)
class Disk:
    """The mounted disk and its folder in memory. `name` is the testbed in the mark of its image."""

    name: str
    folder: Path
    filesystem: dict[str, Any]  # as the factor `filesystem` resolves it

    @property
    def point(self) -> Path:
        """The mount point."""
        return self.folder / "mounted"

    @property
    def log(self) -> Path:
        """The log of writes."""
        return self.folder / "writes"

    @property
    def kept(self) -> Path:
        """The present content of the disk."""
        return self.folder / "kept"

    def synced_entries(self) -> int:
        """Sync the filesystem; return the number of entries in the log after it."""
        _done(["sync", "-f", self.point])
        return self.entries()

    def entries(self) -> int:
        """The number of entries in the log; call it while nothing is being written."""
        return len(write_log.entries(self.log))


@contextmanager
def work_folder(room: int) -> Iterator[Path]:
    """A folder in memory for at most `room` bytes, in this process's own mount namespace.

    Raises UserError where there is not so much free memory.
    """
    folder = mountpoint.own(mountpoint.RECORDED)
    folder.mkdir(exist_ok=True)
    _done(["mount", "-t", "tmpfs", "-o", f"size={room},mode=0700", "spindlemark", folder])
    try:
        free = space.capacity(folder)[0]
        if room > free:
            raise UserError(
                f"{folder}: a recorded disk needs {room} bytes of memory, and {free} are free",
                "free some memory, or measure smaller files: see config/profiles/<profile>.yaml",
            )
        yield folder
    finally:
        retry.until_success(["umount", str(folder)], f"{folder}: cannot be unmounted")
        folder.rmdir()


@contextmanager
def mounted(
    repetition: background.Recorder, folder: Path, name: str, filesystem: dict[str, Any], size: int
) -> Iterator[Disk]:
    """Make a disk of `size` bytes with a filesystem in `folder` (see `work_folder`), mount it, and unmount it in the end.

    Its recorder is a command of the `repetition`. Raises Unsupported without FUSE, Failed when the filesystem cannot be
    made or mounted, Broken when the log is incomplete.
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
        retry.until_success(["umount", str(point)], f"{point}: cannot be unmounted")


@contextmanager
def _shown(repetition: background.Recorder, disk: Disk, size: int) -> Iterator[Path]:
    """Start the recorder and mark its file as ours."""
    shown = disk.folder / "shown"
    shown.mkdir()
    with disk.kept.open("xb") as kept:
        kept.truncate(size)
    file = image.path_of(shown, disk.name)
    argv = [*PYTHON, "-m", PROGRAM, str(shown), file.name, str(disk.kept), str(disk.log)]
    try:
        with background.background(repetition, argv, name="recorder", ready=file.exists) as recorder:
            try:
                with file.open("rb") as opened:
                    mark.put(opened.fileno(), file, disk.name)
                yield file
            finally:
                if not recorder.alive():
                    raise Broken(f"{disk.folder}: not all writes could be recorded: {recorder.words()}")
    finally:  # it unmounts its file after SIGTERM, but not when it is killed
        if any(mount.point == shown for mount in kernel.mounts()):
            retry.until_success(["umount", str(shown)], f"{shown}: cannot be unmounted")


def _done(argv: Sequence[object]) -> Finished:
    """Run a command that is not measured. Raises Failed with its last line of output when it fails."""
    done = execute([str(word) for word in argv], _LIMIT_SECONDS)
    if done.exit_code != 0:
        words = (done.stderr.strip() or done.stdout.strip() or "it printed nothing").splitlines()[-1]
        raise Failed(f"{done.argv[0]} ended with exit code {done.exit_code}: {words}")
    return done
