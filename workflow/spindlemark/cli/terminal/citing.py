"""How to cite a release, and additions to its record of publication."""

from pydantic import ValidationError
from rich.console import Console

from spindlemark.core import paths
from spindlemark.core.errors import UserError
from spindlemark.core.limits import first_error, shown
from spindlemark.release import publication
from spindlemark.release import versions as release
from spindlemark.release.citation import formats as citation
from spindlemark.release.publication import Publication

RESOLVER = "https://doi.org/"
EXAMPLES = {
    "site": "https://example.org/media/",
    "repository": "https://example.org/you/spindlemark",
    "archive": "https://example.org/spindlemark-2026.11.zip",
    "doi": "10.5281/zenodo.1234567",
    "concept_doi": "10.5281/zenodo.1234566",
}


def cite(console: Console, version: str, **given: str | None) -> None:
    """Add the `given` site, repository, archive, doi and concept_doi to the record of `version`, then print how to cite it.

    Raises UserError for a version that is not released, and for an invalid address or DOI.
    """
    release.order(version)
    whole = release.read(paths.RELEASES / version)
    new = _checked({key: value for key, value in given.items() if value is not None})
    if new != Publication():
        target = publication.add(version, new)
        console.print(
            f"Recorded in {target.relative_to(paths.ROOT)}. Commit it, then build the site: ./spindlemark site"
        )
    declared = citation.load(paths.RELEASES / version / "config/citation.yaml")
    known = publication.read(version)
    console.print(citation.sentence(known.of(declared), version, whole.released), markup=False, soft_wrap=True)
    if known.doi is None:
        console.print(f"Version {version} has no DOI yet; docs/citing.md describes how to get one.")


def _checked(given: dict[str, str]) -> Publication:
    """Validate the options; DOIs may be given as links."""
    plain = {key: value.removeprefix(RESOLVER) if key.endswith("doi") else value for key, value in given.items()}
    try:
        return Publication.model_validate(plain)
    except ValidationError as error:
        key, _ = first_error(error)
        what = "DOI" if key.endswith("doi") else "address"
        raise UserError(
            f"--{key.replace('_', '-')} {shown(plain[key])}: is not a valid {what}", f"write it like {EXAMPLES[key]}"
        ) from None
