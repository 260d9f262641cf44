"""Citation files for reference managers and the repository: CFF, BibTeX, RIS."""

import re
from datetime import date

import yaml

from spindlemark.release.citation.citation_model import Citation, Measured, Organisation, Person, abstract, address

# A backslash-escaped brace still counts when BibTeX balances braces; these commands do not.
BIBTEX = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
}
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def cff(citation: Citation, version: str, released: date, measured: Measured) -> str:
    """Return CITATION.cff in Citation File Format 1.2.0."""
    content = {
        "cff-version": "1.2.0",
        "message": "If you use these data, cite them by the metadata of this file.",
        "type": "dataset",
        "title": citation.title,
        "version": version,
        "date-released": released.isoformat(),
        "abstract": abstract(citation, measured),
        "authors": [_cff_author(author) for author in citation.authors],
        "keywords": list(dict.fromkeys(citation.keywords)),
        "license": citation.licences.data.identifier,
        "doi": citation.doi,
        "identifiers": [{"type": "doi", "value": citation.concept_doi, "description": "all versions"}]
        if citation.concept_doi
        else None,
        "url": address(citation, version),
        "repository-code": citation.repository,
    }
    kept = {key: value for key, value in content.items() if value is not None}
    return yaml.safe_dump(kept, sort_keys=False, allow_unicode=True, width=100)


def bibtex(citation: Citation, version: str, released: date, measured: Measured) -> str:
    """Return a `@misc` entry, which every BibTeX style supports; text is UTF-8 and safe for LaTeX."""
    fields = {
        "author": " and ".join(_bibtex_author(author) for author in citation.authors),
        "title": f"{{{_tex(citation.title)}}}",
        "year": str(released.year),
        "month": MONTHS[released.month - 1],
        "version": _tex(version),
        "publisher": _tex(citation.publisher),
        "note": _tex(f"Data set, version {version}. {measured.statement}"),
        "doi": citation.doi,
        "url": address(citation, version),
    }
    lines = [f"  {name} = {value if name == 'month' else f'{{{value}}}'}" for name, value in fields.items() if value]
    return f"@misc{{spindlemark-{version},\n" + ",\n".join(lines) + "\n}\n"


def ris(citation: Citation, version: str, released: date, measured: Measured) -> str:
    """Return a RIS entry of type DATA; lines end in CR LF, as the format requires."""
    lines = [
        ("TY", "DATA"),
        *(("AU", author.name) for author in citation.authors),
        ("TI", citation.title),
        ("PY", str(released.year)),
        ("DA", released.strftime("%Y/%m/%d")),
        ("ET", version),
        ("PB", citation.publisher),
        ("AB", abstract(citation, measured)),
        *(("KW", keyword) for keyword in citation.keywords),
        ("LA", citation.language),
        ("DO", citation.doi),
        ("UR", address(citation, version)),
        ("ER", ""),
    ]
    return "".join(f"{tag}  - {_line(value)}\r\n" for tag, value in lines if value is not None)


def _cff_author(author: Organisation | Person) -> dict[str, str]:
    if isinstance(author, Organisation):
        return {"name": author.organisation}
    names = {"family-names": author.family, "given-names": author.given}
    return names | ({"orcid": author.orcid} if author.orcid else {})


def _bibtex_author(author: Organisation | Person) -> str:
    if isinstance(author, Organisation):
        return f"{{{_tex(author.organisation)}}}"
    return f"{_tex(author.family)}, {_tex(author.given)}"


def _tex(text: str) -> str:
    return "".join(BIBTEX.get(character, character) for character in _line(text))


def _line(text: str) -> str:
    """Return one line without control characters: a line break in a value would start a new tag."""
    return re.sub(r"[\s\x00-\x1f\x7f-\x9f]+", " ", text).strip()
