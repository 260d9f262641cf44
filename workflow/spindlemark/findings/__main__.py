"""`python -m spindlemark.findings DATABASE --stability 0.2 --output FILE`: write the findings of one database."""

import argparse
import gc
from pathlib import Path

from spindlemark.errors import command
from spindlemark.findings import compute, load
from spindlemark.written import write


def main() -> None:
    """Parse the arguments and write; the same database gives the same bytes."""
    parser = argparse.ArgumentParser(prog="python -m spindlemark.findings", description=__doc__)
    parser.add_argument("database", type=Path, help="DuckDB file to read")
    parser.add_argument("--stability", type=float, required=True,
                        help="widest interval of a stable cell, as a share of its median")
    parser.add_argument("--output", type=Path, required=True, help="JSON file to write")
    given = parser.parse_args()
    write(given.output, compute(given.database, load(), given.stability).model_dump_json())


if __name__ == "__main__":
    gc.disable()  # nothing here is cyclic, and looking for what is takes a tenth of the time
    command(main)
