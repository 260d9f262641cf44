"""Writing a file: complete or not at all."""

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
    """Yield a name of this process alone for a new file, which is renamed to `path` at the end.

    Raises UserError where that is not possible, as on a full disk; what was there is then left as it was.
    """
    target = path.with_name(f".{path.name}.{os.getpid()}{PARTIAL}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield target
        target.replace(path)
    except BaseException as error:
        with suppress(OSError):
            target.unlink(missing_ok=True)
        if not isinstance(error, OSError):
            raise
        raise as_user_error(error) or UserError(
            f"{path}: cannot be written: {error.strerror}", "make it a place that can be written to"
        ) from None
