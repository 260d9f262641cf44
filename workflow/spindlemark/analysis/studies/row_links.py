"""Links: which published rows a query is about, found by the names in its text."""

import fnmatch
import re

import duckdb

from spindlemark.analysis.studies.audit_model import Link
from spindlemark.core import sql


class Names:
    """What a query may name in a study: its tables and their columns, experiments, metrics and families."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, source: str) -> None:
        def rows(statement: str) -> list[tuple]:
            return connection.execute(sql.read(f"studies/{statement}"), {"source": source}).fetchall()

        self.source = source
        self.tables = {name for (name,) in rows("table_names")}
        named = rows("measurement_names")
        self.experiments, self.metrics, self.families = ({row[at] for row in named} for at in range(3))
        self.columns = rows("column_names")

    def links(self, query: str) -> list[Link]:
        """What the literals of a query name, from the most exact to the widest."""
        literals = list(dict.fromkeys(re.findall(r"'([^']*)'", query)))
        tables = [
            Link(table=name)
            for text in literals
            for name in sorted(fnmatch.filter(self.tables, text.replace("%", "*")))
            if text.strip("%")
        ]
        metrics = [name for name in literals if name in self.metrics]
        pairs = [
            Link(experiment=name, metric=metric) for name in literals if name in self.experiments for metric in metrics
        ]
        found = tables + (pairs or [Link(metric=name) for name in metrics])
        wide = [Link(family=name) for name in literals if name in self.families]
        return found or wide or [Link(table=name) for name in sorted({t for c, t in self.columns if c in literals})]
