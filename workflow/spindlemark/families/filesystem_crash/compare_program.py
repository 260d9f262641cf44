"""Compare the files that a crash left with what was written: compare_program.py TASK, a JSON file.

TASK has `folder`, `files` (the first of them, which were finished), `bytes` of each and `seed`. It prints how many files are
whole, missing, short (or too long) and different. Runs with the standard library alone.
"""

import json
import sys
from collections import Counter
from pathlib import Path

from spindlemark.families.shared.crash import content

WHOLE, MISSING, SHORT, DIFFERENT = "whole", "missing", "short", "different"


def main(task: dict) -> dict[str, int]:
    """Count the files by their state."""
    block, folder = content.block(task["seed"]), Path(task["folder"])
    found = Counter(state(folder / content.path(n), block, n, task["bytes"]) for n in range(task["files"]))
    return {name: found[name] for name in (WHOLE, MISSING, SHORT, DIFFERENT)}


def state(path: Path, block: bytes, file: int, size: int) -> str:
    """What became of one file; a file that cannot be read is different."""
    try:
        if path.stat().st_size != size:
            return SHORT
        with path.open("rb") as opened:
            same = all(opened.read(len(piece)) == piece for piece in content.pieces(block, file, size))
    except FileNotFoundError:
        return MISSING
    except OSError:
        return DIFFERENT
    return WHOLE if same else DIFFERENT


if __name__ == "__main__":
    print(json.dumps(main(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))))
