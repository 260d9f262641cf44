"""What families declare besides their metrics, in the database: the table `declaration`, and reading it again."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

import duckdb
import pyarrow as pa

from spindlemark.core import sql
from spindlemark.core.declared import Caveat, Declared

SCHEMA = pa.schema(
    [
        ("family", pa.string()),
        ("settings", pa.string()),
        ("caveats", pa.string()),
        ("noted", pa.list_(pa.string())),
    ]
)


@dataclass(frozen=True)
class Declaration:
    """What findings need of one family; see core.declared.Declared."""

    settings: Mapping[str, str]
    caveats: tuple[Caveat, ...]


def as_table(families: Mapping[str, Declared]) -> pa.Table:
    """One row per family; settings and caveats are JSON text."""
    found = [
        {
            "family": family,
            "settings": json.dumps(each.settings),
            "caveats": json.dumps([caveat.model_dump() for caveat in each.caveats]),
            "noted": each.noted,
        }
        for family, each in families.items()
    ]
    return pa.Table.from_pylist(found, schema=SCHEMA)


def read(connection: duckdb.DuckDBPyConnection) -> dict[str, Declaration]:
    """Family -> its declaration."""
    rows = connection.execute(sql.read("findings/declaration")).fetchall()
    return {
        family: Declaration(json.loads(settings), tuple(map(Caveat.model_validate, json.loads(caveats))))
        for family, settings, caveats in rows
    }
