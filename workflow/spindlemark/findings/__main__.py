"""`python -m spindlemark.findings DATABASE --stability 0.2 --output FILE`: write the findings of one database."""

import argparse
from pathlib import Path

from spindlemark.errors import command
from spindlemark.findings import compute, load


def main() -> None:
    """Parse the arguments and write; the same database gives the same bytes."""
    parser = argparse.ArgumentParser(prog="python -m spindlemark.findings", description=__doc__)
    parser.add_argument("database", type=Path, help="DuckDB file to read")
    parser.add_argument("--stability", type=float, required=True,
                        help="widest interval of a stable cell, as a share of its median")
    parser.add_argument("--output", type=Path, required=True, help="JSON file to write")
    given = parser.parse_args()
    text = compute(given.database, load(), given.stability).model_dump_json() + "\n"
    given.output.parent.mkdir(parents=True, exist_ok=True)
    partial = given.output.with_name(f".{given.output.name}.partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(given.output)


if __name__ == "__main__":
    command(main)
