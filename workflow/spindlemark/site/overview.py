"""The chart above a comparison: every configuration under every workload, linked to the table by the number of the row.

With more than MANY configurations it shows only defaults, for lack of space; `compare.js` does the same with filtered rows.
"""

import json
from functools import cache
from typing import Any

import altair as alt

from spindlemark.site.chart_specs import COLOURS, CONFIG, ORDER, SHAPES, TITLE, Spec, fill
from spindlemark.site.comparison import DEFAULT
from spindlemark.site.configuration_labels import MANY
from spindlemark.site.verdict_labels import SIGNS

WIDTH, LEAST_ROW, PER_CONFIGURATION, MOST_POINTS = 720, 26, 10, 160
AXIS = "ratio to the best of the workload (logarithmic; arrows mark intervals that are cut)"
ENDS, MARGIN = ["$least", "$most"], 1.04  # of the axis, filled in
Columns = dict[str, Any]


def chart(columns: Columns, whole: bool = True) -> Spec | None:
    """Spec with the rows as the named data set `rows`; None if the metric is not ranked.

    `whole`: the legend also has the configurations that a filter may show, if they are few.
    """
    found = rows(columns)
    if not found:
        return None
    shown = {row["setting"] for row in found}
    whole = whole and len(columns["ratio"]) <= MOST_POINTS
    looks = {s["name"]: s for s in columns["subjects"] if whole or s["name"] in shown}
    step = max(
        LEAST_ROW, min(len(looks), MANY) * PER_CONFIGURATION
    )  # pixels per workload, shared by its configurations
    ends = [columns["least"] / MARGIN, columns["most"] * MARGIN]
    template = _template().replace(json.dumps(ENDS), json.dumps(ends))
    return fill(template, list(looks), looks, AXIS) | {
        "height": {"step": step, "for": "position"},
        "datasets": {"rows": found},
    }


def rows(columns: Columns) -> list[dict[str, Any]]:
    """The first points in the order of the table: ratio to the best with its interval.

    Only results measured here, or those of all studies if there are none, like the unfiltered table.
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
    return {
        "row": i,
        "library": columns["groups"][columns["group"][i]]["title"],
        "setting": columns["subjects"][columns["subject"][i]]["name"],
        "ratio": ratio / 100,
        **_verdict(None if verdict is None else columns["verdicts"][verdict]),
        "low": low,
        "high": high,
        "from": max(low, least),
        "to": min(high, most),
        "cut_low": low < least,
        "cut_high": high > most,
    }


def _verdict(found: str | None) -> dict[str, str]:
    return {"verdict": found or "", "sign": SIGNS.get(found or "", "")}


@cache
def _template() -> str:
    chart = alt.layer(*_layers()).properties(width=WIDTH)
    return json.dumps(chart.to_dict() | {"config": CONFIG})


def _layers() -> list[alt.Chart]:
    legend = alt.Legend(orient="top", title=None, labelColor="var(--ink)", labelFontSize=12, columns=6, symbolOpacity=1)
    places = {
        "y": alt.Y(
            "library:N",
            sort=None,
            title=None,
            axis=alt.Axis(
                ticks=False, domain=False, labelFontSize=12.5, labelColor="var(--ink)", labelPadding=8, labelLimit=140
            ),
        ),
        "yOffset": alt.YOffset("setting:N", sort=ORDER),
        "color": alt.Color("setting:N", scale=alt.Scale(domain=ORDER, range=COLOURS), legend=legend),
        "opacity": alt.condition("lit < 0 || lit === datum.row", alt.value(1), alt.value(0.2)),
    }
    shape = alt.Shape("setting:N", legend=legend, scale=alt.Scale(domain=ORDER, range=SHAPES))
    tip = [
        alt.Tooltip("setting:N"),
        alt.Tooltip("library:N"),
        alt.Tooltip("ratio:Q", format=".2f"),
        alt.Tooltip("low:Q", format=".2f", title="from"),
        alt.Tooltip("high:Q", format=".2f", title="to"),
        alt.Tooltip("verdict:N", title="best compared with it"),
    ]
    # Fixed ends: the axis does not move while rows are filtered.
    x: dict[str, Any] = {
        "scale": alt.Scale(type="log", nice=False, domain=ENDS),
        "axis": alt.Axis(format="~g"),
        "title": TITLE,
    }
    base = alt.Chart(alt.NamedData("rows"))
    return [
        base.mark_text(align="left", fontSize=9, color="var(--ink-2)").encode(
            x=alt.value(WIDTH + 6), text="sign:N", **{k: places[k] for k in ("y", "yOffset", "opacity")}
        ),
        base.mark_rule(strokeWidth=2).encode(x=alt.X("from:Q", **x), x2="to:Q", **places),
        *(
            base.transform_filter(f"datum.cut_{end}")
            .mark_point(size=34, filled=True, aria=False, shape=f"triangle-{side}")
            .encode(x=alt.X(f"{at}:Q", **x), **places)
            for end, at, side in (("low", "from", "left"), ("high", "to", "right"))
        ),
        base.mark_point(size=42, filled=True)
        .encode(x=alt.X("ratio:Q", **x), shape=shape, tooltip=tip, **places)
        .add_params(alt.param(name="lit", value=-1)),
    ]
