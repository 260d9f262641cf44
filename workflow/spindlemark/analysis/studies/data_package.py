"""Package: the Frictionless `datapackage.json` of each study.

`python -m spindlemark.analysis.studies.data_package` writes them all.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

from spindlemark.analysis.studies.load import folders
from spindlemark.analysis.studies.published_cells import read, table_rows
from spindlemark.analysis.studies.source_model import Source, Table
from spindlemark.analysis.studies.units import number
from spindlemark.core.paths import REFERENCE

NAME = "datapackage.json"


def text(folder: Path) -> str:
    """The package of one study as JSON; the same data give the same text. Raises UserError for damaged data."""
    source = read(folder)
    content = {
        "name": f"reference-{source.id}",
        "title": source.title,
        "contributors": [{"title": author, "role": "author"} for author in source.authors] or None,
        "sources": [{"title": f"{source.title} ({source.document})"}],
        "resources": [_resource(folder, source, name, table) for name, table in source.tables.items()],
    }
    return json.dumps({k: v for k, v in content.items() if v is not None}, indent=1, ensure_ascii=False) + "\n"


def write(root: Path = REFERENCE) -> list[Path]:
    """Write the package of every study below `root`."""
    paths = []
    for folder in folders(root):
        path = folder / NAME
        path.write_text(text(folder), encoding="utf-8")
        paths.append(path)
    return paths


def _resource(folder: Path, source: Source, name: str, table: Table) -> dict[str, Any]:
    path = folder / f"{name}.csv"
    rows = table_rows(folder, name, table)
    schema: dict[str, Any] = {
        "fields": [
            {"name": column, "title": heading, "type": _type([row[column] for row in rows], source)}
            for column, heading in table.columns.items()
        ],
        "missingValues": ["", *source.missing],
    }
    if not table.fill_down:
        schema["primaryKey"] = table.keys
    return {
        "name": name,
        "type": "table",
        "title": f"{table.number}: {table.title}" if table.number else table.title,
        "path": path.name,
        "scheme": "file",
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "hash": f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}",
        "bytes": path.stat().st_size,
        "schema": schema,
    }


def _type(values: list[str], source: Source) -> str:
    parsed = [number(value) for value in values if value and value not in source.missing]
    decimals = [one[1] for one in parsed if one]
    if not parsed or len(decimals) < len(parsed):
        return "string"
    return "number" if any(decimals) else "integer"


if __name__ == "__main__":
    for written in write():
        print(written)
