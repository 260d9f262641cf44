"""The pictures that other sites show with a link to a version or a question: the first answer, with the chart of its samples."""

import re
import textwrap
from io import BytesIO
from typing import Any
from xml.sax.saxutils import escape

import vl_convert
from PIL import Image

from spindlemark.analysis.findings import question_list
from spindlemark.analysis.findings.model import Findings, Group, MetricTable
from spindlemark.site import address, chart_specs, heatmap, testbed_labels
from spindlemark.site.context import Context
from spindlemark.site.hugo import TEMPLATES

PATH = "card.png"
WIDTH, HEIGHT = 1200, 630  # of Open Graph pictures
COLOURS = 128
MARGIN, LINE, CHARACTERS, LINES = 64, 42, 56, 3
TOP = 150  # of the text
ABOVE, LARGEST = 62, 1.9  # pixels above a chart; how much larger it may be than on its page
_HEAD = re.compile(r'<svg(?:[^">]|"[^"]*")*>')  # attributes may contain foreign text
COLOUR = re.compile(r"(--[\w-]+):\s*(#[0-9a-f]{3,8})")


def build(findings: Findings, context: Context, label: str) -> tuple[bytes, dict[str, Any]]:
    """PNG of the first group with an answer, or of text only if there is none, and its description for pages."""
    group = next((g for g in findings.groups if g.recommendation and g.recommendation.statements), None)
    return _card(group, _words(findings, group, context), PATH, context, label)


def of_questions(findings: Findings, context: Context, label: str) -> dict[str, tuple[bytes, dict[str, Any]]]:
    """Address of a question -> PNG of the first group that answers it, and its description; the libraries have that of the version."""
    first = {
        g.family: g
        for g in reversed(findings.groups)
        if g.family != address.FIRST and g.recommendation and g.recommendation.statements
    }
    pages = {address.family(family): group for family, group in sorted(first.items())}
    return {
        page: _card(group, group.advice.statements[0], f"{page}{PATH}", context, label) for page, group in pages.items()
    }


def _card(group: Group | None, words: str, path: str, context: Context, label: str) -> tuple[bytes, dict[str, Any]]:
    titles = [f"{question_list.title(group.family)}: {context.title(group)}"] if group else []
    chart = ""
    if group and (table := _table(group)):
        shown = context.configurations.leading(group.configurations, [o.configuration for o in group.advice.options])
        if spec := chart_specs.metric_chart(table, context.looks, shown):
            chart = chart_specs.svg(spec, table.title)
            titles.append(f"{table.title}, every sample")
    return _png(words, titles, f"Spindlemark {label}", chart), {
        "path": path,
        "width": WIDTH,
        "height": HEIGHT,
        "alt": " ".join([*(f"{title}." for title in titles), words]),
    }


def _words(findings: Findings, group: Group | None, context: Context) -> str:
    """The advice on libraries of the first testbed that has any, or the first statement of `group`."""
    libraries = [g for g in findings.groups if g.family == address.FIRST and not context.series_of(g)]
    for bed in context.beds:
        if table := heatmap.build([g for g in libraries if g.testbed == bed], context):
            return f"On {testbed_labels.title(bed)}: {table['statement'][:1].lower()}{table['statement'][1:]}"
    return group.advice.statements[0] if group else "There are no conclusions yet."


def _table(group: Group) -> MetricTable | None:
    """The table of the first weighted task."""
    tables = {table.metric: table for table in group.metrics}
    return next((tables[t.metric] for t in group.advice.tasks if t.metric in tables), None)


def _within(svg: str, top: int) -> str:
    """The chart below `top`, as large as possible."""
    found = _HEAD.match(svg.strip())
    assert found, "every drawing begins with its svg element"
    head = found[0]
    sizes = dict(re.findall(r' (width|height)="([\d.]+)"', head))
    width, height = float(sizes["width"]), float(sizes["height"])
    factor = min((WIDTH - 2 * MARGIN) / width, (HEIGHT - 24 - top) / height, LARGEST)
    inner = svg.strip().removeprefix(head).removesuffix("</svg>")
    return f'<g transform="translate({MARGIN} {top}) scale({factor:.3f})">{inner}</g>'


def _png(words: str, titles: list[str], mark: str, chart: str) -> bytes:
    """The text in bold, between the title of the answer and the title of the chart, then the chart."""
    lines = textwrap.wrap(words, CHARACTERS)
    if len(lines) > LINES:
        lines = [*lines[: LINES - 1], textwrap.shorten(" ".join(lines[LINES - 1 :]), CHARACTERS, placeholder=" …")]
    rows = "".join(f'<tspan x="{MARGIN}" dy="{LINE}">{escape(row)}</tspan>' for row in lines)
    under = TOP + LINE * len(lines) + ABOVE
    small = "".join(_text(y, 24, "--ink-2", text) for y, text in zip((TOP - 8, under - 16), titles, strict=False))
    logo = re.sub(r"<svg[^>]*>|</svg>", "", (TEMPLATES / "static/mark.svg").read_text(encoding="utf-8"))
    drawn = vl_convert.svg_to_png(
        in_light_colours(
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="Liberation Sans">'
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="var(--paper)"/>'
            f'<g transform="translate({MARGIN} 48) scale(1.4)">{logo}</g>'
            f'<text x="{MARGIN + 62}" y="80" font-size="26" font-weight="bold" fill="var(--ink)">{escape(mark)}</text>'
            f'<text x="{MARGIN}" y="{TOP}" font-size="34" font-weight="bold" fill="var(--ink)">{rows}</text>'
            f"{small}{_within(chart, under) if chart else ''}</svg>"
        )
    )
    return _smaller(drawn)


def _smaller(png: bytes) -> bytes:
    """The picture in COLOURS colours: a seventh of the bytes, and no difference to see."""
    smaller = BytesIO()
    with Image.open(BytesIO(png)) as picture:
        picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(smaller, "PNG", optimize=True)
    return smaller.getvalue()


def _text(y: int, size: int, colour: str, text: str) -> str:
    return f'<text x="{MARGIN}" y="{y}" font-size="{size}" fill="var({colour})">{escape(text)}</text>'


def in_light_colours(svg: str) -> str:
    """`svg` with the colours of the light page instead of CSS variables."""
    colours: dict[str, str] = {}
    for name, value in COLOUR.findall((TEMPLATES / "assets/css/tokens.css").read_text(encoding="utf-8")):
        colours.setdefault(name, value)  # the light page comes first
    return re.sub(r"var\((--[\w-]+)\)", lambda use: colours[use[1]], svg)
