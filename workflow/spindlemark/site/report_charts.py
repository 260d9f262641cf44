"""`python -m spindlemark.site.report_charts PAGES --output DIR`: the main charts of a version as files, for Snakemake's report.

The output has the share card, and in one folder per family the comparison of its most important task and the charts of its
overview.
"""

import argparse
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from spindlemark.core.errors import command
from spindlemark.site import address, share_card
from spindlemark.site.replace_folder import swapped

OVERVIEW = "all"  # folder of the share card
FONT = ' font-family="Liberation Sans, Arial, sans-serif"'


def write(pages: Path, output: Path) -> None:
    """Write the charts of a version's `pages` as `output`/<family>/<chart>.svg, in the colours of the light page."""
    (output / OVERVIEW).mkdir()
    shutil.copyfile(pages / "static" / share_card.PATH, output / OVERVIEW / "recommendation.png")
    for family, title, svg in [*_comparisons(pages), *_overviews(pages)]:
        target = output / family / f"{address.slug(title)}.svg"
        target.parent.mkdir(exist_ok=True)
        drawn = share_card.in_light_colours(svg).replace("<svg", f"<svg{FONT}", 1)
        target.write_text(drawn, encoding="utf-8")


def _comparisons(pages: Path) -> Iterator[tuple[str, str, str]]:
    """Family, title and drawing of the first comparison of each measured family; tasks with more weight come first."""
    found: dict[str, Any] = {}
    for metric in _data(pages, "explore")["metrics"]:
        if metric.get("svg"):
            found.setdefault(metric["family"], metric)
    yield from ((family, page["title"], page["svg"]) for family, page in found.items())


def _overviews(pages: Path) -> Iterator[tuple[str, str, str]]:
    """Family, title and drawing of the charts that represent the questions of each family."""
    for group in _data(pages, "groups"):
        yield from ((group["family"], shown["title"], shown["svg"]) for shown in group["pictures"] if "svg" in shown)


def _data(pages: Path, name: str) -> Any:
    return json.loads((pages / "data" / f"{name}.json").read_text(encoding="utf-8"))


def main() -> int:
    """Write the charts of one version."""
    parser = argparse.ArgumentParser(prog="spindlemark.site.report_charts", description=__doc__)
    parser.add_argument("pages", type=Path, help="Hugo input of the version")
    parser.add_argument("--output", type=Path, required=True, help="folder to write; replaced if it exists")
    given = parser.parse_args()
    with swapped(given.output) as folder:
        write(given.pages, folder)
    return 0


if __name__ == "__main__":
    command(main)
