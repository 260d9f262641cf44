"""Releases in one file each, on the site itself: only where its owner wants them, since they are most of its size."""

from pathlib import Path

from spindlemark.core import paths
from spindlemark.release import publication
from spindlemark.release import versions as release
from spindlemark.release.publication import Publication
from spindlemark.release.ro_crate import crate


def record(address: str, releases: Path = paths.RELEASES, publications: Path = paths.PUBLICATIONS) -> None:
    """Record for each release without an archive that it is on the site at `address`, so that its page links to it."""
    for each in release.versions(releases):
        if publication.read(each.version, publications).archive is None:
            place = f"{address}{publication.archive_place(each.version)}"
            publication.add(each.version, Publication(archive=place), publications)


def add(
    site: Path,
    address: str,
    releases: Path = paths.RELEASES,
    publications: Path = paths.PUBLICATIONS,
) -> None:
    """Make those archives that are recorded to be on the site at `address`, and put them into the built site."""
    for each in release.versions(releases):
        place = publication.archive_place(each.version)
        if publication.read(each.version, publications).archive == f"{address}{place}":
            (site / place).parent.mkdir(parents=True, exist_ok=True)
            crate.make(each.version, site / place, releases, publications)
