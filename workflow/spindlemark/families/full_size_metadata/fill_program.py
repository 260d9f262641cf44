"""Create the folders and files of a library and allocate their space: fill_program.py FOLDER LIBRARY.

A process of its own, as a step of the measurement. LIBRARY is the resolved factor as JSON. It prints one line of JSON with
the seconds of creation and allocation, without those to make the list of files. It ends with UNAVAILABLE where the
filesystem cannot allocate, and with 1 on another error; the last line on standard error says why.
"""

import ctypes
import errno
import json
import os
import sys
import time
from typing import Any

from spindlemark.families.shared.media import sizes
from spindlemark.families.shared.media.library_tree import tree
from spindlemark.families.shared.program_report import report

UNAVAILABLE = 69  # EX_UNAVAILABLE of sysexits.h
_LIBC = ctypes.CDLL(None, use_errno=True)


def fill(folder: str, library: dict[str, Any]) -> float:
    """Make `folder` and everything in it, in the library's order; returns the seconds. Raises OSError."""
    layout, lengths = tree(library), sizes(library).tolist()
    paths = layout.paths(range(len(lengths)))
    begun = time.perf_counter()
    os.mkdir(folder)  # noqa: PTH102  # as the others
    root = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    for directory in layout.directories:
        os.mkdir(directory, dir_fd=root)
    for path, length in zip(paths, lengths, strict=True):
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644, dir_fd=root)
        _allocate(descriptor, length)
        os.close(descriptor)
    os.close(root)
    return time.perf_counter() - begun


def _allocate(descriptor: int, size: int) -> None:
    """Allocate blocks. posix_fallocate would write a byte to each block where the filesystem cannot allocate."""
    if _LIBC.fallocate64(descriptor, 0, ctypes.c_int64(0), ctypes.c_int64(size)):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def main(folder: str, library: str) -> int:
    """Fill the folder; returns the exit code."""
    declared = json.loads(library)
    try:
        report(fill(folder, declared), files=declared["files"])
    except OSError as error:
        print(error.strerror, file=sys.stderr)
        return UNAVAILABLE if error.errno in (errno.EOPNOTSUPP, errno.ENOSYS) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
