"""Reading a file that another user may have put there: whole, of bounded size, and without blocking."""

import os
import stat
from pathlib import Path

from spindlemark.core.errors import UserError


def read(path: Path, most: int, remedy: str) -> bytes:
    """The content of a regular file of up to `most` bytes; raises UserError with `remedy` for anything else."""
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise UserError(f"{path}: is not a regular file", remedy)
        if found.st_size > most:
            raise UserError(f"{path}: has {found.st_size} bytes; the limit is {most}", remedy)
        with open(path, "rb", opener=_at_once) as file:
            return file.read(found.st_size)
    except FileNotFoundError:
        raise UserError(f"{path}: no such file", remedy) from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}", remedy) from None
    except ValueError as error:  # NUL in the name
        raise UserError(f"{path}: cannot be read: {error}", remedy) from None


def _at_once(path: str, flags: int) -> int:
    """Open without waiting for the other end of a FIFO that replaced the file meanwhile."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)
