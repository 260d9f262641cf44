"""The built files: valid HTML, no dead link, nothing inline, the same bytes again, the right address everywhere."""

import hashlib
import json
import re
import struct
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree

from PIL import Image

import built
from built import ELSEWHERE, PUBLIC
from spindlemark.release import manifest
from spindlemark.site import downloads, packed_pages, record_packs, redirects
from spindlemark.site.deploy import dead_links

RULES = {
    "extends": ["html-validate:recommended"],
    "rules": {
        "long-title": "off",  # a matter of search engines, not of validity
        "no-trailing-whitespace": "off",
        "require-sri": ["error", {"target": "all"}],
    },
}


def test_html_is_valid(site, empty, node, node_modules, tmp_path):
    config = tmp_path / ".htmlvalidate.json"
    config.write_text(json.dumps({"root": True, **RULES}))
    pages = [str(p) for folder in (site, empty) for p in sorted(folder.rglob("*.html"))]
    for number, page in enumerate(path for path in map(Path, pages[:]) if packed_pages.is_packed(path)):
        pages.append(str(tmp_path / f"{number}.html"))
        Path(pages[-1]).write_text(packed_pages.text(page), encoding="utf-8")
    result = node(
        str(node_modules / "html-validate" / "bin" / "html-validate.mjs"),
        "--config",
        str(config),
        "--formatter",
        "text",
        *pages,
    )
    assert result.returncode == 0, result.stdout[:3000] + result.stderr[:1000]


def test_no_link_is_dead_under_two_paths_and_none_leaves_the_site_unasked(site, online, small):
    assert (dead_links.dead(site, None), dead_links.dead(online, PUBLIC), dead_links.dead(small, ELSEWHERE)) == (
        [],
        [],
        [],
    )
    for path in online.rglob("*.html"):
        found = re.findall(r'\s(?:href|src)="([a-z]+:[^"]*)"', packed_pages.text(path))
        assert all(link.startswith("https:") or link == "data:," for link in found), path


def test_addresses_are_those_of_the_base(online, small):
    for folder, site in ((online, PUBLIC), (small, ELSEWHERE)):
        page = (folder / "2026.11/library/picture/index.html").read_text()
        own = f"{site}2026.11/"
        assert f'<link rel="canonical" href="{own}library/picture/">' in page
        assert f'<meta property="og:image" content="{own}card.png">' in page and f'"{own}library/picture/"' in page
        home = (folder / "2026.11/index.html").read_text()
        data = json.loads(re.search(r'<script type="application/ld\+json">(.*?)</script>', home)[1])
        assert data["url"] == own
        assert all(each["contentUrl"].startswith(f"{own}download/") for each in data["distribution"])
        base = urlsplit(site).path
        newest = json.loads((folder / "versions.json").read_text())["versions"][0]["version"]
        missing = re.findall(r'(?:href|src)="(/[^"]*?)[\w.-]*\.(?:css|js|svg)"', (folder / "404.html").read_text())
        assert set(missing) == {f"{base}{newest}/", f"{base}{newest}/../assets/"}


def test_the_picture_of_a_version_shows_its_own_chart(online):
    new, old = ((online / version / "card.png").read_bytes() for version in ("2026.11.1", "2026.11"))
    assert new != old and all(struct.unpack(">II", png[16:24]) == (1200, 630) for png in (new, old))
    with Image.open(online / "2026.11.1/card.png") as image:
        colours = {colour for n, colour in image.convert("RGB").getcolors(1 << 20) if n > 60}
    assert {(11, 98, 168), (194, 70, 15), (0, 121, 92)} & colours, "no subject's colour is in it"


def test_each_question_has_a_picture_of_its_own(online):
    pages = sorted((online / "2026.11.1/question").glob("*/index.html"))
    pictures = {page: re.search(r'property="og:image" content="([^"]*)"', page.read_text())[1] for page in pages}
    assert len(pages) > 1 and len(set(pictures.values())) > 1
    for page, picture in pictures.items():
        place = picture.removeprefix(PUBLIC)
        assert place in (f"2026.11.1/question/{page.parent.name}/card.png", "2026.11.1/card.png"), place
        assert (online / place).read_bytes()[:4] == b"\x89PNG"
    tab = next(path for page in pages for path in page.parent.glob("*/index.html") if "question/" in pictures[page])
    assert f'content="{pictures[tab.parent.parent / "index.html"]}"' in tab.read_text()


