"""How much of each recording a crash left: playable_program.py TASK, a JSON file with `folder`, `recorders`, `bytes` of each and `seed`.

It prints a list: for each recording the bytes from its begin that are what was written. Runs with the standard library alone.
"""

import json
import sys
from pathlib import Path
from typing import Any

from spindlemark.families.recording_survival import record_program
from spindlemark.families.shared.crash import content

BLOCK = 4096


def main(task: dict[str, Any]) -> list[int]:
    """The playable bytes of each recording."""
    block, folder = content.block(task["seed"]), Path(task["folder"])
    return [playable(folder / record_program.path(n), block, n, task["bytes"]) for n in range(task["recorders"])]


def playable(path: Path, block: bytes, number: int, size: int) -> int:
    """Bytes from the begin of a file that equal the recording; 0 where it is missing. What cannot be read ends them."""
    good = 0
    try:
        with path.open("rb") as file:
            for piece in content.pieces(block, number, size):
                found = file.read(len(piece))
                if found != piece:
                    return good + _equal(found, piece)
                good += len(piece)
    except OSError:
        return good
    return good


def _equal(found: bytes, piece: bytes) -> int:
    """Bytes of whole blocks, or of the rest of the file, that are equal."""
    at = 0
    while at < len(found):
        end = min(at + BLOCK, len(found))
        if found[at:end] != piece[at:end]:
            break
        at = end
    return at


if __name__ == "__main__":
    print(json.dumps(main(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))))
