"""Packed pages: the body of a page, or a large part of it, as a compressed file next to it, which a script unpacks.

The pages of experiments and the evidence below answers are most of a site, and each is read by few. A template asks for it with
`<meta name="packed">`, whose content is the script that unpacks the body, or by a part between START and END.
"""

import re
from functools import partial
from pathlib import Path

from spindlemark.site import gzip_files

SUFFIX = ".html.gz"
BODY = f"body{SUFFIX}"
LEAST = 16_000  # characters; smaller parts stay in their page
_WANTED = re.compile(r'<meta name="packed" content="([^"]*)" data-integrity="([^"]*)">')
_SCRIPT = re.compile(r'<script type="module" src="([^"]*)"[^>]*></script>\n?')
# For previews and catalogues, which read the pages of answers and of the whole version.
_SHARED = re.compile(r'<meta (?:property="og:|name="(?:twitter:|citation_))[^>]*>\n?')
_BODY = """<body data-scripts="{scripts}">
<main id="main"><h1>{title}</h1><p class="state" role="status">Loading</p>
<noscript><p>This page needs JavaScript. Without it, <a href="{name}">download its compressed content</a>.</p></noscript></main>
</body>
</html>
"""
_PART = re.compile(r'<div data-part="([a-z]+)">(.*?)</div><template data-part-end></template>', re.DOTALL)
_PACKED = re.compile(r'<div data-packed="([a-z]+\.html\.gz)">.*?</noscript></div>', re.DOTALL)
_PLACE = (
    '<div data-packed="{name}"><p class="state" role="status">Loading</p><noscript><p>This part needs JavaScript. Without it, '
    '<a href="{name}">download its compressed content</a>.</p></noscript></div>'
)


def pack(folder: Path) -> None:
    """Pack the pages and parts below `folder` whose templates ask for it."""
    for page in sorted(folder.rglob("index.html")):
        text = page.read_text(encoding="utf-8")
        if wanted := _WANTED.search(text):
            _pack(page, text, *wanted.groups())
        elif _PART.search(text):
            page.write_text(_PART.sub(partial(_packed_part, page), text), encoding="utf-8")


def _packed_part(page: Path, part: re.Match[str]) -> str:
    name, content = part.groups()
    if len(content) < LEAST:
        return content
    _compressed(page.with_name(f"{name}{SUFFIX}"), content)
    return _PLACE.format(name=f"{name}{SUFFIX}")


def _pack(page: Path, text: str, script: str, integrity: str) -> None:
    head, body = text.split("<body", 1)
    scripts = [match[1].rpartition("/")[2] for match in _SCRIPT.finditer(head)]  # next to the one that unpacks
    shell = f'<script type="module" src="{script}" data-from="root" integrity="{integrity}"></script>'
    title = re.search(r"<title>([^<]*)</title>", head)
    head = _WANTED.sub(shell, _SHARED.sub("", _SCRIPT.sub("", head)))
    own = _BODY.format(scripts=" ".join(scripts), title=title[1] if title else "", name=BODY)
    _compressed(page.with_name(BODY), f"<body{body}")
    page.write_text(head + own, encoding="utf-8")


def text(page: Path) -> str:
    """The text of a page with what is packed of it."""
    content, body = page.read_text(encoding="utf-8"), page.with_name(BODY)
    if page.name == "index.html" and body.exists():
        return content.split("<body", 1)[0] + _read(body)
    return _PACKED.sub(lambda place: _read(page.with_name(place[1])), content)


def is_packed(page: Path) -> bool:
    """Whether a page, or a part of it, is packed."""
    return page.with_name(BODY).exists() or bool(_PACKED.search(page.read_text(encoding="utf-8")))


def rewrite(source: Path, target: Path, pattern: re.Pattern[str], replacement: str) -> None:
    """Write the packed file `source` with each match of `pattern` replaced."""
    _compressed(target, pattern.sub(replacement, _read(source)))


def _read(file: Path) -> str:
    return gzip_files.read(file).decode("utf-8")


def _compressed(target: Path, content: str) -> None:
    gzip_files.write(target, content.encode("utf-8"))
