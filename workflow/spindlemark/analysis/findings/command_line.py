"""The command of whatever computes statistics of one database: `DATABASE --stability 0.2 --output FILE`."""

import argparse
from collections.abc import Callable
from pathlib import Path

from pydantic import BaseModel

from spindlemark.analysis.findings.settings import Recommendations, load
from spindlemark.core.atomic_write import write


def main(module: str, description: str, compute: Callable[[Path, Recommendations, float], BaseModel]) -> None:
    """Parse the arguments of `python -m module` and write what is computed; the same database gives the same bytes."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=description)
    parser.add_argument("database", type=Path, help="DuckDB file to read")
    parser.add_argument(
        "--stability", type=float, required=True, help="widest interval of a stable cell, as a share of its median"
    )
    parser.add_argument("--output", type=Path, required=True, help="JSON file to write")
    given = parser.parse_args()
    write(given.output, compute(given.database, load(), given.stability).model_dump_json())
