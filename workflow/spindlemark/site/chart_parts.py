"""Rendering of a family's pictures: curves with a table of their values, crops in rows, matrices."""

import json
import struct
from collections.abc import Container
from functools import cache
from typing import Any

import altair as alt

from spindlemark.analysis.format import interval, number, scale
from spindlemark.site import address, chart_files, chart_specs, page_parts, palette
from spindlemark.site.chart_files import Files
from spindlemark.site.charts.chart_model import Axis, Chart, Crops, Curves, Matrix
from spindlemark.site.context import Context

WIDTH, HEIGHT = 470, 270
X_TITLE = "$x"
MOST_COLUMNS, LETTER, SYMBOL, APART = 4, 7, 24, 24  # of a legend; pixels per letter, before a name and between names
Page = dict[str, Any]


def page(found: list[Chart], context: Context, shown: Container[str]) -> tuple[list[Page], Files]:
    """Data of the pictures on a page, and their files.

    Curves show the configurations in `shown`; the table has all.
    """
    pages: list[Page] = []
    files: Files = {}
    for each in found:
        base = {
            "name": each.name,
            "anchor": address.slug(f"picture-{each.name}").replace("_", "-"),
            "title": each.title,
            "says": each.caption,
        }
        if isinstance(each, Crops):
            pages.append(base | {"rows": _crops(each, files)})
            continue
        if isinstance(each, Matrix):
            pages.append(
                base
                | {
                    "matrix": {
                        "down": each.down,
                        "across": each.across,
                        "columns": list(each.columns),
                        "rows": [
                            {"heading": heading, "marks": [mark._asdict() for mark in marks]}
                            for heading, marks in each.rows
                        ],
                    }
                }
            )
            continue
        looks = context.looks | _published(each)
        drawn = spec(each, looks, {*filter(shown.__contains__, context.looks), *_published(each)})
        pages.append(
            base
            | {
                "svg": chart_specs.svg(drawn, f"{each.title}: {each.caption}" if each.caption else each.title),
                "spec": chart_files.add(files, page_parts.text(drawn).encode(), chart_files.JSON),
                "x": each.x.title,
                "y": each.y.title,
                "values": _table(each, looks),
            }
        )
    return pages, files


def values(shown: Page) -> int:
    """Number of values in a picture: points, or cells of a matrix with content."""
    return len(shown.get("values", [])) + sum(
        mark["state"] != "none" for row in shown.get("matrix", {}).get("rows", []) for mark in row["marks"]
    )


def _crops(each: Crops, files: Files) -> list[Page]:
    rows = []
    for heading, crops in each.rows:
        images = []
        for crop in crops:
            path = chart_files.add(files, crop.png, chart_files.PNG)
            width, height = struct.unpack(">II", crop.png[16:24])  # where every PNG has them
            images.append({"src": path, "title": crop.title, "alt": crop.alt, "width": width, "height": height})
        rows.append({"heading": heading, "images": images})
    return rows


def _published(each: Curves) -> dict[str, dict]:
    """Looks of published values: grey, each name with its own shape."""
    names = dict.fromkeys(p.name for p in each.published)
    return {
        name: {"colour": palette.GREY, "shape": palette.SHAPES[-1 - n % len(palette.SHAPES)]}
        for n, name in enumerate(names)
    }


def _table(each: Curves, looks: dict[str, dict]) -> list[Page]:
    ordered = sorted([*each.points, *each.published], key=lambda p: (p.name, p.x))
    return [
        {
            "subject": {"name": p.name, **looks[p.name]},
            "x": f"{p.x:g}" if each.x.whole else number(p.x, each.x.unit, each.x.kind),
            "y": number(p.y, each.y.unit, each.y.kind),
            "interval": interval(p.low, p.high, p.y, each.y.unit, each.y.kind),
        }
        for p in ordered
    ]


