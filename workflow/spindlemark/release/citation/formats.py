"""Citation: one declaration, in every common format for citing data sets."""

import json
from datetime import date
from typing import Any

from spindlemark.release.citation.citation_model import Citation, Measured, Variable, abstract, address, load, sentence
from spindlemark.release.citation.linked_data import csl, datacite, highwire, jsonld, schema_author, script_text
from spindlemark.release.citation.text_formats import bibtex, cff, ris
from spindlemark.release.citation.zenodo import zenodo

__all__ = [
    "Citation",
    "Measured",
    "Variable",
    "abstract",
    "address",
    "bibtex",
    "cff",
    "csl",
    "datacite",
    "files",
    "highwire",
    "jsonld",
    "load",
    "ris",
    "schema_author",
    "script_text",
    "sentence",
    "zenodo",
]


def files(citation: Citation, version: str, released: date, measured: Measured) -> dict[str, str]:
    """Return the citation files of a release: name -> text, to be written as UTF-8 with unchanged line ends."""
    about = citation, version, released, measured
    return {
        "CITATION.cff": cff(*about),
        "citation.bib": bibtex(*about),
        "citation.ris": ris(*about),
        "citation.csl.json": _json(csl(*about)),
        "citation.datacite.json": _json(datacite(*about)),
    }


def _json(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"
