"""Answers as pictures to embed in other sites, with version, date, licence and permalink."""

import textwrap
from html import escape
from typing import Any

Page = dict[str, Any]
WIDTH, EDGE = 640, 28
FONT = "Inter, system-ui, Segoe UI, Roboto, Helvetica, Arial, sans-serif"
PAPER, INK, GREY, RULE, ACCENT = "#fcfbf8", "#1b1d20", "#555c63", "#e4e0d7", "#0d4f63"
# Characters per line in each type size.
TITLE, SAYS = 50, 84
MOST_LINES = 4


def card(title: str, testbed: str, answer: Page, version: Page, cited: Page, code: str) -> str:
    """SVG of a group's answer: workload, options, first sentence, testbed, version, date, licence and address."""
    lines: list[str] = []
    y = EDGE + 12

    def put(text: str, size: int, colour: str, after: int, weight: int = 400, x: int = EDGE, end: bool = False) -> None:
        nonlocal y
        aligned = ' text-anchor="end"' if end else ""
        lines.append(
            f'<text x="{x}" y="{y}" font-size="{size}" fill="{colour}" font-weight="{weight}"{aligned}>'
            f"{escape(text)}</text>"
        )
        y += after

    heading = "Inconclusive" if answer["verdict"] == "undecided" else "Recommendation"
    put(f"Spindlemark {version['version']} · {heading}", 13, ACCENT, 30, 600)
    for line in _wrapped(title, TITLE):
        put(line, 21, INK, 28, 700)
    y += 4
    for option in answer["options"]:
        chance = f" · {option['probability']} likely to be best" if option["probability"] else ""
        put(f"score {option['score']}{chance}", 13, GREY, 0, x=WIDTH - EDGE, end=True)
        put(f"{option['option']}  {option['subject']['name']}", 16, INK, 26, 600)
    y += 4
    for line in _wrapped(answer["statements"][0] if answer["statements"] else "", SAYS):
        put(line, 13, INK, 19)
    lines.append(f'<path d="M{EDGE} {y}H{WIDTH - EDGE}" stroke="{RULE}"/>')
    y += 22
    released = f"Version {version['version']}, released {version['released']}"
    put(f"{released} · {testbed} · {cited['licence']['identifier']}", 12, GREY, 18)
    if cited["site"]:
        put(f"{cited['site']}{version['version']}/cite/#{code}", 12, GREY, 18)
    height = y + EDGE - 18
    name = escape(f"{title}: {heading}, Spindlemark {version['version']}", quote=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" aria-label="{name}" font-family="{FONT}"><title>{name}</title>'
        f'<rect x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1}" rx="6" fill="{PAPER}" stroke="{RULE}"/>'
        f"{''.join(lines)}</svg>\n"
    )


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, max_lines=MOST_LINES, placeholder=" …")
