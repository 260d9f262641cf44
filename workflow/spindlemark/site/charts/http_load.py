"""HTTP delivery: load of server, device and network by number of clients, and over time while clients join and leave.

Study 004 has the first as its tables 3.3 to 3.6, and the second as its figures 3.1 to 3.6.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from spindlemark.analysis.findings.model import Cell
from spindlemark.site.charts.chart_model import Axis, ChartData, Curves, Point

FEWEST = 3  # different numbers of clients that make a curve
PERCENT = 100


class Column(NamedTuple):
    """A column of the attachments `trials` and `ramp`, and how it is drawn: its values are multiplied by `factor`."""

    key: str
    title: str
    axis: Axis
    caption: str = ""
    factor: float = 1.0


LOAD = (
    Column(
        "server_cpu_share",
        "Processor time of the server",
        Axis("share of one processor, %"),
        "User and system time of all processes of the server. 100 % is one processor.",
        PERCENT,
    ),
    Column(
        "server_resident_bytes",
        "Memory of the server",
        Axis("resident memory", "B"),
        "Resident memory of all processes of the server. The page cache of the kernel is not included.",
    ),
    Column(
        "page_cache_bytes",
        "Page cache",
        Axis("page cache of the kernel", "B"),
        "Files that the whole kernel holds in memory, without disks in memory.",
    ),
    Column("device_bytes_per_second", "Device throughput", Axis("read from the device", "B/s"), "", 1.0),
    Column("network_bytes_per_second", "Network throughput", Axis("sent by the server", "bit/s"), "", 8.0),
)
STARTUP = (
    Column(
        "startup_median_seconds",
        "Start-up delay, median",
        Axis("start-up delay", "s"),
        "Time from a client's request until playback starts. All clients start at once, on cold caches.",
    ),
    Column("startup_p99_seconds", "Start-up delay, 99th percentile", Axis("start-up delay", "s")),
    Column(
        "lowest_fill_seconds",
        "Lowest fill of any buffer",
        Axis("lowest fill of any buffer after its start, s", zero=False),
        "Playback time that the emptiest buffer still held. Below 0 it is what was missing: playback stopped. The estimated number "
        "of clients is where the line crosses 0.",
    ),
)
CAPTION_RAMP = (
    "One trial, in which clients join in equal steps up to the largest number without a stall, and leave again in the same order. "
    "One point per second, of the first repetition."
)


def by_clients(cells: list[Cell], data: ChartData, middle: Callable[[list[Point]], list[Point]]) -> Iterator[Curves]:
    """Yield one chart per column over the number of clients; `middle` combines the repetitions of one number."""
    trials = [(cell.configuration, trial) for cell in cells for trial in _rows(cell, data, "trials")]
    for column in (*LOAD, *STARTUP):
        points = middle(
            [
                Point(name, trial["viewers"], column.factor * value)
                for name, trial in trials
                if (value := trial.get(column.key)) is not None
            ]
        )
        if len({point.x for point in points}) >= FEWEST:
            yield Curves(
                f"load-{column.key.replace('_', '-')}",
                f"{column.title} by number of clients",
                column.caption,
                Axis("concurrent clients", kind="searched", whole=True),
                column.axis,
                points,
            )


def over_time(cells: list[Cell], data: ChartData) -> Iterator[Curves]:
    """Yield the number of clients and one chart per column of the load over the seconds of the ramp, if there was one."""
    ramps = [(cell.configuration, _first_ramp(cell, data)) for cell in cells]
    clients = Column("viewers", "Clients", Axis("concurrent clients", kind="searched", whole=True))
    for column in (clients, *LOAD):
        points = [Point(name, row["seconds"], column.factor * row[column.key]) for name, ramp in ramps for row in ramp]
        if points:
            yield Curves(
                f"ramp-{column.key.replace('_', '-')}",
                f"{column.title} over time",
                CAPTION_RAMP if column is clients else "",
                Axis("time, s"),
                column.axis,
                points,
            )


def _rows(cell: Cell, data: ChartData, attachment: str) -> list[dict[str, Any]]:
    return [row for attached in data.attachments(cell) for row in attached.get(attachment, ())]


def _first_ramp(cell: Cell, data: ChartData) -> list[dict[str, Any]]:
    return next((attached["ramp"] for attached in data.attachments(cell) if attached.get("ramp")), [])
