"""The SQL console: tables with their columns, examples, and the look of its charts."""

from pathlib import Path
from typing import Any

import duckdb

from spindlemark.core import sql
from spindlemark.core.paths import SQL
from spindlemark.release.contents import TABLES
from spindlemark.release.ro_crate import table_columns
from spindlemark.site import chart_specs

Page = dict[str, Any]
OFFERED = 5  # examples per page


def build(version: str, offered: list[Page], static: Path) -> Page:
    """Data of the console of one version; `offered` is the list of downloads.offer."""
    files = [file for file in offered if file["name"].endswith(".parquet") and _name(file) in TABLES]
    return {
        "version": version,
        "config": chart_specs.CONFIG,
        "examples": _answered(files, static),
        "tables": [_table(file, static) for file in files],
    }


def examples(folder: Path = SQL / "examples") -> list[Page]:
    """The examples in their order: the first line of a file, a comment, is the question."""
    texts = [path.read_text(encoding="utf-8").strip() for path in sorted(folder.glob("*.sql"))]
    return [{"title": text.splitlines()[0].removeprefix("-- "), "text": text} for text in texts]


def _answered(files: list[Page], static: Path) -> list[Page]:
    """Some examples, first those that return rows: older versions have fewer families and tables."""
    with duckdb.connect() as connection:
        for file in files:
            connection.read_parquet(str(static / file["path"])).create_view(_name(file))
        return sorted(examples(), key=lambda example: not _has_rows(connection, example["text"]))[:OFFERED]


def _has_rows(connection: duckdb.DuckDBPyConnection, text: str) -> bool:
    try:
        return connection.execute(text).fetchone() is not None
    except duckdb.CatalogException:  # a table that this version does not have
        return False


def _name(file: Page) -> str:
    return file["name"].removesuffix(".parquet")


def _table(file: Page, static: Path) -> Page:
    name, path = _name(file), static / file["path"]
    with duckdb.connect() as connection:
        ((rows,),) = connection.execute(sql.read("site/parquet_rows"), {"path": str(path)}).fetchall()
    return {
        "name": name,
        "file": file["name"],
        "path": file["path"],
        "rows": rows,
        "size": file["size"],
        "about": table_columns.ABOUT[name],
        "columns": [{"name": c.name, "type": c.kind, "about": c.about} for c in table_columns.columns(path)],
    }
