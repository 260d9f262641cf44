"""Files at the root of the site for all versions: version list, feed, site map, robots.txt, and the page for missing
addresses. Feed and site map need the site's public address.
"""

import json
import re
from collections.abc import Iterable
from itertools import zip_longest
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from spindlemark.release.citation import formats as citation
from spindlemark.release.version_name import is_version
from spindlemark.site import archived, redirects
from spindlemark.site.models import kinds
from spindlemark.site.sources import CURRENT

LIST = "versions.json"  # read by the script of every page, and by `./spindlemark deploy` to recognise a site of this program
FORMAT = 1
MOST_ADDRESSES = 50_000  # of one site map, by its protocol
ATOM = "http://www.w3.org/2005/Atom"
SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
ABSOLUTE = re.compile(r' ((?:href|src|data-versions)=")/')


def write(folder: Path, root: str, versions: list[dict], address: str | None, base: str = "/") -> None:
    """Write the files below `folder`, which holds every version of the list and shows `root` at its own root.

    `versions`: the releases, newest first, each with version, released (ISO date) and statement. `address` ends with a
    slash; without it there is neither feed nor site map. `base` is the path under which this copy is served, for the
    page for missing addresses.
    """
    held = [
        {key: v[key] for key in ("version", "released", "statement")}
        for v in versions
        if (folder / v["version"]).is_dir()
    ]
    listed = {"generator": "spindlemark", "format": FORMAT, "versions": held}
    content = json.dumps(listed, indent=1, ensure_ascii=False) + "\n"
    kinds.check("versions", content)
    _text(folder / LIST, content)
    _not_found(folder / "404.html", base if root == CURRENT else f"{base}{root}/")
    _text(folder / "robots.txt", "User-agent: *\nAllow: /\n" + (f"Sitemap: {address}sitemap.xml\n" if address else ""))
    _text(folder / ".nojekyll", "")  # GitHub would leave out names that begin with an underscore
    if address:
        _text(folder / "feed.xml", _feed(held, address))
        _site_map(folder, held, address)


def _not_found(page: Path, own: str) -> None:
    """Make the page's links absolute, below its version's path `own`: it is shown at any missing address."""
    text = page.read_text(encoding="utf-8")
    page.unlink()  # it may be a hard link to the built page
    _text(page, ABSOLUTE.sub(rf" \g<1>{own}", text))


def _feed(versions: list[dict], address: str) -> str:
    """Atom (RFC 4287): an entry per release, which never changes."""
    feed = Element("feed", xmlns=ATOM)
    _add(feed, "title", "Spindlemark: versions")
    _add(feed, "id", address)
    _add(feed, "updated", _moment(max((v["released"] for v in versions), default="1970-01-01")))
    _add(feed, "link", rel="self", type="application/atom+xml", href=f"{address}feed.xml")
    _add(feed, "link", rel="alternate", type="text/html", href=address)
    _add(SubElement(feed, "author"), "name", citation.load().publisher)
    for v, older in zip_longest(versions, versions[1:]):
        own = f"{address}{v['version']}/"
        entry = SubElement(feed, "entry")
        _add(entry, "title", f"Spindlemark {v['version']}")
        _add(entry, "id", own)
        _add(entry, "updated", _moment(v["released"]))
        _add(entry, "link", rel="alternate", type="text/html", href=own)
        if older:
            _add(
                entry,
                "link",
                rel="related",
                type="text/html",
                title=f"What changed since {older['version']}",
                href=f"{own}versions/{older['version']}/",
            )
        _add(entry, "summary", v["statement"])
    return _xml(feed)


def _site_map(folder: Path, versions: list[dict], address: str) -> None:
    """A map of each release's pages that search engines may show, and an index of the maps."""
    index = Element("sitemapindex", xmlns=SITEMAP)
    for v in versions:
        pages = sorted(
            page.parent.relative_to(folder).as_posix() + "/"
            for page in (folder / v["version"]).rglob("index.html")
            if not redirects.is_one(page) and archived.NO_INDEX not in page.read_text(encoding="utf-8")
        )
        for at in range(0, len(pages), MOST_ADDRESSES):
            name = f"{v['version']}/sitemap{f'-{at // MOST_ADDRESSES + 1}' if at else ''}.xml"
            urls = Element("urlset", xmlns=SITEMAP)
            for page in pages[at : at + MOST_ADDRESSES]:
                url = SubElement(urls, "url")
                _add(url, "loc", address + page)
                _add(url, "lastmod", v["released"])
            _text(folder / name, _xml(urls))
            sitemap = SubElement(index, "sitemap")
            _add(sitemap, "loc", address + name)
            _add(sitemap, "lastmod", v["released"])
    _text(folder / "sitemap.xml", _xml(index))


def known(text: str) -> list[str]:
    """The versions in the published list of a site; raises ValueError if `text` is not such a list."""
    found: Any = json.loads(text)
    if not isinstance(found, dict) or found.get("generator") != "spindlemark" or found.get("format") != FORMAT:
        raise ValueError("is not a list of versions of this program")
    names = [str(v["version"]) for v in _dicts(found.get("versions"))]
    if not all(map(is_version, names)):
        raise ValueError("contains an invalid version name")
    return names


def _dicts(found: Any) -> Iterable[dict]:
    if not isinstance(found, list) or not all(isinstance(v, dict) and "version" in v for v in found):
        raise ValueError("has no list of versions")
    return found


def _moment(day: str) -> str:
    return f"{day}T00:00:00Z"


def _add(parent: Element, name: str, text: str | None = None, **attributes: str) -> None:
    SubElement(parent, name, attributes).text = text


def _xml(root: Element) -> str:
    indent(root, "")
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
