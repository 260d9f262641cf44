"""`python -m spindlemark.site.deploy.dead_links FOLDER`: find dead links in a built site below its address.

Checks relative links of each page, and addresses of the site in pages, the feed and site maps.
"""

import argparse
import os
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from spindlemark.core.errors import command
from spindlemark.release import publication
from spindlemark.site import packed_pages

LINK = re.compile(r'\s(?:href|src|data-(?:spec|source|draws|versions))="([^"]*)"')
ID = re.compile(r'\sid="([^"]*)"')
WRITTEN = (".html", ".xml", "robots.txt")
BEFORE = '(?:(?<=")|(?<=>)|(?<=Sitemap: ))'  # in an attribute, JSON or XML, but not in a text that quotes an address
NOT_FOUND = "404.html"
NO_ADDRESS = "https://site.invalid/"  # for a site without an address


def dead(folder: Path, address: str | None) -> list[str]:
    """List the dead links of the site in `folder`, one per line; `address` ends with a slash.

    Each link of the 404 page must be absolute, because that page is shown at any address.
    """
    base = address or NO_ADDRESS
    files = {os.path.relpath(f"{at}/{name}", folder) for at, _, names in os.walk(folder) for name in names}
    ids: dict[str, set[str]] = {}
    found: list[str] = []
    for name in sorted(file for file in files if file.endswith(WRITTEN)):
        text = packed_pages.text(folder / name)
        for link in dict.fromkeys(_links(name, text, address)):
            if problem := _problem(link, name, base, files, ids, folder):
                found.append(f"{name}: {link}: {problem}")
    return found


def _links(name: str, text: str, address: str | None) -> Iterator[str]:
    if name.endswith(".html"):
        yield from map(unescape, LINK.findall(text))
    if address:
        yield from map(unescape, re.findall(rf'{BEFORE}{re.escape(address)}[^\s"<>\\]*', text))


def _problem(link: str, name: str, base: str, files: set[str], ids: dict[str, set[str]], folder: Path) -> str:
    """Return what is wrong with a link of the page `name`; empty if it works or leads to another site."""
    if name == NOT_FOUND and not urlsplit(link).netloc and not link.startswith(("/", "#")):
        return "is relative, but this page is shown in any folder"
    whole = urlsplit(urljoin(base + name, link))
    if whole.scheme not in ("http", "https") or whole.netloc != urlsplit(base).netloc:
        return ""
    if not whole.path.startswith(urlsplit(base).path):
        return f"leads out of {base}"
    target = unquote(whole.path.removeprefix(urlsplit(base).path))
    target = f"{target}index.html" if target.endswith("/") or not target else target
    if target not in files:
        return "does not exist"
    if whole.fragment and target.endswith(".html"):
        if target not in ids:
            ids[target] = set(map(unescape, ID.findall(packed_pages.text(folder / target))))
        if unquote(whole.fragment) not in ids[target]:
            return "has an unknown fragment"
    return ""


def main() -> int:
    """Print the dead links; exit code 1 if there are any."""
    parser = argparse.ArgumentParser(prog="spindlemark.site.deploy.dead_links", description=__doc__)
    parser.add_argument("folder", type=Path)
    found = dead(parser.parse_args().folder, publication.site())
    print("\n".join(found) or "There are no dead links.")
    return 1 if found else 0


if __name__ == "__main__":
    command(main)
