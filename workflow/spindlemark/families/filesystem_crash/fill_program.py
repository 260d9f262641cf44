"""Write files one after the other, and note how far the log of the disk's writes was when each was finished.

Its argument is a JSON file: `folder`, `files`, `bytes` of each, `seed`, `each` (sync each file), `log` of writes, and `noted`,
the JSON file that it writes: the bytes of the log after each file. Runs with the standard library alone.
"""

import json
import os
import sys
from pathlib import Path

from spindlemark.core.sync_folder import sync_folder
from spindlemark.families.shared.crash import content


def main(task: dict) -> list[int]:
    """Write all files; return the size of the log after each was closed, and synced if that is asked for."""
    block, found = content.block(task["seed"]), []
    for number in range(task["files"]):
        path = Path(task["folder"]) / content.path(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb", buffering=0) as file:
            for piece in content.pieces(block, number, task["bytes"]):
                _write(file.fileno(), piece)
            if task["each"]:
                os.fsync(file.fileno())
        if task["each"]:
            _sync_folders(path.parent, Path(task["folder"]).parent)
        found.append(Path(task["log"]).stat().st_size)
    return found


def _write(file: int, piece: bytes) -> None:
    rest = memoryview(piece)
    while rest:
        rest = rest[os.write(file, rest) :]


def _sync_folders(folder: Path, last: Path) -> None:
    """Sync a folder and those above it up to `last`, so that the name of a new file survives too."""
    while True:
        sync_folder(folder)
        if folder == last:
            return
        folder = folder.parent


if __name__ == "__main__":
    given = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    Path(given["noted"]).write_text(json.dumps(main(given)), encoding="utf-8")
