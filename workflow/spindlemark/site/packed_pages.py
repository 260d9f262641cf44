"""Packed pages: the body of a page as a compressed file next to it, which a script unpacks.

The pages of experiments are most of a site, and each is read by few. A template asks for it with `<meta name="packed">`, whose
content is the script that unpacks the body.
"""

import gzip
import re
from pathlib import Path

NAME = "body.html.gz"
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


def pack(folder: Path) -> None:
    """Pack each page below `folder` whose template asks for it."""
    for page in sorted(folder.rglob("index.html")):
        text = page.read_text(encoding="utf-8")
        if wanted := _WANTED.search(text):
            _pack(page, text, *wanted.groups())


def _pack(page: Path, text: str, script: str, integrity: str) -> None:
    head, body = text.split("<body", 1)
    scripts = [match[1] for match in _SCRIPT.finditer(head)]
    shell = f'<script type="module" src="{script}" integrity="{integrity}"></script>'
    title = re.search(r"<title>([^<]*)</title>", head)
    head = _WANTED.sub(shell, _SHARED.sub("", _SCRIPT.sub("", head)))
    own = _BODY.format(scripts=" ".join(scripts), title=title[1] if title else "", name=NAME)
    _compressed(page.with_name(NAME), f"<body{body}")
    page.write_text(head + own, encoding="utf-8")


def text(page: Path) -> str:
    """The text of a page, whether it is packed or not."""
    content, body = page.read_text(encoding="utf-8"), page.with_name(NAME)
    if page.name != "index.html" or not body.exists():
        return content
    return content.split("<body", 1)[0] + gzip.decompress(body.read_bytes()).decode("utf-8")


def rewrite(source: Path, target: Path, pattern: re.Pattern[str], replacement: str) -> None:
    """Write the packed body `source` with each match of `pattern` replaced."""
    _compressed(target, pattern.sub(replacement, gzip.decompress(source.read_bytes()).decode("utf-8")))


def _compressed(target: Path, text: str) -> None:
    target.write_bytes(gzip.compress(text.encode("utf-8"), mtime=0))
