"""`python -m spindlemark.publish.assemble --root V --output DIR V=HTML_DIR ...`: all versions under one root.

Every release lies at `/<version>/` for ever; the root shows the version called by `--root`.
"""

import argparse
import re
import shutil
from pathlib import Path
from xml.sax.saxutils import escape

from spindlemark.errors import UserError, command
from spindlemark.publish.sources import CURRENT
from spindlemark.publish.swap import swapped
from spindlemark.release import publication

# Pages are written for /<version>/, so a link to another version leads through the folder above; templates mark it.
ELSEWHERE = re.compile(r'href="([^"]*)" data-from="root"')
ROBOTS = "User-agent: *\nAllow: /\n"


def assemble(root: str, versions: dict[str, Path], output: Path, address: str | None = None) -> None:
    """Copy the HTML of every version to its place below `output`, which is replaced at the end.

    `address` is the site's public address: only with it can a site map be written. Raises UserError for a version
    without HTML and for a root that is not among the versions.
    """
    if root not in versions:
        raise UserError(f"--root {root}: is not among the versions given: {', '.join(versions) or 'none'}",
                        "give it as VERSION=HTML_DIR too")
    for version, folder in versions.items():
        if not (folder / "index.html").exists():
            raise UserError(f"{folder}: holds no site of version {version}",
                            "build it: python -m spindlemark.publish.site")
    with swapped(output) as fresh:
        shutil.copytree(versions[root], fresh, dirs_exist_ok=True, copy_function=_copy_to_root)
        for version, folder in versions.items():
            if version != CURRENT:
                shutil.copytree(folder, fresh / version, dirs_exist_ok=True)
                (fresh / version / "404.html").unlink(missing_ok=True)
        (fresh / "robots.txt").write_text(ROBOTS + (f"Sitemap: {address}sitemap.xml\n" if address else ""))
        if address:
            (fresh / "sitemap.xml").write_text(_sitemap(fresh, address), encoding="utf-8")


def _copy_to_root(source: str, target: str) -> None:
    """Copy a file of the version that the root shows: there, the other versions lie one folder deeper."""
    if not source.endswith(".html"):
        shutil.copyfile(source, target)
        return
    text = Path(source).read_text(encoding="utf-8")
    Path(target).write_text(ELSEWHERE.sub(lambda link: link[0].replace("../", "", 1), text), encoding="utf-8")


def _sitemap(folder: Path, address: str) -> str:
    pages = sorted(p.relative_to(folder).as_posix().removesuffix("index.html") for p in folder.rglob("index.html"))
    entries = "".join(f"<url><loc>{escape(address + page)}</loc></url>\n" for page in pages)
    return ('<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
            f"{entries}</urlset>\n")


def main() -> int:
    """Parse the arguments and assemble."""
    parser = argparse.ArgumentParser(prog="spindlemark.publish.assemble", description=__doc__)
    parser.add_argument("--root", required=True, help="version that the root shows")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("versions", nargs="+", metavar="VERSION=HTML_DIR")
    given = parser.parse_args()
    folders = dict(entry.split("=", 1) for entry in given.versions if "=" in entry)
    assemble(given.root, {v: Path(f) for v, f in folders.items()}, given.output, publication.site())
    return 0


if __name__ == "__main__":
    command(main)
