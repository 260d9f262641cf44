"""Packed pages: small, with the same text, and rewritten where unreleased results are below the root."""

import gzip
import re

import pytest

from spindlemark.site import packed_pages

PAGE = """<!DOCTYPE html>
<html lang="en">
<head><title>ext4 · Sound</title>
<script type="module" src="../a.js" integrity="x"></script>
<script type="module" src="../b.js" integrity="y"></script>
<meta name="packed" content="../packed.js" data-integrity="z">
<meta property="og:title" content="ext4">
</head>
<body>
<main id="main"><h1>ext4</h1><a href="../versions/" data-from="root">all</a></main>
</body>
</html>
"""


def test_only_pages_that_ask_for_it_are_packed(tmp_path):
    for name, text in (("one", PAGE), ("two", PAGE.replace('name="packed"', 'name="other"'))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "index.html").write_text(text)
    packed_pages.pack(tmp_path)
    assert sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.gz")) == ["one/body.html.gz"]
    stub = (tmp_path / "one/index.html").read_text()
    assert '<script type="module" src="../packed.js" data-from="root" integrity="z">' in stub and "og:title" not in stub
    assert '<body data-scripts="a.js b.js">' in stub and "<h1>ext4 · Sound</h1>" in stub
    assert len(re.findall("<script", stub)) == 1
    assert "<h1>ext4</h1>" in packed_pages.text(tmp_path / "one/index.html")
    assert packed_pages.text(tmp_path / "two/index.html").endswith(PAGE[-40:])


def test_the_same_page_gives_the_same_bytes_and_can_be_rewritten(tmp_path):
    found = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "index.html").write_text(PAGE)
        packed_pages.pack(tmp_path / name)
        found.append((tmp_path / name / packed_pages.BODY).read_bytes())
    assert found[0] == found[1]
    source, target = tmp_path / "one" / packed_pages.BODY, tmp_path / packed_pages.BODY
    packed_pages.rewrite(source, target, re.compile(r'(href=")([^"]*" data-from="root")'), r"\1../\2")
    assert 'href="../../versions/"' in gzip.decompress(target.read_bytes()).decode()


@pytest.mark.parametrize(("length", "packed"), [(packed_pages.LEAST, True), (100, False)])
def test_a_large_part_is_a_file_of_its_own_and_a_small_one_stays(tmp_path, length, packed):
    part = "<section>" + "x" * length + "</section>"
    page = tmp_path / "index.html"
    page.write_text(
        f'<body><h1>A</h1><div data-part="evidence">{part}</div><template data-part-end></template><p>B</p></body>'
    )
    packed_pages.pack(tmp_path)
    assert (tmp_path / "evidence.html.gz").exists() == packed == packed_pages.is_packed(page)
    assert ("download its compressed content" in page.read_text()) == packed
    assert packed_pages.text(page) == f"<body><h1>A</h1>{part}<p>B</p></body>"
