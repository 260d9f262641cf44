"""The image file behind the loop device: made by this program, marked as such, removed by it and by nobody else."""

import errno
import json
import os
import time
from pathlib import Path

from spindlemark.errors import UserError

# Only root can set or read a trusted attribute; it names the inode, so a copy of the file does not carry a valid mark.
MARK = "trusted.spindlemark"
PREFIX, SUFFIX = "spindlemark-", ".img"
# Of the image's size: what the backing filesystem must have free beyond it, for its own records of the allocation.
MARGIN = 0.02


def path_of(directory: Path, testbed: str) -> Path:
    """Where the testbed's image lies."""
    return directory / f"{PREFIX}{testbed}{SUFFIX}"


def make(directory: Path, testbed: str, size: int) -> Path:
    """Preallocate a marked image of `size` bytes; raises UserError when it does not fit or something is in the way.

    It gets its name only once it is marked and complete, so a crash never leaves an unmarked or short image.
    """
    directory.mkdir(parents=True, exist_ok=True)
    _require_space(directory, size)
    path = path_of(directory, testbed)
    folder = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    descriptor = None
    try:
        descriptor = os.open(directory, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)
        mark = {"testbed": testbed, "inode": os.fstat(descriptor).st_ino, "created": time.time_ns()}
        os.setxattr(descriptor, MARK, json.dumps(mark).encode())
        os.posix_fallocate(descriptor, 0, size)
        os.fsync(descriptor)
        # Only with a folder's descriptor does Python follow the link in /proc to the nameless file.
        os.link(f"/proc/self/fd/{descriptor}", path.name, dst_dir_fd=folder, follow_symlinks=True)
    except FileExistsError:
        raise UserError(f"{path}: is in the way and was not made by this program", "move it away") from None
    except OSError as error:
        raise _unsuitable(directory, error) from None
    finally:
        for opened in (folder, descriptor):
            if opened is not None:
                os.close(opened)
    return path


def complaint(path: Path, testbed: str | None = None, inode: int | None = None) -> str | None:
    """Why the file is not an image that this program made (for `testbed`, with that inode); None when it is."""
    if not (path.name.startswith(PREFIX) and path.name.endswith(SUFFIX)):
        return f"{path} has no name that this program gives"
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        return f"{path} cannot be opened: {error.strerror}"
    try:
        found = os.fstat(descriptor).st_ino
        mark = json.loads(os.getxattr(descriptor, MARK))
    except (OSError, ValueError):
        return f"{path} does not carry this program's mark"
    finally:
        os.close(descriptor)
    if not isinstance(mark, dict) or mark.get("inode") != found:
        return f"{path} carries the mark of another file"
    if inode is not None and inode != found:
        return f"{path} is not the file that the device has open"
    if testbed is not None and mark.get("testbed") != testbed:
        return f"{path} belongs to testbed {mark.get('testbed')}"
    return None


def remove(directory: Path, testbed: str) -> None:
    """Delete the testbed's image if it is ours; a file of its name without our mark stays."""
    path = path_of(directory, testbed)
    if complaint(path, testbed) is None:
        path.unlink()


def _require_space(directory: Path, size: int) -> None:
    stat = os.statvfs(directory)
    free, needed = stat.f_bavail * stat.f_frsize, int(size * (1 + MARGIN))
    if needed > free:
        raise UserError(f"{directory}: an image of {size} bytes needs {needed} bytes with its margin, {free} are free",
                        "free some, name another directory in config/testbeds/<name>.yaml, or lower image_size in "
                        "config/profiles/<profile>.yaml")


def _unsuitable(directory: Path, error: OSError) -> UserError:
    if error.errno == errno.ENOSPC:
        return UserError(f"{directory}: no space left for the image", "free some, or lower image_size in "
                                                                      "config/profiles/<profile>.yaml")
    return UserError(f"{directory}: its filesystem cannot hold a marked, preallocated image ({error.strerror})",
                     "name a directory on ext4, xfs, btrfs or tmpfs in config/testbeds/<name>.yaml")
