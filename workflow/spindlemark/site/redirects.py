"""Redirects: small pages at former addresses, without style and script, so that they work on any file server."""

from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from spindlemark.core.slug import slug

PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:">
<meta name="generator" content="Spindlemark">
<title>{title}</title><link rel="icon" href="data:,">
<meta http-equiv="refresh" content={refresh}>{canonical}</head>
<body><p>{words} <a href={target}>{title}</a>.</p></body></html>
"""
MARK, HEAD = b'http-equiv="refresh"', 1000  # of these pages alone, and in how many bytes of their beginning


def page(target: str, title: str, words: str, canonical: str = "") -> str:
    """The text of a page that leads to `target`, which may be relative; `canonical`: its address for search engines."""
    link = f'<link rel="canonical" href={quoteattr(canonical)}>' if canonical else ""
    return PAGE.format(
        title=escape(title),
        words=words,
        refresh=quoteattr(f"0; url={target}"),
        target=quoteattr(target),
        canonical=link,
    )


def of_metrics(listed: list[dict]) -> dict[str, str]:
    """Former pages of the metrics, `compare/` and `compare/<metric>/`: path -> text."""
    pages = {
        f"compare/{slug(m['metric'])}/index.html": page(f"../../{m['path']}", m["title"], "All results:")
        for m in listed
    }
    return pages | {"compare/index.html": page("../explore/", "Explore", "All results:")}


def is_one(file: Path) -> bool:
    """Whether a page of this site is a redirect."""
    with file.open("rb") as stream:
        return MARK in stream.read(HEAD)
