"""The image file behind the loop device. This program makes it, marks it, and removes only files with its mark."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

from spindlemark.core.errors import UserError
from spindlemark.testbeds import mark

PREFIX, SUFFIX = "spindlemark-", ".img"
MARGIN = 0.02  # of the image's size: additional free space for the metadata of the filesystem below
_AT_ONCE = 1 << 20
Fill = Callable[[int, int], None]  # gives the open file a size in bytes


def preallocated(descriptor: int, size: int) -> None:
    """Reserve all blocks of the file."""
    os.posix_fallocate(descriptor, 0, size)


def written(descriptor: int, size: int) -> None:
    """Write zeros to the whole file."""
    done, zeros = 0, bytes(_AT_ONCE)
    while done < size:
        done += os.pwrite(descriptor, zeros[: size - done], done)


def sparse(descriptor: int, size: int) -> None:
    """Leave the whole file a hole, whatever space there is."""
    os.ftruncate(descriptor, size)


def path_of(directory: Path, testbed: str) -> Path:
    """The path of the testbed's image."""
    return directory / f"{PREFIX}{testbed}{SUFFIX}"


def make(directory: Path, testbed: str, size: int, fill: Fill = preallocated) -> Path:
    """Make a marked image of `size` bytes; raises UserError when it does not fit or its name is in use.

    `fill` is `preallocated`, `written`, since a file in memory gets its pages only when it is written, or `sparse`.

    The file gets its name only when it is marked and complete, so a crash never leaves an unmarked or short image.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        folder = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise UserError(
            f"{directory}: cannot contain an image: {error.strerror}",
            "name another directory in config/testbeds/<name>.yaml",
        ) from None
    path, descriptor = path_of(directory, testbed), None
    try:
        if fill is not sparse:
            _require_space(directory, size)
        descriptor = os.open(directory, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)
        mark.put(descriptor, path, testbed)
        fill(descriptor, size)
        os.fsync(descriptor)
        # Python follows the link in /proc to the unnamed file only with a folder's descriptor.
        os.link(f"/proc/self/fd/{descriptor}", path.name, dst_dir_fd=folder, follow_symlinks=True)
    except FileExistsError:
        raise UserError(f"{path}: is in the way: {problem(path, testbed, left=True)}", "move it away") from None
    except OSError as error:
        raise _unsuitable(directory, error) from None
    finally:
        for opened in (folder, descriptor):
            if opened is not None:
                os.close(opened)
    return path


def problem(
    path: Path,
    testbed: str | None = None,
    attached: tuple[int, int] | None = None,
    *,
    left: bool = False,
    renamed: bool = False,
) -> str | None:
    """Say why the file is not an image of this program (for `testbed`), or not the `attached` file (device, inode) of a
    loop device; None when it is. See mark.problem for `left` and `renamed`.
    """
    if not (renamed or (path.name.startswith(PREFIX) and path.name.endswith(SUFFIX))):
        return f"the name of {path} is not one that this program uses"
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        return f"{path} cannot be opened: {error.strerror}"
    try:
        found = os.fstat(descriptor)
        if attached is not None and attached != (found.st_dev, found.st_ino):
            return f"{path} is not the file that the device has open"
        return mark.problem(descriptor, path, testbed, left=left, renamed=renamed)
    finally:
        os.close(descriptor)


def remove(directory: Path, testbed: str) -> None:
    """Delete the testbed's image if it has our mark; a file of the same name without it stays."""
    path = path_of(directory, testbed)
    if problem(path, testbed, left=True) is None:
        path.unlink()


def _require_space(directory: Path, size: int) -> None:
    stat = os.statvfs(directory)
    free, needed = stat.f_bavail * stat.f_frsize, int(size * (1 + MARGIN))
    if needed > free:
        raise UserError(
            f"{directory}: an image of {size} bytes needs {needed} bytes with its margin, and {free} are free",
            "free some space, name another directory in config/testbeds/<name>.yaml, or lower image_size in "
            "config/profiles/<profile>.yaml",
        )


def _unsuitable(directory: Path, error: OSError) -> UserError:
    if error.errno == errno.ENOSPC:
        return UserError(
            f"{directory}: no space left for the image",
            "free some space, or lower image_size in config/profiles/<profile>.yaml",
        )
    return UserError(
        f"{directory}: its filesystem cannot store a marked, preallocated image ({error.strerror})",
        "name a directory on ext4, xfs, btrfs or tmpfs in config/testbeds/<name>.yaml",
    )
