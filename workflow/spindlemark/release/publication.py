"""The record of publication: addresses and DOIs of a release, which exist only after it was frozen.

They are stored in `data/publications/<version>.yaml`, outside the release, because a release never changes. Pages and citations
use them.
"""

from pathlib import Path

import yaml

from spindlemark.config import read_yaml
from spindlemark.core import paths
from spindlemark.core.atomic_write import write
from spindlemark.core.record import Closed
from spindlemark.release.citation.citation_model import Address, Citation, Doi
from spindlemark.release.version_name import is_version, order

HEAD = "# Where version {} is published. Written by: ./spindlemark cite {}\n"
SHARED = ("site", "repository", "concept_doi")  # the same for all versions


class Publication(Closed):
    """Addresses and DOIs of a version; each may be unknown."""

    site: Address | None = None
    repository: Address | None = None
    doi: Doi | None = None
    concept_doi: Doi | None = None
    archive: Address | None = None

    def of(self, declared: Citation) -> Citation:
        """Return the citation with the known addresses and DOIs."""
        return declared.model_copy(update={k: v for k, v in _known(self).items() if k in Citation.model_fields})


def path(version: str, folder: Path = paths.PUBLICATIONS) -> Path:
    """Return the file of a version's record; raises UserError for an invalid version."""
    order(version)
    return folder / f"{version}.yaml"


def read(version: str, folder: Path = paths.PUBLICATIONS) -> Publication:
    """Read the record of `version`; fields that all versions share come from the newest record that has them.

    A version without a record has only the shared fields. Raises UserError naming file and key.
    """
    records = {p.stem: read_yaml(p, Publication) for p in folder.glob("*.yaml") if is_version(p.stem)}
    known: dict[str, str] = {}
    for name in sorted(records, key=order):
        known |= {key: value for key, value in _known(records[name]).items() if key in SHARED}
    return Publication(**known | _known(records.get(version, Publication())))


def add(version: str, new: Publication, folder: Path = paths.PUBLICATIONS) -> Path:
    """Add the known fields of `new` to the record of `version`, and keep the others. Returns the file."""
    target = path(version, folder)
    kept = _known(read_yaml(target, Publication)) if target.exists() else {}
    write(target, HEAD.format(version, version) + yaml.safe_dump(kept | _known(new), sort_keys=False))
    return target


def archive(version: str) -> str:
    """Return the file name of the whole version in one file."""
    return f"spindlemark-{version}.zip"


def archive_place(version: str) -> str:
    """Return where that file is in a site that has it."""
    return f"{version}/download/{archive(version)}"


def site(folder: Path = paths.PUBLICATIONS) -> str | None:
    """Return the public address of the site, ending with a slash; None if there is none."""
    found = read("", folder).site
    return f"{found.rstrip('/')}/" if found else None


def _known(publication: Publication) -> dict[str, str]:
    return publication.model_dump(exclude_none=True)
