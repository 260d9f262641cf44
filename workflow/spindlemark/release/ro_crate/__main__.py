"""`python -m spindlemark.release.ro_crate VERSION --output FILE`, as the workflow calls it."""

import argparse
from pathlib import Path

from spindlemark.core.errors import command
from spindlemark.release.ro_crate import crate


def main() -> int:
    """Pack the crate of one release."""
    parser = argparse.ArgumentParser(prog="spindlemark.release.ro_crate", description=__doc__)
    parser.add_argument("version")
    parser.add_argument("--output", type=Path, required=True)
    given = parser.parse_args()
    crate.make(given.version, given.output)
    return 0


if __name__ == "__main__":
    command(main)
