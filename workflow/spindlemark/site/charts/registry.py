"""The families that have charts of their own, each with its builder."""

from collections.abc import Sequence

from spindlemark.analysis.findings.model import Group
from spindlemark.site.charts import (
    aaf_scale,
    aging,
    codec_quality,
    frame_storage,
    hdf5_edit,
    http_streams,
    integrity,
    live_video,
    network_share,
    project_exchange,
    raw_storage_cache,
)
from spindlemark.site.charts.chart_model import Builder, Chart, ChartData, Curves

BUILDERS: dict[str, Builder] = {
    "aaf_scale": aaf_scale.BUILDER,
    "aging": aging.BUILDER,
    "codec_quality": codec_quality.BUILDER,
    "frame_storage": frame_storage.BUILDER,
    "hdf5_edit": hdf5_edit.BUILDER,
    "http_streams": http_streams.BUILDER,
    "integrity": integrity.BUILDER,
    "live_video": live_video.BUILDER,
    "network_share": network_share.BUILDER,
    "project_exchange": project_exchange.BUILDER,
    "raw_storage_cache": raw_storage_cache.BUILDER,
}


def names() -> list[str]:
    """List the families that have charts."""
    return list(BUILDERS)


def first(family: str) -> Sequence[str]:
    """Return the names of a family's main charts, in order; empty for a family without charts."""
    return BUILDERS[family].first if family in BUILDERS else ()


def with_published_values() -> set[str]:
    """Return the families whose charts include values of a study."""
    return {family for family, builder in BUILDERS.items() if builder.shows_published}


def of_group(group: Group, data: ChartData) -> list[Chart]:
    """Return the charts of a group, the main one first; empty if its family has none or there are no values."""
    if group.family not in BUILDERS:
        return []
    found = BUILDERS[group.family].draw(group, data)
    return [p for p in found if (p.points if isinstance(p, Curves) else p.rows)]
