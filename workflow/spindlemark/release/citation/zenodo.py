"""`.zenodo.json`: Zenodo's metadata of a deposit."""

from datetime import date
from html import escape
from typing import Any

from spindlemark.release.citation.citation_model import Citation, Measured, Organisation, Person, address

JSON = dict[str, Any]


def zenodo(citation: Citation, version: str, released: date, measured: Measured) -> JSON:
    """Return the metadata of one version, related to the addresses of its code and page if they exist."""
    related = [
        ("isCompiledBy", citation.repository, "software"),
        ("isDescribedBy", citation.site and address(citation, version), None),
    ]
    return {
        "title": citation.title,
        "upload_type": "dataset",
        "access_right": "open",
        "license": citation.licences.data.identifier.lower(),
        "version": version,
        "publication_date": released.isoformat(),
        "creators": [_creator(author) for author in citation.authors],
        "description": "".join(f"<p>{escape(text)}</p>" for text in (citation.description, measured.statement)),
        "keywords": list(dict.fromkeys(citation.keywords)),
        "related_identifiers": [
            {"relation": relation, "identifier": where} | ({"resource_type": kind} if kind else {})
            for relation, where, kind in related
            if where
        ],
    }


def _creator(author: Organisation | Person) -> JSON:
    if isinstance(author, Organisation) or not author.orcid:
        return {"name": author.name}
    return {"name": author.name, "orcid": author.orcid.rsplit("/", 1)[-1]}
