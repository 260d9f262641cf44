"""The families that have pictures, each with its builder."""

from collections.abc import Sequence

from spindlemark.analysis.findings.model import Group
from spindlemark.site.charts import (
    aaf_scale,
    aging,
    codec_quality,
    frame_storage,
    hdf5_edit,
    http_streams,
    live_video,
    network_share,
    project_exchange,
    raw_storage_cache,
)
from spindlemark.site.charts.pictures import Builder, Curves, Picture, Seen

BUILDERS: dict[str, Builder] = {
    "aaf_scale": aaf_scale.BUILDER,
    "aging": aging.BUILDER,
    "codec_quality": codec_quality.BUILDER,
    "frame_storage": frame_storage.BUILDER,
    "hdf5_edit": hdf5_edit.BUILDER,
    "http_streams": http_streams.BUILDER,
    "live_video": live_video.BUILDER,
    "network_share": network_share.BUILDER,
    "project_exchange": project_exchange.BUILDER,
    "raw_storage_cache": raw_storage_cache.BUILDER,
}


def names() -> list[str]:
    """The families that have pictures."""
    return list(BUILDERS)


def first(family: str) -> Sequence[str]:
    """Names of the pictures by which the family is known, in their order; none for a family without pictures."""
    return BUILDERS[family].first if family in BUILDERS else ()


def beside_studies() -> set[str]:
    """The families that draw what a study prints beside what was measured."""
    return {family for family, builder in BUILDERS.items() if builder.beside_study}


def of_group(group: Group, seen: Seen) -> list[Picture]:
    """The pictures of a group, the first one first; none where its family draws none or has nothing to draw."""
    if group.family not in BUILDERS:
        return []
    found = BUILDERS[group.family].draw(group, seen)
    return [p for p in found if (p.points if isinstance(p, Curves) else p.rows)]
