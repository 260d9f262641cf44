"""`python -m spindlemark.site.assemble --root V --output DIR V=HTML_DIR ...`: all versions under one root.

Every release is at `/<version>/` permanently, once. The root shows unreleased results where `--root` says so; of a
release, each page has a short page at the root that leads to it, and unreleased results lie at `/unreleased/` then.
"""

import argparse
import re
import shutil
from pathlib import Path
from urllib.parse import urlsplit
from xml.sax.saxutils import quoteattr

from spindlemark.core.errors import UserError, command
from spindlemark.release import publication
from spindlemark.site import site_root, sources
from spindlemark.site.replace_folder import link, linked, swapped
from spindlemark.site.sources import CURRENT

# Unreleased results are written for the root. Where a release has it, their links to the root lead one folder further.
TO_ROOT = re.compile(r'((?:href|data-versions)=")([^"]*" data-from="root")')
BESIDE = "unreleased"
NOT_FOUND = "404.html"
NEWEST, RENAMED = "This page is in the newest version,", "This version is now called"
# No style and no script: it is seen for a moment at most, and works wherever files are served.
LEADING = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="generator" content="Spindlemark">
<title>Spindlemark {version}</title><link rel="icon" href="data:,">
<meta http-equiv="refresh" content={refresh}>{canonical}</head>
<body><p>{words} <a href={target}>{version}</a>.</p></body></html>
"""


def assemble(
    root: str, versions: dict[str, Path], output: Path, listed: list[dict], address: str | None = None, base: str = "/"
) -> None:
    """Put the HTML of every version in its place below `output`, which is replaced at the end.

    Files are hard links to those of the versions where that is possible: whoever changes one writes it again.
    `listed` are the releases, newest first. `address` is the site's public address: only with it can feed and site map
    be written; `base` is the path under which this copy is served. Raises UserError for a version without HTML and for
    a root that is not among the versions.
    """
    if root not in versions:
        raise UserError(
            f"--root {root}: is not among the versions given: {', '.join(versions) or 'none'}",
            "give it as VERSION=HTML_DIR too",
        )
    for version, folder in versions.items():
        if not (folder / "index.html").exists():
            raise UserError(
                f"{folder}: holds no site of version {version}", "build it: python -m spindlemark.site.hugo"
            )
    with swapped(output) as fresh:
        if root == CURRENT:
            linked(versions[root], fresh)
            _anew(fresh / "index.html")
        else:
            if (versions[root] / NOT_FOUND).exists():
                link(str(versions[root] / NOT_FOUND), str(fresh / NOT_FOUND))
            _lead(root, versions[root], fresh, address)
        for version, folder in versions.items():
            if version != CURRENT:
                linked(folder, fresh / version)
                (fresh / version / NOT_FOUND).unlink(missing_ok=True)
            elif root != CURRENT:
                shutil.copytree(folder, fresh / BESIDE, copy_function=_copy_beside)
                (fresh / BESIDE / NOT_FOUND).unlink(missing_ok=True)
        _lead_from_former(versions, listed, fresh, address)
        site_root.write(fresh, root, listed, address, base)


def _lead_from_former(versions: dict[str, Path], listed: list[dict], fresh: Path, address: str | None) -> None:
    """Pages at the former address of each release that was renamed."""
    for entry in listed:
        former, version = entry.get("former"), entry["version"]
        if former and former not in versions and version in versions:
            _lead(version, versions[version], fresh, address, former)


def _lead(version: str, folder: Path, fresh: Path, address: str | None, former: str = "") -> None:
    """A page for each page of a release, which leads to it: at the root, or below the former name of the release."""
    for page in folder.rglob("index.html"):
        own = page.parent.relative_to(folder)
        here = Path(former) / own
        place = f"{version}/{own.as_posix()}/" if own.parts else f"{version}/"
        target = "../" * len(here.parts) + place
        canonical = f'<link rel="canonical" href={quoteattr(address + place)}>' if address else ""
        (fresh / here).mkdir(parents=True, exist_ok=True)
        (fresh / here / "index.html").write_text(
            LEADING.format(
                words=RENAMED if former else NEWEST,
                version=version,
                refresh=quoteattr(f"0; url={target}"),
                target=quoteattr(target),
                canonical=canonical,
            ),
            encoding="utf-8",
        )


def _anew(page: Path) -> None:
    """Make a link a file of its own: its time says when the site was put together, and rules/site.smk asks for it."""
    content = page.read_bytes()
    page.unlink()
    page.write_bytes(content)


def _copy_beside(source: str, target: str) -> None:
    """Put a file of the unreleased results into a folder below the root that they were written for."""
    if not source.endswith(".html"):
        link(source, target)
        return
    text = Path(source).read_text(encoding="utf-8")
    Path(target).write_text(TO_ROOT.sub(r"\1../\2", text), encoding="utf-8")


def main() -> int:
    """Parse the arguments and assemble."""
    parser = argparse.ArgumentParser(prog="spindlemark.site.assemble", description=__doc__)
    parser.add_argument("--root", required=True, help="version that the root shows")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--versions", type=Path, required=True, help="list of all releases", dest="listed")
    parser.add_argument("--online", action="store_true", help="for the site's address, not for this machine")
    parser.add_argument("versions", nargs="+", metavar="VERSION=HTML_DIR")
    given = parser.parse_args()
    folders = dict(entry.split("=", 1) for entry in given.versions if "=" in entry)
    address = publication.site()
    base = urlsplit(address).path if address and given.online else "/"
    assemble(
        given.root,
        {v: Path(f) for v, f in folders.items()},
        given.output,
        sources.read_versions(given.listed),
        address,
        base,
    )
    return 0


if __name__ == "__main__":
    command(main)
