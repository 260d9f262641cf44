"""The script that draws charts in a browser: `python -m spindlemark.site.vega_script --output FILE`."""

import argparse
from pathlib import Path

import vl_convert

from spindlemark.core.atomic_write import write
from spindlemark.core.errors import UserError, command


def bundle() -> str:
    """Vega, Vega-Lite and vega-embed as one script that needs nothing else and sets `window.vegaEmbed`."""
    return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")


def read(path: Path) -> str:
    """The script as written by this module; raises UserError if it is missing."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UserError(
            f"{path}: no such file", f"create it: python -m spindlemark.site.vega_script --output {path}"
        ) from None


def main() -> None:
    """Parse the arguments and write the script; the same package gives the same bytes."""
    parser = argparse.ArgumentParser(prog="python -m spindlemark.site.vega_script", description=__doc__)
    parser.add_argument("--output", type=Path, required=True, help="JavaScript file to write")
    write(parser.parse_args().output, bundle())


if __name__ == "__main__":
    command(main)
