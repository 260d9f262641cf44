"""`python -m spindlemark.crate VERSION --output FILE`, as the workflow calls it."""

import argparse
from pathlib import Path

from spindlemark import crate
from spindlemark.errors import command


def main() -> int:
    """Make the crate of one release."""
    parser = argparse.ArgumentParser(prog="spindlemark.crate", description=__doc__)
    parser.add_argument("version")
    parser.add_argument("--output", type=Path, required=True)
    given = parser.parse_args()
    crate.make(given.version, given.output)
    return 0


if __name__ == "__main__":
    command(main)
