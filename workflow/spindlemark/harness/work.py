"""Metrics of the work that a part of a repetition caused."""

from spindlemark.core.metric import Metric


def work(part: str, title: str, what: str, shortest_seconds: float | None = None) -> dict[str, Metric]:
    """Metrics of what a part of a repetition asked of device and processors; see Repetition.measure_work.

    `title` is the part's, `what` says which commands it is, `shortest_seconds` is that of their processor time. They hardly
    scatter, and explain where time went.
    """
    cpu = "user and system time of the commands, without that of kernel threads"
    return {
        f"{part}_{name}": Metric(
            title=f"{title}: {of}",
            unit=unit,
            better="lower",
            description=f"{means}: {what}",
            shortest_seconds=shortest_seconds if unit == "s" else None,
        )
        for name, unit, of, means in (
            ("device_reads_count", "1", "read requests", "requests to read that the device was asked for"),
            ("device_writes_count", "1", "write requests", "requests to write that the device was asked for"),
            ("device_read_bytes", "B", "bytes read", "bytes that the device read"),
            ("device_written_bytes", "B", "bytes written", "bytes that the device wrote"),
            ("cpu_seconds", "s", "processor time", cpu),
        )
    }
