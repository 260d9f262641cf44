"""The page that asks with SQL: the tables on offer with their columns, the examples, and what its chart looks like."""

from pathlib import Path
from typing import Any

import duckdb

from spindlemark.crate import tables
from spindlemark.paths import SQL
from spindlemark.publish import charts

Page = dict[str, Any]


def build(version: str, offered: list[Page], static: Path) -> Page:
    """What the page of one version holds; `offered` is what downloads.offer put below `static`."""
    return {"version": version, "config": charts.CONFIG, "examples": examples(),
            "tables": [_table(file, static) for file in offered if file["name"].endswith(".parquet")]}


def examples(folder: Path = SQL / "examples") -> list[Page]:
    """The example questions in their order: a file's first line, a comment, is the question."""
    texts = [path.read_text(encoding="utf-8").strip() for path in sorted(folder.glob("*.sql"))]
    return [{"title": text.splitlines()[0].removeprefix("-- "), "text": text} for text in texts]


def _table(file: Page, static: Path) -> Page:
    name, path = file["name"].removesuffix(".parquet"), static / file["path"]
    with duckdb.connect() as connection:
        (rows,), = connection.execute("SELECT num_rows FROM parquet_file_metadata(?)", [str(path)]).fetchall()
    return {"name": name, "file": file["name"], "path": file["path"], "rows": rows, "size": file["size"],
            "about": tables.ABOUT[name],
            "columns": [{"name": c.name, "type": c.kind, "about": c.about} for c in tables.columns(path)]}
