"""The chart above a comparison: every setting under every library, linked to the table by number of row."""

from typing import Any

import altair as alt

from spindlemark.publish.charts import CONFIG

WIDTH, LEAST_ROW, PER_SUBJECT, MOST_GROUPS = 640, 26, 9, 16
Columns = dict[str, Any]


def rows(columns: Columns) -> list[dict[str, Any]]:
    """Points of the chart from the columns that the table gets: ratio to the best with its interval."""
    found = []
    for i, ratio in enumerate(columns["ratio"]):
        if ratio is not None and columns["group"][i] < MOST_GROUPS:
            low, high = columns["ratio_low"][i], columns["ratio_high"][i]
            found.append({
                "row": i, "library": columns["groups"][columns["group"][i]]["title"],
                "setting": columns["subjects"][columns["subject"][i]]["name"], "ratio": ratio,
                "low": ratio if low is None else round(ratio * (1 + low / 1000), 3),
                "high": ratio if high is None else round(ratio * (1 + high / 1000), 3)})
    return found


def chart(columns: Columns) -> dict[str, Any] | None:
    """Spec with the rows as the named data set `rows`; None where the metric has no ranking."""
    values = rows(columns)
    if not values:
        return None
    names = [s["name"] for s in columns["subjects"]]
    step = max(LEAST_ROW, min(len(names), 8) * PER_SUBJECT)
    layered = alt.layer(*_layers(columns["subjects"])).properties(width=WIDTH, height=alt.Step(step))
    spec = layered.to_dict(validate=False)
    return spec | {"config": CONFIG, "data": {"name": "rows", "values": values}}


def _layers(subjects: list[dict[str, Any]]) -> list[alt.Chart]:
    names = [s["name"] for s in subjects]
    colours = alt.Scale(domain=names, range=[f"var(--s{s['colour']})" for s in subjects])
    y = alt.Y("library:N", sort=None, title=None, axis=alt.Axis(
        ticks=False, domain=False, labelFontSize=12.5, labelColor="var(--ink)", labelPadding=8, labelLimit=140))
    offset = alt.YOffset("setting:N", sort=names)
    x = alt.X("ratio:Q", scale=alt.Scale(zero=False, nice=True), title="times worse than the best of its library")
    colour = alt.Color("setting:N", scale=colours, legend=alt.Legend(
        orient="top", title=None, symbolType="circle", labelColor="var(--ink)", labelFontSize=12, columns=6))
    shape = alt.Shape("setting:N", legend=None, scale=alt.Scale(domain=names, range=[s["shape"] for s in subjects]))
    tip = [alt.Tooltip("setting:N"), alt.Tooltip("library:N"), alt.Tooltip("ratio:Q", format=".3f"),
           alt.Tooltip("low:Q", format=".3f", title="from"), alt.Tooltip("high:Q", format=".3f", title="to")]
    lit = alt.param(name="lit", value=-1)
    opacity = alt.condition("lit < 0 || lit === datum.row", alt.value(1), alt.value(0.2))
    base = alt.Chart()
    return [
        base.mark_rule(strokeWidth=2).encode(x=x, x2="high:Q", y=y, yOffset=offset, color=colour, opacity=opacity),
        base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q"), x2="ratio:Q", y=y, yOffset=offset, color=colour,
                                             opacity=opacity),
        base.mark_point(size=42, filled=True).add_params(lit).encode(
            x=x, y=y, yOffset=offset, color=colour, shape=shape, tooltip=tip, opacity=opacity),
    ]
