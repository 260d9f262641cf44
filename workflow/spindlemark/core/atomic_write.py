"""Atomic writes: a file is complete or absent."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from spindlemark.core.errors import UserError, as_user_error

PARTIAL = ".partial"


def write(path: Path, text: str) -> None:
    """Write `text` with an end of line; see `partial`."""
    with partial(path) as target:
        target.write_text(text.removesuffix("\n") + "\n", encoding="utf-8")


@contextmanager
def partial(path: Path) -> Iterator[Path]:
    """Yield a temporary path, unique to this process; the file is renamed to `path` at the end.

    Raises UserError where that fails, for example on a full disk. An existing file then stays unchanged.
    """
    if not path.name:
        raise UserError(f"{path}: is a folder", "name a file")
    target = path.with_name(f".{path.name}.{os.getpid()}{PARTIAL}")
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):  # such as /dev/null, which root could replace
            raise UserError(f"{path}: is not a regular file", "name another one")
        path.parent.mkdir(parents=True, exist_ok=True)
        yield target
        target.replace(path)
    except BaseException as error:
        with suppress(OSError):
            target.unlink(missing_ok=True)
        if not isinstance(error, OSError):
            raise
        raise as_user_error(error) or UserError(
            f"{path}: cannot be written: {error.strerror}", "make it writable"
        ) from None
