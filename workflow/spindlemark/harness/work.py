"""Metrics of the work that a part of a repetition caused."""

from spindlemark.core.metric import Metric


def work(
    part: str, title: str, what: str, shortest_seconds: float | None = None, formula: str | None = None
) -> dict[str, Metric]:
    """Metrics of a part's requests to the device and its processor time; see Repetition.measure_work.

    `title` is the part's, `what` says which commands it is, `shortest_seconds` is that of their processor time. `formula` says
    how that time follows from the record; None if a program measured its own. They hardly scatter, and explain where time went.
    """
    return {
        f"{part}_device_reads_count": Metric(
            title=f"{title}: read requests",
            unit="1",
            kind="count",
            work="reads",
            better="lower",
            description=f"requests to read that the device was asked for: {what}",
        ),
        f"{part}_device_writes_count": Metric(
            title=f"{title}: write requests",
            unit="1",
            kind="count",
            work="writes",
            better="lower",
            description=f"requests to write that the device was asked for: {what}",
        ),
        f"{part}_device_read_bytes": Metric(
            title=f"{title}: bytes read",
            unit="B",
            work="read",
            better="lower",
            description=f"bytes that the device read: {what}",
        ),
        f"{part}_device_written_bytes": Metric(
            title=f"{title}: bytes written",
            unit="B",
            work="written",
            better="lower",
            description=f"bytes that the device wrote: {what}",
        ),
        f"{part}_cpu_seconds": Metric(
            title=f"{title}: processor time",
            unit="s",
            work="cpu",
            step=f"{part}_cpu",
            formula=formula,
            better="lower",
            description=f"user and system time of the commands, without that of kernel threads: {what}",
            shortest_seconds=shortest_seconds,
        ),
    }
