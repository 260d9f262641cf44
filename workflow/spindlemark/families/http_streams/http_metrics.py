"""What the family measures."""

from spindlemark.core.metric import OF_MANY, OWN_CLOCK, Metric

METRICS = {
    "viewers_sustained_count": Metric(
        title="Viewers",
        unit="1",
        kind="searched",
        failed="viewers_failed_count",
        limited_by="viewers.limited_by",
        most="viewers.most_viewers",
        resolution="viewers.resolution",
        step="viewers",
        moves="read",
        each="rate.bytes_per_second",
        better="higher",
        description="the largest number of viewers at the rate of whom none has to wait; at least so many where "
        "viewers_failed_count is 0",
    ),
    "viewers_estimated_count": Metric(
        title="Viewers, estimated",
        unit="1",
        kind="estimated",
        step="viewers",
        better="higher",
        description="the largest number of viewers as a fraction: where the lowest fill of any buffer would reach 0 between "
        "the largest number that held and the smallest that failed; the former where nothing failed",
    ),
    "viewers_failed_count": Metric(
        title="Viewers that were too many",
        unit="1",
        kind="count",
        better="none",
        description="the smallest number of viewers of whom one had to wait; 0 where the largest number tried still held",
    ),
    "goodput_bytes_per_second": Metric(
        title="Goodput under overload",
        unit="B/s",
        step="goodput",
        moves="read",
        better="higher",
        description="what viewers get together who are more than are fed without a stall",
    ),
    "startup_median_seconds": Metric(
        title="Start-up, median",
        unit="s",
        step="startup_median",
        better="lower",
        shortest_seconds=OWN_CLOCK,
        description="from a viewer's request until the film begins, at the largest number that holds",
    ),
    "startup_worst_seconds": Metric(
        title="Start-up, worst",
        unit="s",
        step="startup_worst",
        better="lower",
        shortest_seconds=OWN_CLOCK,
        description="of the viewer who waited longest, at the largest number that holds",
    ),
    "carried_for_sent_ratio": Metric(
        title="Carried for each byte got",
        unit="1",
        kind="ratio",
        better="none",
        description="bytes that the link carried to the viewers at the largest number that holds, over those of their films: "
        "heads of answers and of packets, as far as the kernel cuts them",
    ),
    "stalls_beyond_count": Metric(
        title="Stalls at too many",
        unit="1",
        kind="count",
        resolution="viewers.resolution",
        better="lower",
        description="stalls of all viewers together at the smallest number that failed",
    ),
    "gigabyte_cpu_seconds": Metric(
        title="Server: processor time for each GB",
        unit="s",
        step="gigabyte_cpu",
        work="cpu",
        better="lower",
        shortest_seconds=OF_MANY,
        description="user and system time of the server under overload, for 10^9 bytes that the viewers got",
    ),
    "read_for_sent_ratio": Metric(
        title="Read for each byte sent",
        unit="1",
        kind="ratio",
        better="lower",
        description="bytes that the device read under overload over those that the viewers got: above 1 is readahead in vain",
    ),
    "viewer_cpu_ratio": Metric(
        title="Server: processor for each viewer",
        unit="1",
        kind="ratio",
        better="lower",
        description="share of one processor that all processes of the server use, for each viewer, at the largest number that holds",
    ),
    "server_resident_bytes": Metric(
        title="Server: memory",
        unit="B",
        better="lower",
        description="mean resident memory of all processes of the server at the largest number that holds, without the page "
        "cache; a page that several processes share counts for each",
    ),
    "film_pieces_per_100_mb": Metric(
        title="Pieces for 100 MB of film",
        unit="1",
        kind="density",
        better="lower",
        description="contiguous runs on the device that the films are in (filefrag), for 10^8 bytes",
    ),
}
