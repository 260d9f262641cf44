"""Links: which published rows a query is about, told from the names in its text."""

import fnmatch
import re

import duckdb

from spindlemark.analysis.studies.audit_model import Link


class Names:
    """What a query may name in a study: its tables and their columns, experiments, metrics and families."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, source: str) -> None:
        def column(sql: str) -> set[str]:
            return {row[0] for row in connection.execute(sql, [source]).fetchall()}

        self.source = source
        self.tables = column("select table_name from reference_table where source = ?")
        self.experiments = column("select experiment from measurement where source = ?")
        self.metrics = column("select metric from measurement where source = ?")
        self.families = column("select family from measurement where source = ?")
        self.columns = connection.execute(
            "select distinct column_name, table_name from reference_cell where source = ?", [source]
        ).fetchall()

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
