"""Metrics of aging: pieces, read rate and streams of a new and of an aged filesystem."""

from spindlemark.core.metric import Metric
from spindlemark.harness.work import work

RESOLUTION = "streams.resolution"


def _work(part: str, title: str, what: str) -> dict[str, Metric]:
    """Metrics of work; intervals of requests have the width of the search, as in all releases."""
    return {
        name: metric.model_copy(update={"resolution": RESOLUTION}) if metric.kind == "count" else metric
        for name, metric in work(part, title, what).items()
    }


METRICS = {
    "overwritten_ratio": Metric(
        title="Times overwritten",
        unit="1",
        kind="ratio",
        better="none",
        description="bytes recorded after the first fill over the size of the device",
    ),
    "fresh_extents_per_100_mb": Metric(
        title="Pieces per 100 MB, fresh",
        unit="1",
        kind="density",
        better="lower",
        description="pieces of all recordings after the first fill, over their size in 100 MB (10^8 bytes)",
    ),
    "aged_extents_per_100_mb": Metric(
        title="Pieces per 100 MB, aged",
        unit="1",
        kind="density",
        better="lower",
        description="the same after recordings came and went",
    ),
    "fresh_read_bytes_per_second": Metric(
        title="Sequential read, fresh",
        unit="B/s",
        step="fresh_read",
        moves="read",
        better="higher",
        description="all recordings read one after another on cold caches, after the first fill",
    ),
    "aged_read_bytes_per_second": Metric(
        title="Sequential read, aged",
        unit="B/s",
        step="aged_read",
        moves="read",
        better="higher",
        description="the same after recordings came and went",
    ),
    "read_kept_ratio": Metric(
        title="Read rate kept",
        unit="1",
        kind="ratio",
        better="higher",
        description="aged over fresh sequential read rate; 1 would be no aging",
    ),
    "fresh_streams_count": Metric(
        title="Streams, fresh",
        unit="1",
        kind="searched",
        limited_by="streams.fresh-limited_by",
        most="streams.most_streams",
        resolution=RESOLUTION,
        step="fresh_streams",
        moves="read",
        each="rate.bytes_per_second",
        better="higher",
        description="the largest number of readers of which none falls behind, after the first fill; at least so many "
        "where the environment's streams.fresh-limited_by is most_streams",
    ),
    "aged_streams_count": Metric(
        title="Streams, aged",
        unit="1",
        kind="searched",
        limited_by="streams.aged-limited_by",
        most="streams.most_streams",
        resolution=RESOLUTION,
        step="aged_streams",
        moves="read",
        each="rate.bytes_per_second",
        better="higher",
        description="the same after recordings came and went; see streams.aged-limited_by",
    ),
    **_work("age", "Recording", "recordings that come and go, from fresh to aged"),
    **_work("fresh_read", "Sequential read, fresh", "fio"),
    **_work("aged_read", "Sequential read, aged", "fio"),
}
