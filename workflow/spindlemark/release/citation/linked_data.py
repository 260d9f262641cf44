"""Citation metadata for machines: CSL-JSON, DataCite JSON, schema.org JSON-LD and Highwire tags."""

import json
from datetime import date
from typing import Any

from spindlemark.release.citation.citation_model import Citation, Measured, Organisation, Person, abstract, address

JSON = dict[str, Any]


def csl(citation: Citation, version: str, released: date, measured: Measured) -> list[JSON]:
    """Return CSL-JSON: a list with one item of type `dataset`."""
    return [
        _present(
            {
                "id": f"spindlemark-{version}",
                "type": "dataset",
                "title": citation.title,
                "author": [_csl_author(author) for author in citation.authors],
                "issued": {"date-parts": [[released.year, released.month, released.day]]},
                "version": version,
                "publisher": citation.publisher,
                "abstract": abstract(citation, measured),
                "keyword": ", ".join(citation.keywords),
                "language": citation.language,
                "DOI": citation.doi,
                "URL": address(citation, version),
            }
        )
    ]


def datacite(citation: Citation, version: str, released: date, measured: Measured) -> JSON:
    """Return DataCite metadata, schema 4.5, with a DOI only if one is declared."""
    data = citation.licences.data
    return _present(
        {
            "schemaVersion": "http://datacite.org/schema/kernel-4",
            "doi": citation.doi,
            "url": address(citation, version),
            "relatedIdentifiers": _related(citation),
            "types": {"resourceTypeGeneral": "Dataset", "resourceType": "Benchmark measurements"},
            "creators": [_datacite_creator(author) for author in citation.authors],
            "titles": [{"title": citation.title, "lang": citation.language}],
            "publisher": {"name": citation.publisher},
            "publicationYear": str(released.year),
            "version": version,
            "language": citation.language,
            "subjects": [{"subject": keyword} for keyword in dict.fromkeys(citation.keywords)],
            "dates": [
                {"date": released.isoformat(), "dateType": "Issued"},
                {"date": _span(measured), "dateType": "Collected"},
            ],
            "rightsList": [
                {
                    "rights": data.title,
                    "rightsUri": data.address,
                    "rightsIdentifier": data.identifier,
                    "rightsIdentifierScheme": "SPDX",
                    "schemeUri": "https://spdx.org/licenses/",
                }
            ],
            "descriptions": [
                {"description": citation.description, "descriptionType": "Abstract", "lang": citation.language},
                {"description": measured.statement, "descriptionType": "Methods", "lang": citation.language},
            ],
            "sizes": [f"{measured.repetitions} repetitions", f"{measured.measurements} measured values"],
            "formats": ["application/json", "text/csv", "application/vnd.apache.parquet"],
        }
    )


def jsonld(
    citation: Citation,
    version: str,
    released: date | None,
    measured: Measured,
    distribution: list[JSON],
    page: str | None = None,
) -> JSON:
    """Return a schema.org `Dataset` for a page's head.

    `distribution` lists the files on offer: {"path": address of the file, absolute or relative to the page,
    "media_type", "bytes", "sha256"}, the last two optional. `page` is the page's own absolute address, if it has one.
    """
    return _present(
        {
            "@context": "https://schema.org/",
            "@type": "Dataset",
            "name": citation.title,
            "description": abstract(citation, measured),
            "version": version,
            "datePublished": released.isoformat() if released else None,
            "temporalCoverage": _span(measured),
            "url": page or address(citation, version),
            "identifier": f"https://doi.org/{citation.doi}" if citation.doi else None,
            "exampleOfWork": f"https://doi.org/{citation.concept_doi}" if citation.concept_doi else None,
            "creator": [schema_author(author) for author in citation.authors],
            "publisher": {"@type": "Organization", "name": citation.publisher},
            "license": citation.licences.data.address,
            "isAccessibleForFree": True,
            "inLanguage": citation.language,
            "keywords": list(citation.keywords),
            "measurementTechnique": measured.statement,
            "variableMeasured": [
                {
                    "@type": "PropertyValue",
                    "name": variable.name,
                    "alternateName": variable.title,
                    "unitText": variable.unit,
                    "description": variable.description,
                }
                for variable in measured.variables
            ],
            "distribution": [_download(entry) for entry in distribution],
        }
    )


def highwire(citation: Citation, version: str, released: date | None, page: str | None = None) -> list[tuple[str, str]]:
    """Return `citation_*` meta tags (name, content) in the order of the page's head; contents are not HTML-escaped."""
    where = page or address(citation, version)
    tags = [("citation_title", f"{citation.title} (version {version})")]
    tags += [("citation_author", author.name) for author in citation.authors]
    tags += [("citation_publication_date", released.strftime("%Y/%m/%d"))] if released else []
    tags += [("citation_publisher", citation.publisher), ("citation_language", citation.language)]
    tags += [("citation_keywords", keyword) for keyword in citation.keywords]
    tags += [("citation_doi", citation.doi)] if citation.doi else []
    return tags + ([("citation_abstract_html_url", where)] if where else [])


def script_text(content: Any) -> str:
    """Return JSON for an HTML script element, without characters that could end the element."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _present(content: JSON) -> JSON:
    return {key: value for key, value in content.items() if value not in (None, [])}


def _related(citation: Citation) -> list[JSON]:
    """Return the work of which this is a version, and the code that made it."""
    related = [(citation.concept_doi, "DOI", "IsVersionOf"), (citation.repository, "URL", "IsCompiledBy")]
    return [
        {"relatedIdentifier": what, "relatedIdentifierType": kind, "relationType": relation}
        for what, kind, relation in related
        if what
    ]


def _span(measured: Measured) -> str:
    return f"{measured.first.isoformat()}/{measured.last.isoformat()}"


def _csl_author(author: Organisation | Person) -> JSON:
    if isinstance(author, Organisation):
        return {"literal": author.organisation}
    return {"family": author.family, "given": author.given}


def _datacite_creator(author: Organisation | Person) -> JSON:
    if isinstance(author, Organisation):
        return {"name": author.organisation, "nameType": "Organizational"}
    creator = {"name": author.name, "nameType": "Personal", "givenName": author.given, "familyName": author.family}
    if not author.orcid:
        return creator
    return creator | {
        "nameIdentifiers": [
            {"nameIdentifier": author.orcid, "nameIdentifierScheme": "ORCID", "schemeUri": "https://orcid.org"}
        ]
    }


def schema_author(author: Organisation | Person) -> JSON:
    """Return an author in schema.org terms."""
    if isinstance(author, Organisation):
        return {"@type": "Organization", "name": author.organisation}
    return _present(
        {
            "@type": "Person",
            "familyName": author.family,
            "givenName": author.given,
            "name": f"{author.given} {author.family}",
            "sameAs": author.orcid,
        }
    )


def _download(entry: JSON) -> JSON:
    size = entry.get("bytes")
    return _present(
        {
            "@type": "DataDownload",
            "name": entry["path"].rsplit("/", 1)[-1],
            "contentUrl": entry["path"],
            "encodingFormat": entry["media_type"],
            "contentSize": f"{size} B" if size is not None else None,
            "sha256": entry.get("sha256"),
        }
    )
