"""`python -m spindlemark.site.archived HTML_DIR --output DIR`: the HTML of a version that is no longer the newest.

Its long pages are packed as those of experiments are: few readers come to them, and they are most of a site of many versions.
Search engines are kept away from all but the pages of the version as a whole, since each newer version has nearly the same pages.
Questions lose their pictures for links on other sites; the version keeps its own.
"""

import argparse
import re
from pathlib import Path

from spindlemark.core.errors import UserError, command
from spindlemark.site import packed_pages, redirects, share_card
from spindlemark.site.replace_folder import linked, swapped

# Sections whose pages are packed.
LONG = ("experiment", "explore", "kernel", "library", "machine", "method", "planner", "question", "study", "versions")
CITED = (".", "cite", "data")  # the pages of the version as a whole
_PICTURE = re.compile(r'<meta property="og:image[^>]*>\n')
NO_INDEX = '<meta name="robots" content="noindex">'


def archive(html: Path, output: Path) -> None:
    """Put the HTML of a version below `output`, which is replaced, with packed pages. Raises UserError without HTML."""
    if not (html / "index.html").exists():
        raise UserError(f"{html}: has no site of a version", "build it: python -m spindlemark.site.hugo")
    with swapped(output) as folder:
        linked(html, folder)
        for picture in folder.glob(f"question/**/{share_card.PATH}"):
            picture.unlink()
        for page in sorted(folder.rglob("index.html")):
            place = page.parent.relative_to(folder)
            if place.parts[:1] and place.parts[0] in LONG:
                packed_pages.pack_whole(page, folder)
            if place.as_posix() not in CITED and not redirects.is_one(page):
                _hide(page)


def _hide(page: Path) -> None:
    """Keep search engines away from a page; replaces the file, which may be a link to that of the newest version."""
    text = page.read_text(encoding="utf-8")
    if NO_INDEX not in text:
        page.unlink()
        text = text if "/question/" not in "".join(_PICTURE.findall(text)) else _PICTURE.sub("", text)
        page.write_text(text.replace("</title>\n", f"</title>\n{NO_INDEX}\n", 1), encoding="utf-8")


def main() -> int:
    """Parse the arguments and write."""
    parser = argparse.ArgumentParser(prog="spindlemark.site.archived", description=__doc__)
    parser.add_argument("html", type=Path, metavar="HTML_DIR", help="output of spindlemark.site.hugo")
    parser.add_argument("--output", type=Path, required=True, help="folder to write; replaced when it exists")
    given = parser.parse_args()
    archive(given.html, given.output)
    return 0


if __name__ == "__main__":
    command(main)
