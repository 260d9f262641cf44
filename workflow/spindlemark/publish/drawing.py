"""Small drawings whose coordinates are computed here and which the templates only draw: dots, intervals, load."""

from statistics import fmean

WIDTH, HEIGHT = 1000, 240
MOST_POINTS = 160


def strip(samples: list[float], noisy: list[bool], low: float | None, median: float | None, high: float | None) -> dict:
    """Samples, interval and median of one metric on a line of WIDTH units; the line spans just these values."""
    values = [*samples, *(v for v in (low, median, high) if v is not None)]
    if not values:
        return {}
    least, most = min(values), max(values)
    span = (most - least) or 1.0

    def place(value: float | None) -> int | None:
        if value is None:
            return None
        return round(20 + (value - least) / span * (WIDTH - 40)) if most > least else WIDTH // 2

    return {"dots": [{"x": place(v), "noisy": n} for v, n in zip(samples, noisy, strict=True)],
            "low": place(low), "median": place(median), "high": place(high)}


def line(seconds: list[float], values: list[float], end: float, top: float) -> str:
    """Points of an SVG polyline in WIDTH x HEIGHT units; long series are averaged down to MOST_POINTS."""
    step = max(1, -(-len(values) // MOST_POINTS))
    points = []
    for i in range(0, len(values), step):
        x, y = fmean(seconds[i:i + step]), fmean(values[i:i + step])
        points.append(f"{x / (end or 1) * WIDTH:.0f},{HEIGHT - y / (top or 1) * HEIGHT:.0f}")
    return " ".join(points)