def test_nothing_is_inline_and_every_page_has_the_policy(site):
    for path in site.rglob("*.html"):
        text = packed_pages.text(path)
        assert "Content-Security-Policy" in text and "unsafe" not in text.split("<title>")[0], path
        assert not re.search(r"<style|<[^>]+\sstyle=|<[^>]+\son\w+=", text), path
        assert not re.search(r"<script(?![^>]*\bsrc=)(?![^>]*application/ld\+json)", text), path


def test_same_inputs_give_the_same_bytes(made, tmp_path):
    def digest(folder: Path) -> dict[str, str]:
        files = [p for p in folder.rglob("*") if p.is_file()]
        return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}

    again = built.build_release(tmp_path, "2026.11", made / "releases")
    assert digest(again) == digest(made / "2026.11" / "html")


def test_a_release_offers_its_own_bytes(site, made):
    frozen = made / "releases" / "2026.11"
    for name in ("measurements.parquet", "manifest.json", "CITATION.cff"):
        assert (site / "2026.11" / "download" / name).read_bytes() == (frozen / name).read_bytes()
    listed = (site / "2026.11" / "data" / "index.html").read_text()
    for file in json.loads((frozen / "manifest.json").read_text())["files"]:
        if "/" not in file["path"]:
            offered = file["path"] not in downloads.LEFT_OUT
            assert (file["sha256"] in listed) == offered, file["path"]
            assert (site / "2026.11/download" / file["path"]).exists() == offered


def test_raw_records_are_untouched(site, made):
    offered = {file for pack in (site / "records").glob("??/*.json.gz") for file in files_of(site, pack)}
    for path in (made / "data" / "raw").rglob("rep-*.json"):
        assert (path.parent.name, path.name, path.read_text()) in offered
    for version in ("2026.11", "2026.11.1"):
        assert not (site / version / "records").exists(), "versions share them"
        for path, content in manifest.records(made / "releases" / version):
            assert (*path.rsplit("/", 2)[1:], content.decode()) in offered


def files_of(site, pack):
    """Identity, name and text of each file of a pack."""
    name = pack.name.removesuffix(".json.gz")
    found = record_packs.read(site, name)
    assert record_packs.name_of(found) == name
    return [(json.loads(found["spec.json"])["identity"], name, text) for name, text in found.items()]


def test_versions_say_where_they_stand(site):
    home, newest, old = ((site / part / "index.html").read_text() for part in ("", "2026.11.1", "2026.11"))
    assert "Unreleased." in home and "citation_title" not in home and 'content="noindex"' in home
    assert "Unreleased." not in newest and 'name="citation_title"' in newest and "noindex" not in newest
    data = json.loads(re.search(r'<script type="application/ld\+json">(.*?)</script>', newest)[1])
    assert data["@type"] == "Dataset" and data["version"] == "2026.11.1" and data["distribution"]
    assert "2026.11.1" not in old, "a release knows nothing of later ones"


def test_difference_between_versions_is_of_the_findings(site, made):
    page = (site / "2026.11.1" / "versions" / "2026.11" / "index.html").read_text()
    assert "2026.11.1 compared with 2026.11" in page
    same = (site / "versions" / "2026.11.1" / "index.html").read_text()
    assert "0 of" in same, "the unreleased results of this test are those of 2026.11.1"


def test_site_maps_list_every_page_of_a_release_once(online):
    maps = re.findall(rf"<loc>{PUBLIC}(.*?)</loc>", (online / "sitemap.xml").read_text())
    assert maps == ["2026.11.1/sitemap.xml", "2026.11/sitemap.xml"]
    for name in maps:
        addresses = re.findall(r"<loc>(.*?)</loc>", (online / name).read_text())
        pages = [page for page in (online / name).parent.rglob("index.html") if not redirects.is_one(page)]
        assert len(addresses) == len(set(addresses)) == len(pages) > 50


def test_the_feed_has_an_entry_per_release(online):
    """The elements that RFC 4287 requires of a feed and of an entry."""
    atom = "{http://www.w3.org/2005/Atom}"
    feed = ElementTree.parse(online / "feed.xml").getroot()
    entries = feed.findall(f"{atom}entry")
    assert [e.findtext(f"{atom}id") for e in entries] == [f"{PUBLIC}2026.11.1/", f"{PUBLIC}2026.11/"]
    for each in (feed, *entries):
        assert all(each.findtext(atom + name) for name in ("title", "id", "updated"))
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT00:00:00Z", each.findtext(f"{atom}updated"))
    assert feed.find(f"{atom}author/{atom}name").text
    assert feed.find(f"{atom}link[@rel='self']").get("href") == f"{PUBLIC}feed.xml"
    assert 'href="./../feed.xml"' in (online / "2026.11/index.html").read_text()
