"""Writing a text file: complete or not at all."""

import os
from contextlib import suppress
from pathlib import Path

from spindlemark.errors import UserError, mendable

PARTIAL = ".partial"


def write(path: Path, text: str) -> None:
    """Write `text` with an end of line under a name of this process alone, then rename it.

    Raises UserError where that is not possible, as on a full disk; what was there is then left as it was.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}{PARTIAL}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(text.removesuffix("\n") + "\n", encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        with suppress(OSError):
            partial.unlink()
        raise mendable(error) or UserError(f"{path}: cannot be written: {error.strerror}",
                                           "make it a place that can be written to") from None
