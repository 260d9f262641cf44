"""`python -m spindlemark.site.assemble --root V --output DIR V=HTML_DIR ...`: put all versions under one root.

Every release is stored once, at the permanent address `/<version>/`. With `--root current` the root shows unreleased
results. With a release as `--root`, the root redirects to each of its pages, and unreleased results are at `/unreleased/`.
"""

import argparse
import re
import shutil
from pathlib import Path
from urllib.parse import urlsplit

from spindlemark.core.errors import UserError, command
from spindlemark.release import publication
from spindlemark.site import chart_files, machines, packed_pages, record_packs, redirects, site_root, sources
from spindlemark.site.replace_folder import link, linked, swapped
from spindlemark.site.sources import CURRENT
from spindlemark.site.studies import locations

# Links of unreleased results to the root of the site. If they are below /unreleased/, the root is one folder up.
TO_ROOT = re.compile(r'((?:href|src|data-spec|data-versions)=")([^"]*" data-from="root")')
# Folders whose files have the hash of their content in their name.
SHARED = (
    "assets",
    chart_files.FOLDER,
    packed_pages.FOLDER,
    record_packs.FOLDER,
    machines.CONTRIBUTIONS,
    locations.SOURCES,
)
UNRELEASED = "unreleased"
NOT_FOUND = "404.html"
NEWEST, RENAMED = "This page is in the newest version,", "This version is now called"


def assemble(
    root: str, versions: dict[str, Path], output: Path, listed: list[dict], address: str | None = None, base: str = "/"
) -> None:
    """Put the HTML of every version in its place below `output`, which is replaced at the end.

    Files are hard links to those of the versions where possible, so replace a file to change it. `listed` are the
    releases, newest first. `address` is the site's public address, which feed and site map need; `base` is the path
    under which this copy is served. Raises UserError for a version without HTML and for a root that is not a version.
    """
    if root not in versions:
        raise UserError(
            f"--root {root}: is not one of the given versions: {', '.join(versions) or 'none'}",
            "give it as VERSION=HTML_DIR too",
        )
    for version, folder in versions.items():
        if not (folder / "index.html").exists():
            raise UserError(f"{folder}: has no site of version {version}", "build it: python -m spindlemark.site.hugo")
    with swapped(output) as fresh:
        if root == CURRENT:
            linked(versions[root], fresh)
            _separate_file(fresh / "index.html")
        else:
            if (versions[root] / NOT_FOUND).exists():
                link(str(versions[root] / NOT_FOUND), str(fresh / NOT_FOUND))
            _redirect(root, versions[root], fresh, address)
        for version, folder in versions.items():
            if version != CURRENT:
                linked(folder, fresh / version)
                _share(fresh, version)
                (fresh / version / NOT_FOUND).unlink(missing_ok=True)
            elif root != CURRENT:
                shutil.copytree(folder, fresh / UNRELEASED, copy_function=_copy_unreleased)
                (fresh / UNRELEASED / NOT_FOUND).unlink(missing_ok=True)
                _share(fresh, UNRELEASED)
        _redirect_former_names(versions, listed, fresh, address)
        site_root.write(fresh, root, listed, address, base)


def _share(fresh: Path, version: str) -> None:
    """Move what versions share from the folder of one to the root."""
    for folder in SHARED:
        own = fresh / version / folder
        for file in sorted(path for path in own.rglob("*") if path.is_file()):
            target = fresh / folder / file.relative_to(own)
            target.parent.mkdir(parents=True, exist_ok=True)
            file.replace(target)
        shutil.rmtree(own, ignore_errors=True)


def _redirect_former_names(versions: dict[str, Path], listed: list[dict], fresh: Path, address: str | None) -> None:
    """Redirect from the former address of each release that was renamed."""
    for entry in listed:
        former, version = entry.get("former"), entry["version"]
        if former and former not in versions and version in versions:
            _redirect(version, versions[version], fresh, address, former)


def _redirect(version: str, folder: Path, fresh: Path, address: str | None, former: str = "") -> None:
    """Write a redirect to each page of a release: at the root, or below the former name of the release."""
    for page in folder.rglob("index.html"):
        own = page.parent.relative_to(folder)
        here = Path(former) / own
        place = f"{version}/{own.as_posix()}/" if own.parts else f"{version}/"
        target = "../" * len(here.parts) + place
        canonical = f"{address}{place}" if address else ""
        (fresh / here).mkdir(parents=True, exist_ok=True)
        text = redirects.page(target, f"Spindlemark {version}", RENAMED if former else NEWEST, canonical)
        (fresh / here / "index.html").write_text(text, encoding="utf-8")


def _separate_file(page: Path) -> None:
    """Replace a hard link by a file: its time is that of the assembly, which rules/site.smk compares."""
    content = page.read_bytes()
    page.unlink()
    page.write_bytes(content)


def _copy_unreleased(source: str, target: str) -> None:
    """Copy a file of the unreleased results, which were written for the root, into a folder below it."""
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
    parser.add_argument("--public", action="store_true", help="assemble for the public address instead of this machine")
    parser.add_argument("versions", nargs="+", metavar="VERSION=HTML_DIR")
    given = parser.parse_args()
    folders = dict(entry.split("=", 1) for entry in given.versions if "=" in entry)
    address = publication.site()
    base = urlsplit(address).path if address and given.public else "/"
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
