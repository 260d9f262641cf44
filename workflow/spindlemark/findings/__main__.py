"""Command line: python -m spindlemark.findings DATABASE --stability 0.2 --output FILE."""

from pathlib import Path
from typing import Annotated

import typer

from spindlemark.errors import UserError
from spindlemark.findings import compute, load


def main(
    database: Annotated[Path, typer.Argument(help="DuckDB file to read")],
    stability: Annotated[float, typer.Option(help="widest interval of a stable cell, as a share of its median")],
    output: Annotated[Path, typer.Option(help="JSON file to write")],
) -> None:
    """Write the findings of one database; the same database gives the same bytes."""
    text = compute(database, load(), stability).model_dump_json() + "\n"
    output.parent.mkdir(parents=True, exist_ok=True)
    partial = output.with_name(f".{output.name}.partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(output)


if __name__ == "__main__":
    try:
        typer.run(main)
    except UserError as error:
        typer.echo(f"error: {error}", err=True)
        raise SystemExit(2) from None
