"""What one trial shows, and its row in the attachment `trials`."""

from dataclasses import dataclass
from statistics import median, quantiles
from typing import Any

from spindlemark.families.http_streams.server_watch import Load


@dataclass(frozen=True)
class Seen:
    """What came of one trial."""

    clients: int
    holds: bool
    goodput: float  # B/s of all clients, between the filling of buffers and the end of the first asset
    served: float  # clients that the bytes of the second half would feed
    stalls: int
    startup: list[float]  # seconds, of those who started
    thumbnails: list[float]  # seconds until each was there; those that had not come count with the time so far
    lowest_seconds: float  # least balance of any buffer (load_curve.py); minus the whole trial where one never started
    received_bytes: int
    device_bytes: int
    server_cpu_seconds: float
    carried_bytes: int  # by the link, from the server to the clients
    busy: float  # share of all processors that was used
    device_share: (
        float | None
    )  # of the bytes or the requests that the device is held to, what it gave; None where it is not held
    load: Load  # means of the trial


def p99(values: list[float]) -> float:
    """The 99th percentile (inclusive method of Hyndman and Fan, type 7); the only value of one."""
    return quantiles(values, n=100, method="inclusive")[98] if len(values) > 1 else values[0]


def row(name: str, seen: Seen, report: dict[str, Any], late: float) -> dict[str, Any]:
    """The trial as the record keeps it; `late`: seconds by which the worst recording was late."""
    return {
        "step": name,
        "viewers": seen.clients,
        "holds": seen.holds,
        "seconds": round(report["seconds"], 2),
        "goodput_bytes_per_second": round(seen.goodput),
        "received_bytes": seen.received_bytes,
        "carried_bytes": seen.carried_bytes,
        "device_bytes": seen.device_bytes,
        "device_share": None if seen.device_share is None else round(seen.device_share, 3),
        "processor_busy": round(seen.busy, 3),
        **seen.load.row(),
        "recordings_late_seconds": round(late, 3),
        "server_cpu_seconds": round(seen.server_cpu_seconds, 4),
        "client_cpu_seconds": round(report["cpu_seconds"], 4),
        "startup_median_seconds": round(median(seen.startup), 4) if seen.startup else None,
        "startup_p99_seconds": round(p99(seen.startup), 4) if seen.startup else None,
        "thumbnail_median_seconds": round(median(seen.thumbnails), 4) if seen.thumbnails else None,
        "thumbnail_p99_seconds": round(p99(seen.thumbnails), 4) if seen.thumbnails else None,
        "lowest_fill_seconds": round(seen.lowest_seconds, 3),
        "stalls": [client["stalls"] for client in report["clients"]],
        "stalled_seconds": [round(client["stalled_seconds"], 3) for client in report["clients"]],
    }
