"""The image file behind the loop device: made by this program, marked as such, removed by it and by nobody else."""

import errno
import os
from pathlib import Path

from spindlemark.core.errors import UserError
from spindlemark.testbeds import mark

PREFIX, SUFFIX = "spindlemark-", ".img"
# Of the image's size: what the backing filesystem must have free beyond it, for its own records of the allocation.
MARGIN = 0.02
_AT_ONCE = 1 << 20


def path_of(directory: Path, testbed: str) -> Path:
    """Where the testbed's image lies."""
    return directory / f"{PREFIX}{testbed}{SUFFIX}"


def make(directory: Path, testbed: str, size: int, filled: bool = False) -> Path:
    """Preallocate a marked image of `size` bytes; raises UserError when it does not fit or something is in the way.

    `filled` writes zeros instead: memory that is only allocated is not there before the first write to it.

    It gets its name only once it is marked and complete, so a crash never leaves an unmarked or short image.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        folder = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise UserError(
            f"{directory}: is no folder for an image: {error.strerror}",
            "name another directory in config/testbeds/<name>.yaml",
        ) from None
    path, descriptor = path_of(directory, testbed), None
    try:
        _require_space(directory, size)
        descriptor = os.open(directory, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)
        mark.put(descriptor, path, testbed)
        (_fill if filled else _allocate)(descriptor, size)
        os.fsync(descriptor)
        # Only with a folder's descriptor does Python follow the link in /proc to the nameless file.
        os.link(f"/proc/self/fd/{descriptor}", path.name, dst_dir_fd=folder, follow_symlinks=True)
    except FileExistsError:
        raise UserError(f"{path}: is in the way: {complaint(path, testbed, left=True)}", "move it away") from None
    except OSError as error:
        raise _unsuitable(directory, error) from None
    finally:
        for opened in (folder, descriptor):
            if opened is not None:
                os.close(opened)
    return path


def complaint(
    path: Path,
    testbed: str | None = None,
    attached: tuple[int, int] | None = None,
    *,
    left: bool = False,
    renamed: bool = False,
) -> str | None:
    """Why the file is not an image that this program made (for `testbed`), or not the one that a device has `attached`
    (device, inode); None when it is. See mark.complaint for `left` and `renamed`.
    """
    if not (renamed or (path.name.startswith(PREFIX) and path.name.endswith(SUFFIX))):
        return f"{path} has no name that this program gives"
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        return f"{path} cannot be opened: {error.strerror}"
    try:
        found = os.fstat(descriptor)
        if attached is not None and attached != (found.st_dev, found.st_ino):
            return f"{path} is not the file that the device has open"
        return mark.complaint(descriptor, path, testbed, left=left, renamed=renamed)
    finally:
        os.close(descriptor)


def remove(directory: Path, testbed: str) -> None:
    """Delete the testbed's image if it is ours; a file of its name without our mark stays."""
    path = path_of(directory, testbed)
    if complaint(path, testbed, left=True) is None:
        path.unlink()


def _allocate(descriptor: int, size: int) -> None:
    os.posix_fallocate(descriptor, 0, size)


def _fill(descriptor: int, size: int) -> None:
    written, zeros = 0, bytes(_AT_ONCE)
    while written < size:
        written += os.pwrite(descriptor, zeros[: size - written], written)


def _require_space(directory: Path, size: int) -> None:
    stat = os.statvfs(directory)
    free, needed = stat.f_bavail * stat.f_frsize, int(size * (1 + MARGIN))
    if needed > free:
        raise UserError(
            f"{directory}: an image of {size} bytes needs {needed} bytes with its margin, {free} are free",
            "free some, name another directory in config/testbeds/<name>.yaml, or lower image_size in "
            "config/profiles/<profile>.yaml",
        )


def _unsuitable(directory: Path, error: OSError) -> UserError:
    if error.errno == errno.ENOSPC:
        return UserError(
            f"{directory}: no space left for the image",
            "free some, or lower image_size in config/profiles/<profile>.yaml",
        )
    return UserError(
        f"{directory}: its filesystem cannot hold a marked, preallocated image ({error.strerror})",
        "name a directory on ext4, xfs, btrfs or tmpfs in config/testbeds/<name>.yaml",
    )
