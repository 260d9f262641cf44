"""The charts of the page Explore: templates that its script fills with the rows that are shown.

The script replaces the placeholders of `chart_specs` and ENDS, and gives the data set `rows`, whose fields are those of `_point`;
heights that depend on the number of rows are its own. Here they are filled for the workflow's report.
"""

import json
from typing import Any

import altair as alt

from spindlemark.site.chart_specs import COLOURS, CONFIG, ORDER, SHAPES, TITLE, Spec, fill
from spindlemark.site.configuration_labels import MANY
from spindlemark.site.explore import DEFAULT
from spindlemark.site.verdict_labels import SIGNS

WIDTH, LEAST_ROW, PER_CONFIGURATION, MOST_POINTS = 720, 26, 10, 160
RATIO_AXIS = "ratio to the best of the workload (logarithmic; arrows mark intervals that are cut)"
ENDS, MARGIN = ["$least", "$most"], 1.04  # of the axis of ratios
ACROSS = "$across"  # title of the other axis of the scatter plot
Columns = dict[str, Any]
Layers = alt.LayerChart | alt.FacetChart


def templates() -> dict[str, Spec]:
    """Every chart by the name of its view."""
    found = {"ratios": _ratios(), "bars": _bars(), "scatter": _scatter(), "heatmap": _heatmap()}
    return {name: chart.to_dict() | {"config": CONFIG} for name, chart in found.items()}


def ratios(columns: Columns) -> Spec | None:
    """The chart of ratios of the first rows of one metric; None if it is not ranked."""
    found = rows(columns)
    if not found:
        return None
    shown = {row["setting"] for row in found}
    looks = {s["name"]: s for s in columns["subjects"] if s["name"] in shown}
    step = max(
        LEAST_ROW, min(len(looks), MANY) * PER_CONFIGURATION
    )  # pixels per workload, shared by its configurations
    ends = [columns["least"] / MARGIN, columns["most"] * MARGIN]
    template = json.dumps(_ratios().to_dict() | {"config": CONFIG}).replace(json.dumps(ENDS), json.dumps(ends))
    return fill(template, list(looks), looks, RATIO_AXIS) | {
        "width": WIDTH,
        "height": {"step": step, "for": "position"},
        "datasets": {"rows": found},
    }


def rows(columns: Columns) -> list[dict[str, Any]]:
    """The first points in the order of the table: ratio to the best with its interval.

    Only results measured here, or those of all studies if there are none; of many configurations the defaults.
    """
    groups, named = columns["groups"], columns["subjects"]
    sources = {group["source"] for group in groups}
    usual = [
        i
        for i, ratio in enumerate(columns["ratio"])
        if ratio is not None and ("measured" not in sources or groups[columns["group"][i]]["source"] == "measured")
    ]
    if len({columns["subject"][i] for i in usual}) > MANY:
        usual = [i for i in usual if named[columns["subject"][i]]["parts"][1:] == [DEFAULT, DEFAULT]]
    return [_point(columns, i) for i in usual[:MOST_POINTS]]


def _point(columns: Columns, i: int) -> dict[str, Any]:
    ratio, low, high = (columns[name][i] for name in ("ratio", "ratio_low", "ratio_high"))
    (least, most), verdict = (columns["least"], columns["most"]), columns["verdict"][i]
    low, high = ((ratio if end is None else end) / 100 for end in (low, high))
    word = "" if verdict is None else columns["verdicts"][verdict]
    return {
        "row": i,
        "library": columns["groups"][columns["group"][i]]["title"],
        "setting": columns["subjects"][columns["subject"][i]]["name"],
        "ratio": ratio / 100,
        "verdict": word,
        "sign": SIGNS.get(word, ""),
        "low": low,
        "high": high,
        "from": max(low, least),
        "to": min(high, most),
        "cut_low": low < least,
        "cut_high": high > most,
    }


def _looks() -> dict[str, Any]:
    """Colour and shape of the configurations, with one legend."""
    legend = alt.Legend(orient="top", title=None, labelColor="var(--ink)", labelFontSize=12, columns=6, symbolOpacity=1)
    return {
        "color": alt.Color("setting:N", scale=alt.Scale(domain=ORDER, range=COLOURS), legend=legend),
        "shape": alt.Shape("setting:N", legend=legend, scale=alt.Scale(domain=ORDER, range=SHAPES)),
    }


def _places() -> dict[str, Any]:
    """Workloads below each other, and the configurations of each in their order."""
    axis = alt.Axis(
        ticks=False, domain=False, labelFontSize=12.5, labelColor="var(--ink)", labelPadding=8, labelLimit=240
    )
    return {
        "y": alt.Y("library:N", sort=None, title=None, axis=axis),
        "yOffset": alt.YOffset("setting:N", sort=ORDER),
        "color": _looks()["color"],
        "opacity": alt.condition("lit < 0 || lit === datum.row", alt.value(1), alt.value(0.2)),
    }


