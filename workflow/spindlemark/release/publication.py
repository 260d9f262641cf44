"""The record of publication: what is known of a release only after it was frozen, in a file beside it.

An address, a repository and DOIs exist once others hold the data. `data/publications/<version>.yaml` says them, and
pages and citations are made from it, so that no released byte ever changes.
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
SHARED = ("site", "repository", "concept_doi")  # what all versions have in common


class Publication(Closed):
    """Where a version is found; nothing here is invented, so all of it may be unknown."""

    site: Address | None = None
    repository: Address | None = None
    doi: Doi | None = None
    concept_doi: Doi | None = None

    def of(self, declared: Citation) -> Citation:
        """The citation with what is known here."""
        return declared.model_copy(update=_known(self))


def path(version: str, folder: Path = paths.PUBLICATIONS) -> Path:
    """The file of a version's record; raises UserError for what is no version."""
    order(version)
    return folder / f"{version}.yaml"


def read(version: str, folder: Path = paths.PUBLICATIONS) -> Publication:
    """What is known of `version`: its own record, and what all versions share from the newest record that says it.

    A name without a record, as that of unreleased results, has what is shared. Raises UserError naming file and key.
    """
    records = {p.stem: read_yaml(p, Publication) for p in folder.glob("*.yaml") if is_version(p.stem)}
    known: dict[str, str] = {}
    for name in sorted(records, key=order):
        known |= {key: value for key, value in _known(records[name]).items() if key in SHARED}
    return Publication(**known | _known(records.get(version, Publication())))


def add(version: str, said: Publication, folder: Path = paths.PUBLICATIONS) -> Path:
    """Write what `said` knows into the record of `version`; what it does not know stays. Returns the file."""
    target = path(version, folder)
    kept = _known(read_yaml(target, Publication)) if target.exists() else {}
    write(target, HEAD.format(version, version) + yaml.safe_dump(kept | _known(said), sort_keys=False))
    return target


def site(folder: Path = paths.PUBLICATIONS) -> str | None:
    """The public address of the site, with a slash at its end; None while there is none."""
    found = read("", folder).site
    return f"{found.rstrip('/')}/" if found else None


def _known(said: Publication) -> dict[str, str]:
    return said.model_dump(exclude_none=True)