def spec(each: Curves, looks: dict[str, dict], shown: Container[str]) -> chart_specs.Spec:
    """Vega-Lite spec of the curves of those configurations, in the order of their last points, the greatest first."""
    points = [p for p in sorted([*each.points, *each.published], key=lambda p: p.x) if p.name in shown]
    last = {p.name: p.y for p in points}
    order = sorted(last, key=lambda s: (-last[s], s))
    (x, x_title), (y, y_title) = (
        _scaled(axis, [v for v in values if v is not None])
        for axis, values in (
            (each.x, [p.x for p in points]),
            (each.y, [v for p in points for v in (p.y, p.low, p.high)]),
        )
    )
    columns = max(1, min(MOST_COLUMNS, WIDTH // (LETTER * max(map(len, order), default=1) + SYMBOL + APART)))
    template = _template(each.x, each.y.log, each.y.zero, columns, any(p.low is not None for p in points))
    filled = chart_specs.fill(template.replace(json.dumps(X_TITLE), json.dumps(x_title)), order, looks, y_title)
    rows = [
        {
            "subject": p.name,
            "x": _short(p.x / x),
            "at": _short((p.x + p.shift) / x),
            "y": _short(p.y / y),
            **{name: None if end is None else _short(end / y) for name, end in (("low", p.low), ("high", p.high))},
        }
        for p in points
    ]
    return filled | {"datasets": {"points": rows}}


def _scaled(axis: Axis, values: list[float]) -> tuple[float, str]:
    """What its values are divided by, and its title with the unit."""
    factor, suffix, _ = scale(axis.unit, max(map(abs, values), default=1.0), axis.kind)
    unit = chart_specs.UNIT_NAMES.get(suffix.strip(), suffix.strip())
    plain = not (axis.zero or axis.log)
    return factor, axis.title + (f" ({unit})" if unit else "") + (", not from 0" if plain else "") + (
        ", logarithmic" if axis.log else ""
    )


def _short(value: float) -> float:
    return float(f"{value:.6g}")


@cache
def _template(across: Axis, y_log: bool, y_zero: bool, columns: int, intervals: bool) -> str:
    x, y = (
        alt.Scale(type="log", nice=False, padding=12) if log else alt.Scale(zero=zero, nice=rounded, padding=padding)
        for log, zero, rounded, padding in ((across.log, across.zero, False, 8), (y_log, y_zero, True, 0))
    )
    horizontal = alt.X(
        "at:Q",
        scale=x,
        title=X_TITLE,
        axis=alt.Axis(format="~g" if across.log else ",~r", tickMinStep=1 if across.whole else alt.Undefined),
    )
    vertical: dict[str, Any] = {
        "scale": y,
        "title": chart_specs.TITLE,
        "axis": alt.Axis(format="~g" if y_log else ",~r", titlePadding=16),
    }
    legend = alt.Legend(
        orient="top",
        title=None,
        labelColor="var(--ink)",
        labelFontSize=12,
        labelLimit=WIDTH - SYMBOL,
        columns=columns,
        columnPadding=APART,
        symbolOpacity=1,
    )
    hover = alt.selection_point("hover", on="pointerover", fields=["subject"], clear="pointerout", empty=True)
    seen: dict[str, Any] = {
        "x": horizontal,
        "opacity": alt.condition(hover, alt.value(1.0), alt.value(0.2)),
        "color": alt.Color(
            "subject:N",
            sort=chart_specs.ORDER,
            legend=legend,
            scale=alt.Scale(domain=chart_specs.ORDER, range=chart_specs.COLOURS),
        ),
    }
    shape = alt.Shape("subject:N", legend=legend, scale=alt.Scale(domain=chart_specs.ORDER, range=chart_specs.SHAPES))
    tip = [
        alt.Tooltip("subject:N", title="subject"),
        alt.Tooltip("x:Q", format=".4~g", title=X_TITLE),
        alt.Tooltip("y:Q", format=".4~g", title=chart_specs.TITLE),
        alt.Tooltip("low:Q", format=".4~g", title="from"),
        alt.Tooltip("high:Q", format=".4~g", title="to"),
    ]
    base = alt.Chart(alt.NamedData("points"))
    spans = [
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=5)
        .encode(y=alt.Y("low:Q", **vertical), y2="high:Q", **(seen | {"opacity": alt.value(0.25)}))
    ]
    chart = alt.layer(
        *(spans if intervals else []),  # Vega warns about a layer without data, which has no extent
        base.mark_line(strokeWidth=2).encode(y=alt.Y("y:Q", **vertical), **seen),
        base.mark_point(size=44, filled=True)
        .encode(y=alt.Y("y:Q", **vertical), shape=shape, tooltip=tip, **seen)
        .add_params(hover),
    ).properties(width=WIDTH, height=HEIGHT)
    return json.dumps(chart.to_dict() | {"config": chart_specs.CONFIG})
