"""Releases: immutable, checksummed, citable versions of the measurements."""

from pathlib import Path

from spindlemark.core import paths
from spindlemark.release.freeze import check_month, check_new, freeze
from spindlemark.release.manifest import Manifest, Version, read, verify
from spindlemark.release.manifest import versions as _versions
from spindlemark.release.record_summary import summarise
from spindlemark.release.version_name import order

__all__ = [
    "Manifest",
    "Version",
    "check_month",
    "check_new",
    "freeze",
    "order",
    "read",
    "summarise",
    "verify",
    "versions",
]


def versions(folder: Path = paths.RELEASES) -> list[Version]:
    """List the releases in `folder`, newest first; raises UserError for a damaged manifest."""
    return _versions(folder)
