"""Packed pages: small, with the same text, and shared by all versions with the same content."""

import re

import pytest

from spindlemark.core.errors import UserError
from spindlemark.site import archived, gzip_files, packed_pages

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<title>ext4 · Sound</title>
<script type="module" src="../assets/a.js" integrity="x"></script>
<script type="module" src="../assets/b.js" integrity="y"></script>
<meta name="packed" content="../assets/packed.js" data-integrity="z">
<meta property="og:title" content="ext4">
</head>
<body>
<a href="../library/">Libraries</a>
<main id="main"><h1>ext4</h1><a href="../versions/" data-from="root">all</a> <a href="../study/">studies</a></main>
<footer>End</footer>
</body>
</html>
"""


def write(folder, name, text=PAGE):
    (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / name / "index.html").write_text(text)
    return folder / name / "index.html"


def packs(folder):
    return sorted(path.name for path in (folder / packed_pages.FOLDER).rglob("*.gz"))


def test_only_pages_that_ask_for_it_are_packed(tmp_path):
    page, other = write(tmp_path, "one"), write(tmp_path, "two", PAGE.replace('name="packed"', 'name="other"'))
    packed_pages.pack(tmp_path)
    shell = page.read_text()
    assert '<script type="module" src="../assets/packed.js" data-from="root" integrity="z">' in shell
    assert 'data-root="../">' in shell and "<title>ext4 · Sound</title>" in shell
    assert "og:title" not in shell and len(re.findall("<script", shell)) == 1 and "footer" not in shell
    assert packed_pages.text(page).split("<body")[1] == PAGE.split("<body")[1]
    assert other.read_text() == PAGE.replace('name="packed"', 'name="other"') == packed_pages.text(other)
    assert packed_pages.is_packed(page) and not packed_pages.is_packed(other) and len(packs(tmp_path)) == 2


def test_versions_share_what_is_the_same(tmp_path):
    """A release is one folder below the site, unreleased results are at its root: their packs are the same nevertheless."""
    current, release = tmp_path / "current", tmp_path / "release"
    below = re.sub(r'"\.\./(assets/|versions/)', r'"../../\1', PAGE)
    pages = write(current, "one"), write(release, "one", below), write(release, "two", below.replace("ext4", "xfs"))
    for folder in (current, release):
        packed_pages.pack(folder)
    assert set(packs(current)) < set(packs(release)) and len(packs(release)) == 3, "the frame, and two contents"
    for page, before in zip(pages, (PAGE, below, below.replace("ext4", "xfs")), strict=True):
        assert packed_pages.text(page).split("<body")[1] == before.split("<body")[1]
    for pack in (release / packed_pages.FOLDER).rglob("*.gz"):
        assert b"../" not in gzip_files.read(pack)


@pytest.mark.parametrize(("length", "packed"), [(packed_pages.LEAST, True), (100, False)])
def test_a_large_part_is_a_file_of_its_own_and_a_small_one_stays(tmp_path, length, packed):
    part = '<section><a href="./b/">b</a>' + "x" * length + "</section>"
    page = tmp_path / "index.html"
    page.write_text(
        f'<body><h1>A</h1><div data-part="evidence">{part}</div><template data-part-end></template><p>B</p></body>'
    )
    packed_pages.pack(tmp_path)
    assert len(packs(tmp_path)) == packed == packed_pages.is_packed(page)
    assert ("download its compressed content" in page.read_text()) == packed
    assert packed_pages.text(page) == f"<body><h1>A</h1>{part}<p>B</p></body>"


def test_a_missing_pack_is_named(tmp_path):
    page = write(tmp_path, "one")
    packed_pages.pack(tmp_path)
    for pack in (tmp_path / packed_pages.FOLDER).rglob("*.gz"):
        pack.unlink()
    with pytest.raises(FileNotFoundError, match="its pack packed/"):
        packed_pages.text(page)


def test_pages_of_an_archived_version_are_packed_with_their_previews(tmp_path):
    html, output = tmp_path / "html", tmp_path / "archived"
    plain = PAGE.replace('<meta name="packed" content="../assets/packed.js" data-integrity="z">\n', "")
    long, other = write(html, "question", plain), write(html, "search", plain)
    (html / "assets").mkdir()
    (html / "assets" / "packed.0.js").write_text("//")
    (html / "index.html").write_text("home")
    archived.archive(html, output)
    page = output / "question" / "index.html"
    assert packed_pages.is_packed(page) and "og:title" in page.read_text() and page.stat().st_size < 1500
    assert packed_pages.text(page).split("<body")[1] == plain.split("<body")[1]
    assert (output / "search" / "index.html").read_text().replace(f"{archived.NO_INDEX}\n", "") == plain
    assert archived.NO_INDEX in page.read_text() and (output / "index.html").read_text() == "home"
    assert long.read_text() == plain == other.read_text(), "the unpacked version stays as it was"


def test_questions_of_an_archived_version_lose_their_pictures_and_the_version_keeps_its_own(tmp_path):
    html, output = tmp_path / "html", tmp_path / "archived"
    meta = '<meta property="og:image" content="https://a.example/2026.11/{}card.png">\n<meta property="og:image:alt" content="A">\n'
    for folder, picture in (("question/aging", "question/aging/"), ("search", ""), (".", "")):
        write(html, folder, PAGE.replace("</title>\n", "</title>\n" + meta.format(picture), 1))
        (html / folder / "card.png").write_bytes(b"PNG")
    archived.archive(html, output)
    assert "og:image" not in (output / "question/aging/index.html").read_text()
    assert "og:image" in (output / "search/index.html").read_text()
    assert not (output / "question/aging/card.png").exists() and (output / "card.png").exists()
    assert (html / "question/aging/card.png").exists(), "the version's own HTML stays as it was"


def test_without_html_nothing_is_archived(tmp_path):
    with pytest.raises(UserError, match="has no site"):
        archived.archive(tmp_path / "html", tmp_path / "archived")
    assert not (tmp_path / "archived").exists()
