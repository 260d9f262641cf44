"""The gates of one trial: the device read what the clients got, the content is right, and the client program kept up."""

from typing import Any

from spindlemark.families.http_streams.http_factors import Demand
from spindlemark.harness.repetition import Repetition

# Of a processor: above it, the client may be what holds clients back.
MOST_CLIENT = 0.5


def require(repetition: Repetition, demand: Demand, report: dict[str, Any], received: int, device_bytes: int) -> None:
    """Record each gate; raises Invalid for the first that does not hold."""
    gate = repetition.require
    gate(
        "cold_proof",
        device_bytes >= received,
        device_bytes,
        received,
        "B",
        "bytes that the device read, from its own counter, against what the clients got",
    )
    gate(
        "content",
        not report["bad_blocks"],
        report["bad_blocks"],
        0,
        "1",
        f"wrong ones among {report['checked_blocks']} blocks that were looked at, one of each read",
    )
    busy = report["cpu_seconds"] / report["seconds"]
    gate(
        "generator_idle",
        busy < MOST_CLIENT,
        round(busy, 4),
        MOST_CLIENT,
        "1",
        "share of one processor that the clients' own program used",
    )
    bound = demand.start_seconds
    gate(
        "generator_keeps_up",
        report["latest_seconds"] < bound,
        round(report["latest_seconds"], 4),
        bound,
        "s",
        "by which the clients' own program noticed too late that a buffer has room",
    )
