"""Entries: what a study is in the tables other than the long one: its records, environment, tables and itself."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from spindlemark.analysis.studies.published_cells import Cell, Placed, table_rows
from spindlemark.analysis.studies.source_model import Source
from spindlemark.core.record import Part, join_parts

METHOD = 1


def samples(placed: Iterable[Placed]) -> Iterator[Placed]:
    """The cells that hold samples; averages and ratios of the authors are not among them."""
    return (p for p in placed if p.cell.kind == "sample")


def of_source(source: Source) -> dict:
    """The row of one study."""
    return {
        "source": source.id,
        "title": source.title,
        "authors": "; ".join(source.authors),
        "date": source.date,
        "document": source.document,
        "language": source.language,
    }


def of_tables(folder: Path, source: Source) -> list[dict]:
    """One row per printed table."""
    return [
        {
            "source": source.id,
            "table_name": name,
            "printed_number": table.number,
            "title": table.title,
            "section": table.section,
            "line": table.line,
            "row_count": len(table_rows(folder, name, table)),
            "column_count": len(table.columns),
        }
        for name, table in source.tables.items()
    ]


def records(source: Source, placed: list[Placed]) -> list[dict]:
    """One record per identity and repetition; it failed when the study prints no number for it."""
    found: dict[tuple[str | None, int | None], dict] = {}
    for cell, _, name in samples(placed):
        record = found.setdefault((cell.identity, cell.repetition), _record(cell, name))
        if cell.status != "ok" and record["status"] == "ok":
            record |= {
                "status": "failed",
                "valid": False,
                "reason": f"printed as {cell.printed}: {source.missing[cell.printed]}",
            }
    return list(found.values())


def _record(cell: Cell, name: Sequence[Part]) -> dict:
    return {
        "source": cell.source,
        "testbed": cell.testbed,
        "family": cell.family,
        "experiment": cell.experiment,
        "configuration": name[0].name,
        "workload": join_parts(name[1:]),
        "identity": cell.identity,
        "repetition": cell.repetition,
        "status": "ok",
        "reason": None,
        "started_at": None,
        "finished_at": None,
        "valid": True,
        "method": METHOD,
        "session": "",
        "round": str(cell.repetition),
        "looks": 0,
        "path": f"data/reference/{cell.source}",
    }


def name_parts(placed: Iterable[Placed]) -> list[dict]:
    """The parts of each experiment's name, in their order."""
    found = {(cell.source, cell.identity): name for cell, _, name in samples(placed)}
    return [
        {"source": source, "identity": identity, "position": position, "name": part.name} | part.model_dump()
        for (source, identity), name in found.items()
        for position, part in enumerate(name, 1)
    ]


def environment(source: Source, records: list[dict]) -> list[dict]:
    """The machine and software of a study, for each of its records."""
    facts = {f"machine.{k}": v for k, v in source.machine.items()} | {
        f"software.{k}": v for k, v in source.software.items()
    }
    return [
        {"source": source.id, "identity": r["identity"], "repetition": r["repetition"], "name": k, "value": v}
        for r in records
        for k, v in facts.items()
    ]
