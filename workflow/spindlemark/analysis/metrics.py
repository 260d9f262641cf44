"""Metrics in the database: the table `metric`, written from what families and studies declare, and read from it again."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import duckdb
import pyarrow as pa

from spindlemark.core import sql
from spindlemark.core.metric import Metric

Row = dict[str, Any]
Families = dict[str, dict[str, Metric]]
TYPES = {"shortest_seconds": pa.float64(), "of_device": pa.bool_(), "projected": pa.bool_()}
SCHEMA = pa.schema(
    [
        ("family", pa.string()),
        ("metric", pa.string()),
        ("place", pa.int32()),
        *((name, TYPES.get(name, pa.string())) for name in Metric.model_fields),
    ]
)


def rows(family: str, metrics: Mapping[str, Metric]) -> Iterator[Row]:
    """The rows of one family's metrics; `place` counts them from 0 in their order."""
    for place, (name, metric) in enumerate(metrics.items()):
        yield {"family": family, "metric": name, "place": place} | metric.model_dump()


def as_table(found: Sequence[Row]) -> pa.Table:
    """Rows as DuckDB takes them; with all columns where there are none."""
    return pa.Table.from_pylist(list(found), schema=SCHEMA)


def read(connection: duckdb.DuckDBPyConnection) -> Families:
    """Family -> metric -> what it means, in the family's order."""
    found: Families = {}
    result = connection.execute(sql.read("findings/metric"))
    names = [column[0] for column in result.description]
    for row in result.fetchall():
        own = dict(zip(names, row, strict=True))
        family, metric = own.pop("family"), own.pop("metric")
        found.setdefault(family, {})[metric] = Metric.model_validate(own)
    return found
