"""The tables of a release in two vocabularies: a Data Package (frictionless) and Croissant (MLCommons)."""

from typing import Any

from spindlemark.release.citation import formats as citation
from spindlemark.release.citation.formats import Citation
from spindlemark.release.manifest import Manifest
from spindlemark.release.ro_crate.table_columns import Column, Table

JSON = dict[str, Any]
PACKAGE_TYPES = {
    "VARCHAR": "string",
    "INTEGER": "integer",
    "BIGINT": "integer",
    "DOUBLE": "number",
    "BOOLEAN": "boolean",
    "TIMESTAMP": "datetime",
}
CROISSANT_TYPES = {
    "VARCHAR": "sc:Text",
    "INTEGER": "sc:Integer",
    "BIGINT": "sc:Integer",
    "DOUBLE": "sc:Float",
    "BOOLEAN": "sc:Boolean",
    "TIMESTAMP": "sc:DateTime",
}
# The context that Croissant 1.0 requires in each description.
CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


def datapackage(about: Citation, whole: Manifest, tables: list[Table]) -> JSON:
    """Return `datapackage.json` of the CSV files, with the types and meanings of their columns."""
    data = about.licences.data
    return {
        "profile": "tabular-data-package",
        "name": f"spindlemark-{whole.version}",
        "title": about.title,
        "description": citation.abstract(about, whole.measured),
        "version": whole.version,
        "created": f"{whole.released.isoformat()}T00:00:00Z",
        "keywords": about.keywords,
        "licenses": [{"name": data.identifier, "title": data.title, "path": data.address}],
        "contributors": [{"title": author.name, "role": "author"} for author in about.authors],
        **({"homepage": where} if (where := citation.address(about, whole.version)) else {}),
        **({"id": f"https://doi.org/{about.doi}"} if about.doi else {}),
        "resources": [_resource(table) for table in tables if "csv" in table.files],
    }


def croissant(about: Citation, whole: Manifest, tables: list[Table]) -> JSON:
    """Return `croissant.json`, Croissant 1.0: each table as a record set of its Parquet file."""
    where = citation.address(about, whole.version)
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": f"spindlemark-{whole.version}",
        "alternateName": about.title,
        "description": citation.abstract(about, whole.measured),
        "version": _semantic(whole.version),
        "datePublished": whole.released.isoformat(),
        "license": about.licences.data.address,
        "creator": [citation.schema_author(author) for author in about.authors],
        "publisher": {"@type": "sc:Organization", "name": about.publisher},
        "keywords": about.keywords,
        "inLanguage": about.language,
        "citeAs": citation.bibtex(about, whole.version, whole.released, whole.measured),
        **({"url": where} if where else {}),
        **({"sameAs": f"https://doi.org/{about.doi}"} if about.doi else {}),
        "distribution": [_file_object(path, file) for table in tables for path, file in table.files.values()],
        "recordSet": [_record_set(table) for table in tables],
    }


def _resource(table: Table) -> JSON:
    path, file = table.files["csv"]
    return {
        "name": table.name,
        "title": table.about,
        "profile": "tabular-data-resource",
        "path": path,
        "format": "csv",
        "mediatype": file.media_type,
        "encoding": "utf-8",
        "bytes": file.bytes,
        "hash": f"sha256:{file.sha256}",
        "schema": {"fields": [_package_field(column) for column in table.columns]},
    }


def _package_field(column: Column) -> JSON:
    field = {"name": column.name, "type": PACKAGE_TYPES[column.kind], "description": column.about}
    # DuckDB omits fractions of a second that are zero, which no single pattern matches.
    return field | ({"format": "any"} if column.kind == "TIMESTAMP" else {})


def _file_object(path: str, file: Any) -> JSON:
    return {
        "@type": "cr:FileObject",
        "@id": path,
        "name": path,
        "contentUrl": path,
        "contentSize": f"{file.bytes} B",
        "encodingFormat": "application/x-parquet" if path.endswith(".parquet") else file.media_type,
        "sha256": file.sha256,
    }


def _record_set(table: Table) -> JSON:
    path, _ = table.files["parquet"]
    return {
        "@type": "cr:RecordSet",
        "@id": table.name,
        "name": table.name,
        "description": table.about,
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{table.name}/{column.name}",
                "name": f"{table.name}/{column.name}",
                "description": column.about,
                "dataType": CROISSANT_TYPES[column.kind],
                "source": {"fileObject": {"@id": path}, "extract": {"column": column.name}},
            }
            for column in table.columns
        ],
    }


def _semantic(version: str) -> str:
    """Return a version as Croissant requires it: three numbers without leading zeros."""
    numbers = [str(int(part)) for part in version.split(".")]
    return ".".join([*numbers, "0"][:3])