def _lit(chart: alt.Chart) -> alt.Chart:
    """The chart with the number of the row that the pointer is on in the table."""
    return chart.add_params(alt.param(name="lit", value=-1))


def _rows() -> alt.Chart:
    return alt.Chart(alt.NamedData("rows"))


def _tip(*more: alt.Tooltip) -> list[alt.Tooltip]:
    return [alt.Tooltip("setting:N", title="configuration"), alt.Tooltip("library:N", title="workload"), *more]


def _ratios() -> Layers:
    places = _places()
    # Fixed ends: the axis does not move while rows are filtered.
    x: dict[str, Any] = {
        "scale": alt.Scale(type="log", nice=False, domain=ENDS),
        "axis": alt.Axis(format="~g", orient="top"),
        "title": TITLE,
    }
    tip = _tip(
        alt.Tooltip("ratio:Q", format=".2f"),
        alt.Tooltip("low:Q", format=".2f", title="from"),
        alt.Tooltip("high:Q", format=".2f", title="to"),
        alt.Tooltip("verdict:N", title="best compared with it"),
    )
    return alt.layer(
        _rows()
        .mark_text(align="left", fontSize=9, color="var(--ink-2)")
        .encode(
            x=alt.value(alt.expr("width + 6")), text="sign:N", **{k: places[k] for k in ("y", "yOffset", "opacity")}
        ),
        _rows().mark_rule(strokeWidth=2).encode(x=alt.X("from:Q", **x), x2="to:Q", **places),
        *(
            _rows()
            .transform_filter(f"datum.cut_{end}")
            .mark_point(size=34, filled=True, aria=False, shape=f"triangle-{side}")
            .encode(x=alt.X(f"{at}:Q", **x), **places)
            for end, at, side in (("low", "from", "left"), ("high", "to", "right"))
        ),
        _lit(
            _rows()
            .mark_point(size=42, filled=True)
            .encode(x=alt.X("ratio:Q", **x), shape=_looks()["shape"], tooltip=tip, **places)
        ),
    )


def _bars() -> Layers:
    """Medians from 0, with their intervals."""
    places = _places()
    x = alt.X("median:Q", title=TITLE, axis=alt.Axis(orient="top", format="~s"), scale=alt.Scale(zero=True, nice=True))
    tip = _tip(alt.Tooltip("text:N", title="median"), alt.Tooltip("range:N", title="interval"))
    return alt.layer(
        _lit(_rows().mark_bar(tooltip=True).encode(x=x, tooltip=tip, **places)),
        _rows()
        .mark_rule(strokeWidth=1.5, color="var(--ink)")
        .encode(
            x="median_low:Q", x2="median_high:Q", y=places["y"], yOffset=places["yOffset"], opacity=places["opacity"]
        ),
    )


def _scatter() -> Layers:
    """One metric over another, and the line of those that no other beats in both."""
    scale = alt.Scale(zero=False, nice=True)
    x = alt.X("across:Q", axis=alt.Axis(title=ACROSS, format="~s"), scale=scale)
    y = alt.Y("median:Q", axis=alt.Axis(title=TITLE, format="~s"), scale=scale)
    tip = _tip(alt.Tooltip("across_text:N", title=ACROSS), alt.Tooltip("text:N", title=TITLE))
    points = _rows().mark_point(size=60, filled=True)
    return alt.layer(
        alt.Chart(alt.NamedData("front"))
        .mark_line(strokeDash=[4, 3], color="var(--ink-2)", interpolate="linear")
        .encode(x=x, y=y, order="order:Q", detail="library:N"),
        _lit(points.encode(x=x, y=y, tooltip=tip, opacity=_places()["opacity"], **_looks())),
    )


def _heatmap() -> Layers:
    """Ratios to the best, configurations by workloads: the darker, the worse."""
    label: dict[str, Any] = {
        "labelColor": "var(--ink)",
        "labelFontSize": 12,
        "labelLimit": 200,
        "ticks": False,
        "domain": False,
    }
    places = {
        "x": alt.X("library:N", sort=None, axis=alt.Axis(orient="top", labelAngle=-30, title=None, **label)),
        "y": alt.Y("setting:N", sort=ORDER, axis=alt.Axis(title=None, **label)),
    }
    depth = alt.Opacity(
        "ratio:Q", legend=None, scale=alt.Scale(type="log", domain=[1, 3], range=[0.05, 0.75], clamp=True)
    )
    tip = _tip(alt.Tooltip("ratio:Q", format=".2f"), alt.Tooltip("text:N", title="median"))
    return alt.layer(
        _lit(_rows().mark_rect(color="var(--s1)", stroke="var(--rule)").encode(opacity=depth, tooltip=tip, **places)),
        _rows().mark_text(color="var(--ink)", fontSize=11.5).encode(text="ratio_text:N", **places),
    )
