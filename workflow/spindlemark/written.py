"""Writing a text file: complete or not at all."""

import contextlib
import os
from pathlib import Path

PARTIAL = ".partial"


def write(path: Path, text: str) -> None:
    """Write `text` with an end of line under a name of this process alone, then rename it.

    On a full disk what was there is left as it was; raises OSError, which names the file.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}{PARTIAL}")
    try:
        partial.write_text(text.removesuffix("\n") + "\n", encoding="utf-8")
        partial.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise
