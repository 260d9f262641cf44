"""Disks in memory: images of this program, attached to loop devices, which are damaged and thrown away.

They are on a tmpfs in this process's own mount namespace (testbeds/recorded.py) and detach themselves, so nothing is left
after a kill. Each trial gets a copy with a new name, since the kernel may still hold the last one for a moment.
"""

import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from spindlemark.core.outcome import Broken
from spindlemark.core.process.command import Finished, execute
from spindlemark.testbeds import guard, image, mark, retry, temporary_loop
from spindlemark.testbeds.inspected_device import Check

LIMIT_SECONDS = 120.0  # of one command; a damaged filesystem may make a tool hang
_BTRFS_SUPER, _UUID = 64 << 10, slice(32, 48)  # superblock of btrfs, and the UUID of the filesystem in it
_SCRUB_NOTES = Path("/var/lib/btrfs")


def make(folder: Path, name: str, size: int, devices: int) -> list[Path]:
    """Make sparse, marked images of `size` bytes each in `folder`, for the testbed `name`."""
    return [image.make(folder / f"disk-{number}", name, size, image.sparse) for number in range(devices)]


@contextmanager
def copied(originals: Sequence[Path], folder: Path, name: str) -> Iterator[list[Path]]:
    """Make marked copies of the images in the new `folder`, and remove them after the context."""
    files = []
    try:
        for number, original in enumerate(originals):
            file = image.path_of(folder / f"disk-{number}", name)
            file.parent.mkdir(parents=True)
            files.append(file)
            done = run(["cp", "--sparse=always", original, file])
            if done.exit_code:
                raise Broken(f"{original}: cannot be copied: {done.stderr.strip()}")
            with file.open("rb") as opened:
                mark.put(opened.fileno(), file, name)
        yield files
    finally:
        for file in files:
            file.unlink(missing_ok=True)
            file.parent.rmdir()
        folder.rmdir()


@contextmanager
def attached(files: Sequence[Path]) -> Iterator[list[Path]]:
    """Attach images to loop devices; the kernel detaches them after the context."""
    with ExitStack() as stack:
        yield [stack.enter_context(temporary_loop.attached(file)) for file in files]


@contextmanager
def claimed(nodes: Sequence[Path], name: str, checks: Sequence[Check] = guard.LOOP) -> Iterator[list[str]]:
    """Context for one command that writes to devices; see guard.claim."""
    with ExitStack() as stack:
        yield [stack.enter_context(guard.claim(node, name, checks)) for node in nodes]


def mount(nodes: Sequence[Path | str], kind: str, options: Sequence[str], point: Path) -> Finished:
    """Mount a filesystem on all its devices, or a pool by its name; the result may be a failure."""
    chosen = [*options, *(f"device={node}" for node in nodes[1:])]
    words = ["-o", ",".join(chosen)] if chosen else []
    return run(["mount", "-t", kind, *words, nodes[0], point])


def unmount(point: Path) -> None:
    """Unmount, and wait for it."""
    retry.until_success(["umount", str(point)], f"{point}: cannot be unmounted")


def run(argv: Sequence[object]) -> Finished:
    """Run a command that is not timed. Raises Broken if it hangs."""
    done = execute([str(word) for word in argv], LIMIT_SECONDS)
    if done.timed_out:
        raise Broken(f"{done.argv[0]} was killed after {LIMIT_SECONDS:g} s, its limit")
    return done


def forget_btrfs(nodes: Sequence[Path]) -> None:
    """Let the kernel forget the devices: it refuses an older copy of a filesystem that it knows (EEXIST)."""
    for node in nodes:
        run(["btrfs", "device", "scan", "--forget", node])


def remove_scrub_notes(file: Path) -> None:
    """Remove what `btrfs scrub` keeps about the filesystem in an image below /var/lib."""
    with file.open("rb") as opened:
        opened.seek(_BTRFS_SUPER)
        own = uuid.UUID(bytes=opened.read(_UUID.stop)[_UUID])
    for kept in _SCRUB_NOTES.glob(f"scrub.*.{own}*"):
        kept.unlink(missing_ok=True)
