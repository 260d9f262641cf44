"""Events of one call of the workflow, as JSON lines: Snakemake's (by the logger plugin) and those of our own jobs.

The file is named by an environment variable, which jobs inherit. Without it nothing is written.
"""

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

VARIABLE = "SPINDLEMARK_EVENTS"
Event = dict[str, Any]


def emit(event: str, **fields: object) -> None:
    """Append one event. A failure to write is ignored: the disk may be full, and the job reports that itself."""
    if file := os.environ.get(VARIABLE):
        append(Path(file), {"event": event, **fields})


def append(file: Path, event: Event) -> None:
    """Append one event to `file` in a single write, so that lines of several processes never mix."""
    with suppress(OSError), file.open("ab", buffering=0) as opened:
        opened.write(json.dumps(event, default=str).encode() + b"\n")


class Reader:
    """Reads events as they are appended to a file."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._offset = 0

    def new(self) -> Iterator[Event]:
        """Yield the events since the last call; a damaged line is left out."""
        try:
            with self.file.open("rb") as opened:
                opened.seek(self._offset)
                data = opened.read()
        except OSError:
            return
        whole = data[: data.rfind(b"\n") + 1]
        self._offset += len(whole)
        for line in whole.splitlines():
            with suppress(ValueError):
                if isinstance(found := json.loads(line), dict) and isinstance(found.get("event"), str):
                    yield found
