"""Vega-Lite charts: Altair writes the spec, `static_charts` the static SVG. Colours are CSS variables, so one drawing
serves light and dark mode.
"""

import json
from collections.abc import Container
from functools import cache
from typing import Any

import altair as alt

from spindlemark.analysis.findings.model import Cell, MetricTable
from spindlemark.analysis.format import scale
from spindlemark.site import static_charts, verdict_labels

WIDTH, ROW = 300, 30
UNIT_NAMES = {"s": "seconds", "ms": "milliseconds", "B": "bytes", "/s": "per second", "": ""}
CONFIG = {
    "background": "transparent",
    "font": "Arial, sans-serif",
    "view": {"stroke": None},
    # Labels are laid out in the font above; the page may use a wider one.
    "padding": {"left": 18, "right": 5, "top": 5, "bottom": 5},
    "axis": {
        "labelColor": "var(--ink-2)",
        "titleColor": "var(--ink-2)",
        "gridColor": "var(--rule)",
        "domainColor": "var(--rule-2)",
        "tickColor": "var(--rule-2)",
        "labelFontSize": 11.5,
        "titleFontSize": 11.5,
        "titleFontWeight": "normal",
        "tickCount": 5,
    },
}
# Placeholders that each chart fills in: Altair checks a spec once, in about 0.2 s, for all charts of a kind.
ORDER, COLOURS, SHAPES, TITLE = ["$order"], ["$colours"], ["$shapes"], "$title"
Spec = dict[str, Any]


def metric_chart(table: MetricTable, looks: dict[str, dict], shown: Container[str]) -> Spec | None:
    """Spec of one metric: a row per configuration with every sample as a dot, the interval as a bar and the median as a line.

    Dots of samples with background load are hollow. Only the configurations in `shown` are drawn; the table next to the
    chart has all. None without samples.
    """
    cells = [cell for cell in table.cells if cell.samples and cell.configuration in shown]
    if not cells:
        return None
    factor, suffix, _ = scale(table.unit, max(abs(v) for c in cells for v in c.samples), table.kind)
    samples = [
        {
            "subject": c.configuration,
            "value": _short(v / factor),
            "sample": i + 1,
            "noisy": noisy,
            "place": (i % 5 - 2) / 4,
        }
        for c in cells
        for i, (v, noisy) in enumerate(zip(c.samples, c.noisy, strict=True))
    ]
    values = [_short(v / factor) for c in cells for v in c.samples]
    zero = min(values) < 0.8 * max(values)
    spec = fill(_template(zero), [c.configuration for c in cells], looks, _axis_title(suffix, zero))
    bars = [_bar(c, factor) | _verdict(c) for c in cells]
    return spec | {"datasets": {"samples": samples, "intervals": bars}}


def fill(template: str, order: list[str], looks: dict[str, dict], title: str) -> Spec:
    """A template with its names filled in: configurations in their order, with their colours and shapes."""
    for placeholder, value in (
        (ORDER, order),
        (COLOURS, [f"var(--s{looks[s]['colour']})" for s in order]),
        (SHAPES, [looks[s]["shape"] for s in order]),
        (TITLE, title),
    ):
        template = template.replace(json.dumps(placeholder), json.dumps(value))
    return json.loads(template)


def _bar(c: Cell, factor: float) -> dict[str, Any]:
    ends = {
        name: None if value is None else _short(value / factor) for name, value in (("low", c.low), ("high", c.high))
    }
    return {"subject": c.configuration, "n": c.n, "median": _short(c.median / factor), **ends}


def _verdict(cell: Cell) -> dict[str, str]:
    """The verdict of the best compared with this one, as word and symbol."""
    return {"verdict": cell.verdict or "", "sign": verdict_labels.SIGNS.get(cell.verdict or "", "")}


def _short(value: float) -> float:
    return float(f"{value:.6g}")


def _axis_title(suffix: str, zero: bool) -> str:
    unit = UNIT_NAMES.get(suffix.strip(), suffix.strip())
    return " ".join(part for part in (unit, "" if zero else "(axis does not start at 0)") if part)


@cache
def _template(zero: bool) -> str:
    x = alt.X("value:Q", scale=alt.Scale(zero=zero, nice=True), title=TITLE)
    chart = alt.layer(*_bands(), _dots(x)).properties(width=WIDTH, height=alt.Step(ROW))
    return json.dumps(chart.to_dict() | {"config": CONFIG})


def _row() -> alt.Y:
    return alt.Y(
        "subject:N",
        sort=ORDER,
        title=None,
        axis=alt.Axis(
            ticks=False, domain=False, labelFontSize=12.5, labelColor="var(--ink)", labelPadding=8, labelLimit=240
        ),
    )


def _shown(opacity: float) -> Any:
    """Opacity that fades while the pointer is on another configuration."""
    return alt.condition(alt.selection_point("hover", fields=["subject"]), alt.value(opacity), alt.value(opacity / 5))


def _bands() -> list[alt.Chart]:
    colour = alt.Color("subject:N", legend=None, scale=alt.Scale(domain=ORDER, range=COLOURS))
    tip = [
        alt.Tooltip("subject:N", title="setting"),
        alt.Tooltip("median:Q", format=".4~g"),
        alt.Tooltip("low:Q", format=".4~g", title="from"),
        alt.Tooltip("high:Q", format=".4~g", title="to"),
        alt.Tooltip("n:Q", title="samples"),
        alt.Tooltip("verdict:N", title="best compared with it"),
    ]
    base = alt.Chart(alt.NamedData("intervals"))
    return [
        base.mark_bar(height=13, cornerRadius=2).encode(
            x=alt.X("low:Q"), x2="high:Q", y=_row(), color=colour, opacity=_shown(0.3), tooltip=tip
        ),
        base.mark_tick(thickness=2.5, size=20).encode(
            x="median:Q", y=_row(), color=colour, opacity=_shown(1.0), tooltip=tip
        ),
        base.mark_text(align="left", fontSize=12, fontWeight="bold", color="var(--ink-2)").encode(
            x=alt.value(WIDTH + 6), y=_row(), text="sign:N"
        ),
    ]


def _dots(x: alt.X) -> alt.Chart:
    colours = alt.Scale(domain=ORDER, range=COLOURS)
    hover = alt.selection_point("hover", on="pointerover", fields=["subject"], clear="pointerout", empty=True)
    tip = [
        alt.Tooltip("subject:N", title="setting"),
        alt.Tooltip("sample:Q"),
        alt.Tooltip("value:Q", format=".4~g"),
        alt.Tooltip("noisy:N", title="machine was busy"),
    ]
    return (
        alt.Chart(alt.NamedData("samples"))
        .mark_point(size=24, strokeWidth=1.1, filled=False)
        .encode(
            x=x,
            y=_row(),
            yOffset=alt.YOffset("place:Q", scale=alt.Scale(domain=[-1.6, 1.6])),
            tooltip=tip,
            shape=alt.Shape("subject:N", legend=None, scale=alt.Scale(domain=ORDER, range=SHAPES)),
            stroke=alt.Stroke("subject:N", legend=None, scale=colours),
            fill=alt.Fill("subject:N", legend=None, scale=colours),
            fillOpacity=alt.condition("datum.noisy", alt.value(0), alt.value(0.85)),
            opacity=_shown(0.9),
        )
        .add_params(hover)
    )


def svg(spec: Spec, label: str) -> str:
    """The static drawing: for assistive technology, one image with the name `label`."""
    name = label.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    return static_charts.svg(spec).replace("<svg ", f'<svg role="img" aria-label="{name}" ', 1)
