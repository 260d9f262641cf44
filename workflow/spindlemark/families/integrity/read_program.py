"""Read all files and compare them with what was written: read_program.py FOLDER FILES SEED OUTPUT.

OUTPUT gets a JSON object with the numbers of the files that are not whole: `error` (reading returned an error), `missing` and
`different`, and with `listing`, the number of errors when the folders were listed. Runs with the standard library alone.
"""

import json
import os
import sys
from pathlib import Path

from spindlemark.families.integrity import tree

ERROR, MISSING, DIFFERENT, LISTING = "error", "missing", "different", "listing"


def main(folder: Path, files: int, seed: int) -> dict:
    """Return the files by their state; those that are whole are left out."""
    failed: list[OSError] = []
    for _ in os.walk(folder, onerror=failed.append):
        pass
    found: dict[str, list[int]] = {ERROR: [], MISSING: [], DIFFERENT: []}
    for file in range(files):
        if state := _state(folder / tree.path(file), tree.content(file, seed)):
            found[state].append(file)
    return found | {LISTING: len(failed)}


def _state(path: Path, expected: bytes) -> str | None:
    try:
        with path.open("rb") as file:  # a damaged size can be larger than memory: one byte too many is enough
            return None if file.read(len(expected) + 1) == expected else DIFFERENT
    except (FileNotFoundError, NotADirectoryError):
        return MISSING
    except OSError:
        return ERROR


if __name__ == "__main__":
    found = main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
    Path(sys.argv[4]).write_text(json.dumps(found), encoding="utf-8")
