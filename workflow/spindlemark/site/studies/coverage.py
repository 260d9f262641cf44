"""Coverage: how many of a study's printed cells the project declares, measures and has released, per table.

A cell is one metric of one configuration under one workload. Its counterpart has the names that the study's `today` gives them,
in the same family or in one that `today` lists.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import duckdb

from spindlemark import config
from spindlemark.analysis.studies.source_model import Source, Today
from spindlemark.core import sql
from spindlemark.measure import experiments
from spindlemark.site.sources import Sources
from spindlemark.site.studies import locations

Page = dict[str, Any]
Names = set[tuple[str, str]]  # family and experiment
Cells = set[tuple[str, str, str]]  # family, experiment and metric


def build(connection: duckdb.DuckDBPyConnection, sources: Sources, known: dict[str, Source]) -> dict[str, list[Page]]:
    """Study -> one row per table with counts of cells: printed, declared, measured in this version, and released up to it."""
    measured: Cells = set(connection.execute(sql.read("site/measured_cells")).fetchall())
    released = _released(sources)
    return {
        source: [
            {"title": study.tables[table].number or study.tables[table].title, "url": _address(source, table)}
            | _counts(cells, study.today or Today(), declared(), measured, released)
            for table, cells in _tables(connection, source).items()
        ]
        for source, study in known.items()
    }


@cache
def declared() -> Names:
    """Family and name of every experiment in config/experiments/, in any profile."""
    registry = config.load()
    return {
        (spec.experiment.family, spec.experiment.experiment)
        for profile in registry.profiles
        for spec in experiments.specs(registry, profile, read_machine=False)
    }


def _released(sources: Sources) -> Cells:
    found: Cells = set()
    with duckdb.connect() as own:
        for version in sources.until():
            file = sources.releases / version["version"] / "measurements.parquet"
            found.update(own.execute(sql.read("site/released_cells", file=str(file).replace("'", "''"))).fetchall())
    return found


def _tables(connection: duckdb.DuckDBPyConnection, source: str) -> dict[str, list[tuple[str, str, str, str]]]:
    found: dict[str, list[tuple[str, str, str, str]]] = {}
    for table, *cell in connection.execute(sql.read("site/study_cells"), {"source": source}).fetchall():
        found.setdefault(table, []).append((cell[0], cell[1], cell[2], cell[3]))
    return found


def _counts(
    cells: list[tuple[str, str, str, str]], today: Today, names: Names, measured: Cells, released: Cells
) -> Page:
    ours = [
        {
            (*name, today.metrics.get(name[0], {}).get(metric, metric))
            for name in _counterparts(family, configuration, workload, today)
        }
        for family, configuration, workload, metric in cells
    ]
    return {
        "cells": len(ours),
        "declared": sum(any((family, experiment) in names for family, experiment, _ in own) for own in ours),
        "measured": sum(bool(own & measured) for own in ours),
        "released": sum(bool(own & released) for own in ours),
    }


def _counterparts(family: str, configuration: str, workload: str, today: Today) -> Iterator[tuple[str, str]]:
    """Family and experiment of ours that may correspond to a published one."""
    named = today.configurations.get(configuration)
    for ours in [family, *(own for own, stands_for in today.families.items() if stands_for.family == family)]:
        listed = today.workloads.get(ours, {}).get(workload)
        parts = [named.today if named else configuration, listed.today if listed else workload]
        yield ours, "--".join(filter(None, parts))
    published = "--".join(filter(None, [configuration, workload]))
    for ours, listed_names in today.experiments.items():
        for pattern, name in listed_names.items():
            if match := re.fullmatch(pattern, published):
                yield ours, match.expand(name)


def _address(source: str, table: str) -> str:
    return f"{locations.tables(source)}#{locations.fragment(table)}"
