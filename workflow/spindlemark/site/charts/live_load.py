"""Live video by number of streams: load, missed frames and latency, as curves and as the table of study 002; and a long trial."""

from collections import defaultdict
from collections.abc import Iterator
from statistics import median
from typing import Any, NamedTuple

from spindlemark.analysis.findings import question_list
from spindlemark.analysis.findings.model import Cell, Group
from spindlemark.analysis.findings.text import percent, quantity
from spindlemark.analysis.studies.published_cells import read, table_rows
from spindlemark.core import paths
from spindlemark.site.charts.chart_model import Axis, ChartData, Curves, Mark, Matrix, Point

STUDY, TABLE = "002", "receiver-load"
TASK, FORMAT, STREAM = "task", "format.name", "stream.name"
MISSED = "missed_ratio"
ACCEPTED_PER_SECOND = 0.5  # frames that a stream may miss, as the study accepts
_NUMBER = Axis("streams", zero=False, whole=True)
# column of a trial -> name and title of the chart, and its axis
CURVES = {
    "senders_cpu_ratio": ("load-senders", "Load of the senders", Axis("share of all processors", "1", "ratio")),
    "receivers_cpu_ratio": ("load-receivers", "Load of the receivers", Axis("share of all processors", "1", "ratio")),
    "link_bits_per_second": ("load-link", "Rate on the link", Axis("rate on the link", "bit/s")),
    MISSED: ("load-missed", "Frames lost or late", Axis("frames lost or late", "1", "ratio")),
    "latency_median_seconds": ("load-latency", "Latency", Axis("latency", "s")),
    "latency_p99_seconds": ("load-latency-p99", "Latency that one frame in a hundred exceeds", Axis("latency", "s")),
}
COLUMNS = {
    "senders_cpu_ratio": "processors, sending",
    "receivers_cpu_ratio": "processors, receiving",
    "link_bits_per_second": "on the link",
    "lost": "lost",
    "late": "late",
    "repeated": "repeated",
    "latency_median_seconds": "latency",
    "latency_p99_seconds": "latency, 99th percentile",
}
UNITS = {"link_bits_per_second": "bit/s", "latency_median_seconds": "s", "latency_p99_seconds": "s"}
CAPTION = (
    "Streams are added one at a time, each with a sender and a receiver, until two numbers beyond the first that misses frames. "
    "Senders and receivers share the processors of one machine; the load is a share of all of them. Each point is the "
    "median of all repetitions."
)
CAPTION_TABLE = (
    "Rows as in the study: one more stream each. Frames are those of all streams in a trial. The text of the study states the load of "
    "one receiver and the network of two NDI versions, with another format and content, and not at how many streams. Its tables are "
    "pictures. NDI itself is not measured here."
)
CAPTION_SOAK = (
    "Median latencies of equal spans of one long trial. {drift} The interval comes from a moving-block bootstrap, which allows for "
    "latencies that follow each other."
)
Row = dict[str, Any]


class Tried(NamedTuple):
    """The trials with one number of streams of a configuration, over all repetitions."""

    configuration: str
    number: int
    rows: list[Row]

    def values(self, column: str) -> list[float]:
        """What each repetition has in a column, without those in which nothing was shown."""
        return [v for row in self.rows if (v := _value(row, column)) is not None]


def charts(group: Group, data: ChartData) -> list[Curves | Matrix]:
    """Return the table and the curves by number of streams, and the latency over a long trial."""
    tried = list(_tried(group, data))
    return [*_table(group, tried, data), *_curves(tried), *_soak(group, data)]


def _value(row: Row, column: str) -> float | None:
    if column == MISSED:
        return (row["lost"] + row["late"]) / row["due"]
    return row[column]


def _cells(group: Group) -> list[Cell]:
    """Return one cell of each configuration."""
    return list({c.configuration: c for table in group.metrics for c in table.cells}.values())


