"""Slope charts: the ratio of each configuration in the study and here, joined by a line. The template only draws them."""

import itertools
from collections.abc import Sequence
from typing import Any

Page = dict[str, Any]
FEWEST, MOST = 3, 10  # lines
LONGEST = 12  # letters of a name next to a line
TOP, HEIGHT, BOTTOM = 40, 150, 14  # above, of and below the lines, in pixels
APART = 19  # between two labels


def of(rows: Sequence[Page]) -> Page | None:
    """A chart of the rows with both ratios, as `ratios.draw` placed them; None for too few, too many or long names."""
    both = [row for row in rows if _place(row, "then") is not None and _place(row, "now") is not None]
    if not FEWEST <= len(both) <= MOST or any(len(row["subject"]["name"]) > LONGEST for row in both):
        return None
    places = [_place(row, side) for row in both for side in ("then", "now")]
    height = max(HEIGHT, APART * (len(both) - 1))
    least, span = min(places), max(max(places) - min(places), 1)
    ends = {
        side: [round(TOP + height * (1 - (_place(row, side) - least) / span)) for row in both]
        for side in ("then", "now")
    }
    labels = {side: spread(found, TOP, TOP + height) for side, found in ends.items()}
    return {
        "height": TOP + height + BOTTOM,
        "lines": [
            {
                "subject": row["subject"],
                "then": row["then"]["text"],
                "now": row["now"]["text"],
                "y1": ends["then"][n],
                "y2": ends["now"][n],
                "label1": labels["then"][n],
                "label2": labels["now"][n],
            }
            for n, row in enumerate(both)
        ],
    }


def spread(places: Sequence[int], first: int, last: int) -> list[int]:
    """The places of labels, at least APART from each other and within the given ones, in the order of `places`."""
    order = sorted(range(len(places)), key=places.__getitem__)
    found = list(places)
    for before, after in itertools.pairwise(order):
        found[after] = max(found[after], found[before] + APART)
    limit = max(last, first + APART * (len(order) - 1))
    for at in reversed(order):
        found[at] = min(found[at], limit)
        limit = found[at] - APART
    return found


def _place(row: Page, side: str) -> Any:
    return row[side] and row[side]["x"]
