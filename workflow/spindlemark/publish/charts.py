"""Vega-Lite charts: Altair writes the spec, vl-convert the static SVG. Colours are CSS variables, so that one drawing
serves light and dark and follows the page."""

import re
from typing import Any

import altair as alt
import vl_convert

from spindlemark.findings.report import MetricTable
from spindlemark.publish.numbers import scale

WIDTH, ROW = 236, 30
UNIT_NAMES = {"s": "seconds", "ms": "milliseconds", "µs": "microseconds", "B": "bytes", "/s": "per second", "": ""}
CONFIG = {
    "background": "transparent",
    "font": "Arial, sans-serif",
    "view": {"stroke": None},
    "axis": {"labelColor": "var(--ink-2)", "titleColor": "var(--ink-2)", "gridColor": "var(--rule)",
             "domainColor": "var(--rule-2)", "tickColor": "var(--rule-2)", "labelFontSize": 11.5,
             "titleFontSize": 11.5, "titleFontWeight": "normal", "tickCount": 5},
}


def metric_chart(table: MetricTable, looks: dict[str, dict]) -> dict[str, Any] | None:
    """Spec of one metric: a row per subject with every sample as a dot, the interval as a bar and the median as a line.

    Dots of samples that a quiet-machine gate marks are hollow. None when nothing was measured.
    """
    cells = [cell for cell in table.cells if cell.samples]
    if not cells:
        return None
    factor, suffix, _ = scale(table.unit, max(abs(v) for c in cells for v in c.samples), table.metric)
    samples = [{"subject": c.subject, "value": _short(v / factor), "sample": i + 1, "noisy": noisy,
                "place": (i % 5 - 2) / 4} for c in cells
               for i, (v, noisy) in enumerate(zip(c.samples, c.noisy, strict=True))]
    bars = [{"subject": c.subject, "median": _short(c.median / factor), "n": c.n,
             "low": None if c.low is None else _short(c.low / factor),
             "high": None if c.high is None else _short(c.high / factor)} for c in cells if c.median is not None]
    values = [row["value"] for row in samples]
    zero = min(values) < 0.8 * max(values)
    x = alt.X("value:Q", scale=alt.Scale(zero=zero, nice=True), title=_axis_title(suffix, zero))
    layers = _layers(bars, samples, x, looks, [c.subject for c in cells])
    chart = alt.layer(*layers).properties(width=WIDTH, height=alt.Step(ROW))
    return chart.to_dict(validate=False) | {"config": CONFIG}


def _short(value: float) -> float:
    return float(f"{value:.6g}")


def _axis_title(suffix: str, zero: bool) -> str:
    unit = UNIT_NAMES.get(suffix.strip(), suffix.strip())
    return " ".join(part for part in (unit, "" if zero else "(axis does not start at 0)") if part)


def _layers(bars: list[dict], samples: list[dict], x: alt.X, looks: dict[str, dict], order: list[str]) -> list[alt.Chart]:
    y = alt.Y("subject:N", sort=order, title=None,
              axis=alt.Axis(ticks=False, domain=False, labelFontSize=12.5, labelColor="var(--ink)", labelPadding=8))
    colours = alt.Scale(domain=order, range=[f"var(--s{looks[s]['colour']})" for s in order])
    colour = alt.Color("subject:N", legend=None, scale=colours)
    shape = alt.Shape("subject:N", legend=None, scale=alt.Scale(domain=order, range=[looks[s]["shape"] for s in order]))
    tip = [alt.Tooltip("subject:N", title="setting"), alt.Tooltip("sample:Q"),
           alt.Tooltip("value:Q", format=".4~g"), alt.Tooltip("noisy:N", title="machine was busy")]
    bar_tip = [alt.Tooltip("subject:N", title="setting"), alt.Tooltip("median:Q", format=".4~g"),
               alt.Tooltip("low:Q", format=".4~g", title="95 % from"), alt.Tooltip("high:Q", format=".4~g", title="to"),
               alt.Tooltip("n:Q", title="samples")]
    hover = alt.selection_point("hover", on="pointerover", fields=["subject"], clear="pointerout", empty=True)

    def shown(opacity: float) -> dict:
        return alt.condition(hover, alt.value(opacity), alt.value(opacity / 5))

    intervals, dots = alt.Chart(alt.Data(values=bars)), alt.Chart(alt.Data(values=samples))
    return [
        intervals.mark_bar(height=13, cornerRadius=2).encode(
            opacity=shown(0.3),
            x=alt.X("low:Q"), x2="high:Q", y=y, color=colour, tooltip=bar_tip),
        intervals.mark_tick(thickness=2.5, size=20).encode(
            x="median:Q", y=y, color=colour, tooltip=bar_tip, opacity=shown(1.0)),
        dots.mark_point(size=24, strokeWidth=1.1, filled=False).add_params(hover).encode(
            opacity=shown(0.9), x=x, y=y, yOffset=alt.YOffset("place:Q", scale=alt.Scale(domain=[-1.6, 1.6])), shape=shape, tooltip=tip,
            stroke=alt.Stroke("subject:N", legend=None, scale=colours),
            fill=alt.Fill("subject:N", legend=None, scale=colours),
            fillOpacity=alt.condition("datum.noisy", alt.value(0), alt.value(0.85))),
    ]


def svg(spec: dict[str, Any], label: str) -> str:
    """The static drawing: one image to assistive technology, called `label`; no inline style, which the policy forbids."""
    text = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
    text = re.sub(r' (?:aria-\w+|role|class|style|version|xmlns:xlink|pointer-events)="[^"]*"', "", text)
    text = re.sub(r'<path d="(?:M0,0h0v0h0Z)?"[^>]*/>| (?:opacity|stroke-width)="1"| font-family="[^"]*"', "", text)
    text = re.sub(r"<text[^>]*opacity=\"0\"[^>]*>[^<]*</text>", "", text)
    text = re.sub(r"(\d+\.\d\d)\d+", r"\1", text)
    name = label.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    return text.replace("<svg ", f'<svg role="img" aria-label="{name}" ', 1)


def bundle() -> str:
    """Vega, Vega-Lite and vega-embed as one script that needs nothing else and sets `window.vegaEmbed`."""
    return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
