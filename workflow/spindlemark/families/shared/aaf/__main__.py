"""Write or read a whole AAF file of study 000's graph, and print one line of JSON about it.

    python -m spindlemark.families.shared.aaf write FILE SOURCES SECTOR ESSENCE   the last two in bytes, ESSENCE for each file source mob
    python -m spindlemark.families.shared.aaf read FILE

`seconds` from the opening of FILE to its closing, `peak_bytes`, and what a reader found, as `graph.Seen` names it. What
pyaaf2 raises is its answer: exit code 1 and a line.
"""

import sys
import time
from dataclasses import asdict
from pathlib import Path

from spindlemark.families.shared.aaf import graph
from spindlemark.families.shared.program_report import report


def main() -> int:
    """Do what the command line asks for."""
    words = sys.argv[1:]
    begun = time.perf_counter()
    try:
        if len(words) == 5 and words[0] == "write":
            graph.write(Path(words[1]), graph.Shape(*map(int, words[2:])))
            report(time.perf_counter() - begun)
        elif len(words) == 2 and words[0] == "read":
            seen = graph.read(Path(words[1]))
            report(time.perf_counter() - begun, **asdict(seen))
        else:
            sys.exit("usage: write FILE SOURCES SECTOR ESSENCE | read FILE")
    except Exception as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
