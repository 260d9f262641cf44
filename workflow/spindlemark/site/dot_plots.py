"""Small drawings whose coordinates are computed here and which the templates only draw: dots, intervals, load."""

from math import log
from statistics import fmean

WIDTH, HEIGHT = 1000, 240
MIDDLE = 45  # of a strip, from above
MOST_POINTS = 160
MOST_OF_ALL = 480  # points of all lines of a chart, as long as each keeps FEWEST_POINTS
FEWEST_POINTS = 40


def strip(samples: list[float], noisy: list[bool], low: float | None, median: float | None, high: float | None) -> dict:
    """Samples, interval and median of one metric on a line of WIDTH units; the line spans just these values."""
    values = [*samples, *(v for v in (low, median, high) if v is not None)]
    if not values:
        return {}
    least, most = min(values), max(values)
    span = (most - least) or 1.0

    def place(value: float) -> int:
        return round(20 + (value - least) / span * (WIDTH - 40)) if most > least else WIDTH // 2

    return {
        "quiet": _dots([place(v) for v, disturbed in zip(samples, noisy, strict=True) if not disturbed]),
        "noisy": _dots([place(v) for v, disturbed in zip(samples, noisy, strict=True) if disturbed]),
        "low": None if low is None else place(low),
        "median": None if median is None else place(median),
        "high": None if high is None else place(high),
    }


def multiples(rows: dict[str, tuple[tuple[float, float, float], list[float]]]) -> dict[str, dict]:
    """Strips of multiples with their intervals, (value, low, high), and of single sessions; one logarithmic line for all."""
    ends = [log(value) for estimate, each in rows.values() for value in (1.0, *estimate, *each)]
    least, span = min(ends), max(max(ends) - min(ends), 0.05)

    def place(value: float) -> int:
        return round(20 + (log(value) - least) / span * (WIDTH - 40))

    return {
        name: {"quiet": _dots([place(v) for v in each]), "noisy": ""}
        | dict(zip(("median", "low", "high"), map(place, estimate), strict=True))
        for name, (estimate, each) in rows.items()
    }


def _dots(places: list[int]) -> str:
    """One SVG path of strokes without length, whose round caps are the dots: a tenth of the bytes of as many circles."""
    return "".join(f"M{x} {MIDDLE}h0" for x in places)


def line(seconds: list[float], values: list[float], end: float, top: float, lines: int = 1) -> str:
    """Points of an SVG polyline in WIDTH x HEIGHT units, one of so many `lines`; long series are averaged down."""
    most = max(FEWEST_POINTS, min(MOST_POINTS, MOST_OF_ALL // lines))
    step = max(1, -(-len(values) // most))
    points = []
    for i in range(0, len(values), step):
        x, y = fmean(seconds[i : i + step]), fmean(values[i : i + step])
        points.append(f"{x / (end or 1) * WIDTH:.0f},{HEIGHT - y / (top or 1) * HEIGHT:.0f}")
    return " ".join(points)
