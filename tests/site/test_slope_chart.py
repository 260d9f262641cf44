"""Slope charts: ends where the ratios are, labels that do not overlap, and none where it cannot be read."""

import itertools

import pytest

from spindlemark.site.studies import ratios, slope_chart


def row(name, then, now):
    sides = {side: value and ratios.plain(value, 3) for side, value in (("then", then), ("now", now))}
    return {"subject": {"name": name, "colour": 1, "shape": "circle"}, **sides}


def chart(*rows):
    ratios.draw(list(rows))
    return slope_chart.of(rows)


def test_a_greater_ratio_is_higher_and_equal_ones_are_level():
    found = chart(row("ext4", 1.0, 1.0), row("xfs", 2.0, 2.0), row("btrfs", 1.5, 3.0))
    lines = {line["subject"]["name"]: line for line in found["lines"]}
    assert lines["xfs"]["y1"] == lines["xfs"]["y2"] < lines["ext4"]["y1"] == lines["ext4"]["y2"]
    assert lines["btrfs"]["y2"] == slope_chart.TOP < lines["btrfs"]["y1"]
    assert (lines["btrfs"]["then"], lines["btrfs"]["now"]) == ("1.50×", "3.00×")
    assert all(0 < line["y1"] <= found["height"] for line in found["lines"])


@pytest.mark.parametrize(
    "places", [[40, 41, 42, 43], [190, 189, 188], [40, 190], [100], [60, 60, 60, 60, 60, 60, 60, 60, 60]]
)
def test_labels_do_not_overlap_and_keep_their_order(places):
    found = slope_chart.spread(places, 40, 190)
    ordered = sorted(zip(places, found, strict=True))
    heights = sorted(found)
    assert all(after - before >= slope_chart.APART for before, after in itertools.pairwise(heights))
    assert [height for _, height in ordered] == sorted(height for _, height in ordered)
    assert min(found) >= 40 and max(found) <= max(190, 40 + slope_chart.APART * (len(places) - 1))


@pytest.mark.parametrize(
    "rows",
    [
        [row("ext4", 1.0, 1.0), row("xfs", 2.0, 2.0)],
        [row("ext4", 1.0, 1.0), row("xfs", 2.0, None), row("jfs", None, 2.0)],
        [row("ext4", 1.0, 1.0), row("xfs", 2.0, 2.0), row("a name of many letters", 1.0, 1.0)],
        [row(f"f{n}", 1.0, 1.0) for n in range(slope_chart.MOST + 1)],
    ],
)
def test_no_chart_of_few_or_many_lines_or_long_names(rows):
    assert chart(*rows) is None
