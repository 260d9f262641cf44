"""The built files: valid HTML, no dead link, nothing inline, the same bytes again, the right address everywhere."""

import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import built

from spindlemark.publish import address

RULES = {
    "extends": ["html-validate:recommended"],
    "rules": {
        "long-title": "off",  # a matter of search engines, not of validity
        "no-trailing-whitespace": "off",
        "require-sri": ["error", {"target": "all"}],
    },
}


class Links(HTMLParser):
    """Addresses and ids of one page."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag, attributes) -> None:
        found = dict(attributes)
        self.links += [found[name] for name in ("href", "src", "data-spec", "data-source", "data-draws", "data-vega")
                       if found.get(name)]
        if found.get("id"):
            self.ids.add(found["id"])


def read(path: Path) -> Links:
    parser = Links()
    parser.feed(path.read_text(encoding="utf-8"))
    return parser


def test_html_is_valid(site, empty, node, node_modules, tmp_path):
    config = tmp_path / ".htmlvalidate.json"
    config.write_text(json.dumps({"root": True, **RULES}))
    pages = [str(p) for folder in (site, empty) for p in sorted(folder.rglob("*.html"))]
    result = node(str(node_modules / "html-validate" / "bin" / "html-validate.mjs"), "--config", str(config),
                  "--formatter", "text", *pages)
    assert result.returncode == 0, result.stdout[:3000] + result.stderr[:1000]


def test_no_link_is_dead_and_none_leaves_the_site_unasked(site):
    pages = {path: read(path) for path in site.rglob("*.html")}
    dead = []
    for path, found in pages.items():
        for link in found.links:
            parts = urlsplit(link)
            if parts.scheme:
                assert parts.scheme == "https", f"{path}: {link}"
                continue
            base = site if link.startswith("/") else path.parent
            target = base / unquote(parts.path).lstrip("/") if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                dead.append(f"{path.relative_to(site)}: {link}")
            elif parts.fragment and parts.fragment not in pages[target.resolve()].ids:
                dead.append(f"{path.relative_to(site)}: {link} names no part of the page")
    assert dead == []


def test_nothing_is_inline_and_every_page_has_the_policy(site):
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert "Content-Security-Policy" in text and "unsafe" not in text.split("<title>")[0], path
        assert not re.search(r"<style|<[^>]+\sstyle=|<[^>]+\son\w+=", text), path
        assert not re.search(r"<script(?![^>]*\bsrc=)(?![^>]*application/ld\+json)", text), path


def test_same_inputs_give_the_same_bytes(made, tmp_path):
    def digest(folder: Path) -> dict[str, str]:
        files = [p for p in folder.rglob("*") if p.is_file()]
        return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}

    again = built.build_release(tmp_path, "2026.10", made / "releases")
    assert digest(again) == digest(made / "2026.10" / "html")


def test_a_release_offers_its_own_bytes(site, made):
    frozen = made / "releases" / "2026.10"
    for name in ("measurements.parquet", "findings.json", "manifest.json", "CITATION.cff"):
        assert (site / "2026.10" / "download" / name).read_bytes() == (frozen / name).read_bytes()
    listed = (site / "2026.10" / "data" / "index.html").read_text()
    for file in json.loads((frozen / "manifest.json").read_text())["files"]:
        if "/" not in file["path"]:
            assert file["sha256"] in listed, file["path"]


def test_raw_records_are_untouched(site, made):
    offered = sorted((site / "raw").rglob("rep-*.json"))
    assert len(offered) == len(list((made / "data" / "raw").rglob("rep-*.json"))) > 100
    plain = {"/".join(map(address.slug, path.relative_to(made / "data" / "raw").parts)): path
             for path in (made / "data" / "raw").rglob("rep-*.json")}
    for path in offered[::20]:
        assert path.read_bytes() == plain[path.relative_to(site / "raw").as_posix()].read_bytes()


def test_versions_say_where_they_stand(site):
    home, newest, old = ((site / part / "index.html").read_text() for part in ("", "2026.11", "2026.10"))
    assert "Unreleased." in home and "citation_title" not in home
    assert "Outdated." not in newest and "Unreleased." not in newest and 'name="citation_title"' in newest
    assert "Outdated." in old and 'href="./../2026.11/"' in old
    data = json.loads(re.search(r'<script type="application/ld\+json">(.*?)</script>', newest)[1])
    assert data["@type"] == "Dataset" and data["version"] == "2026.11" and data["distribution"]


def test_difference_between_versions_is_of_the_findings(site, made):
    page = (site / "2026.11" / "versions" / "2026.10" / "index.html").read_text()
    assert "2026.11 compared with 2026.10" in page
    same = (site / "versions" / "2026.11" / "index.html").read_text()
    assert "0 of" in same, "the unreleased results of this test are those of 2026.11"


def test_site_map_lists_every_page_once(site):
    addresses = re.findall(r"<loc>(.*?)</loc>", (site / "sitemap.xml").read_text())
    assert len(addresses) == len(set(addresses)) == len(list(site.rglob("index.html")))