def _tried(group: Group, data: ChartData) -> Iterator[Tried]:
    """Yield what was tried in the order of configurations and numbers; records up to method 2 have no loads."""
    for cell in _cells(group):
        if data.factors(cell).get(TASK) != "streams":
            continue
        found: dict[int, list[Row]] = defaultdict(list)
        for attached in data.attachments(cell):
            for trial in attached.get("trials", []):
                if "senders_cpu_ratio" in trial:
                    found[trial["streams"]].append(trial)
        for number in sorted(found):
            yield Tried(cell.configuration, number, found[number])


def _curves(tried: list[Tried]) -> list[Curves]:
    found = []
    for column, (name, title, axis) in CURVES.items():
        points = [
            Point(each.configuration, each.number, median(values), min(values), max(values))
            for each in tried
            if (values := each.values(column))
        ]
        if points:
            found.append(Curves(name, f"{title} by number of streams", CAPTION, _NUMBER, axis, points))
    return found


def _table(group: Group, tried: list[Tried], data: ChartData) -> list[Matrix]:
    if not tried:
        return []
    rows = [
        (f"{each.configuration}, {each.number} {'stream' if each.number == 1 else 'streams'}", _marks(each))
        for each in tried
    ]
    form = next((name for cell in _cells(group) if (name := data.factors(cell).get(FORMAT))), "")
    title = f"Load and missed frames by number of streams, {question_list.label(group.family, FORMAT, form)}"
    columns = list(COLUMNS.values())
    return [Matrix("load-table", title, CAPTION_TABLE, "Streams", "Load", columns, [*rows, *_published()])]


def _marks(each: Tried) -> list[Mark]:
    """Return the medians of a row; missed frames are rated by what the study accepts."""
    return [_mark(each, column, each.values(column)) for column in COLUMNS]


def _mark(each: Tried, column: str, values: list[float]) -> Mark:
    if not values:
        return Mark("nothing shown", "bad")
    middle = median(values)
    if column in UNITS:
        return Mark(quantity(middle, UNITS[column]), "none")
    if column.endswith("_ratio"):
        return Mark(percent(middle), "none")
    accepted = ACCEPTED_PER_SECOND * each.number * median(row["seconds"] for row in each.rows)
    return Mark(f"{middle:,.0f}", "good" if middle == 0 else "partly" if middle <= accepted else "bad")


def _published() -> list[tuple[str, list[Mark]]]:
    """Return what the text of the study states, one row per version of NDI."""
    folder = paths.REFERENCE / STUDY
    found = []
    for row in table_rows(folder, TABLE, read(folder).tables[TABLE]):
        stated = {
            "receivers_cpu_ratio": percent(float(row["receiver_cpu"]) / 100),
            "link_bits_per_second": quantity(1e6 * float(row["network"]), "bit/s"),
        }
        marks = [Mark(stated.get(column, "not stated"), "none") for column in COLUMNS]
        found.append((f"{row['version']} in study {STUDY}", marks))
    return found


def _soak(group: Group, data: ChartData) -> list[Curves]:
    """Return the latency over the first repetition of a long trial."""
    points, drifts = [], []
    for cell in _cells(group):
        kept = next((a for a in data.attachments(cell) if "latencies" in a), None)
        if kept is not None:
            points += [Point(cell.configuration, s["second"], s["latency_seconds"]) for s in kept["latencies"]]
            drifts.append(_drift(cell.configuration, kept["drift"]))
    if not points:
        return []
    caption = CAPTION_SOAK.format(drift=" ".join(drifts))
    return [Curves("soak", "Latency over a long trial", caption, Axis("time", "s"), Axis("latency", "s"), points)]


def _drift(name: str, drift: dict[str, float]) -> str:
    slope, low, high = (f"{drift[f'{key}_ms_per_minute']:+.3g}" for key in ("slope", "low", "high"))
    word = "drifts by" if drift["detected"] else "has no detected drift:"
    return f"{name} {word} {slope} ms per minute (95 % interval {low} to {high})."
