"""The tables of a release for a crate: columns with type and meaning, read from the Parquet files."""

import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

from spindlemark.analysis import database
from spindlemark.core import sql
from spindlemark.release import manifest, tables
from spindlemark.release.contents import TABLES

ADDED = "repetitions"  # part of releases since 2026.11.5; for the others it is made from their records
# Texts of the crate. A change to them changes the bytes of the crates of all releases.
ABOUT = {
    "repetitions": "Every repetition: what came of it and why, when and in which session it ran",
    "measurements": "Every measured value, one row each",
    "factors": "Every factor of every experiment, with all defaults filled in",
    "environment": "The machine as it was at each repetition, one fact per row",
    "commands": "Every command as run, its exit code, what it cost and what it printed",
    "validity": "Every validity gate: observed value against its bound",
    "claims": "Every claim of the published studies with its verdict, derived from the study's own figures",
}
COLUMNS = {
    "source": "measured here, or the id of a published study",
    "testbed": "where it was measured; results of two testbeds are never ranked against each other",
    "family": "kind of experiment",
    "experiment": "readable name: what is compared, then what is done with it",
    "configuration": "what is compared, as the experiment's name begins",
    "workload": "what is done with it, as the name goes on",
    "identity": "first 12 hex digits of SHA-256 over all that may change the number",
    "repetition": "number of the repetition, from 1",
    "metric": "what was measured",
    "unit": "s, B, 1, or one of these per another",
    "value": "as measured, or the value of the named factor or fact",
    "better": "whether a lower or a higher value is better, or neither",
    "status": "ok; failed: the subject failed; unsupported: this machine lacks something; invalid: a gate did not hold",
    "reason": "why it is not ok",
    "started_at": "begin of the repetition, UTC",
    "finished_at": "end of the repetition, UTC",
    "valid": "every gate held, apart from those of quiet",
    "method": "number of the family's method",
    "session": "what was measured in one sitting; empty before sessions were noted",
    "round": "what has one round was measured side by side",
    "looks": "how often verdicts had been looked at before",
    "path": "of the raw record, below records/",
    "name": "of the factor or fact",
    "position": "order within the repetition",
    "step": "part of the repetition",
    "argv": "words of the command, as a JSON list",
    "exit_code": "of the command",
    "seconds": "wall time of the command",
    "user_seconds": "processor time in programs",
    "system_seconds": "processor time in the kernel for them",
    "minor_faults": "page faults that needed no reading",
    "major_faults": "page faults that did",
    "stdout": "what it printed, cut to its last 4000 characters",
    "stderr": "what it complained of, cut alike",
    "gate": "name of the validity gate",
    "ok": "whether it held",
    "observed": "what was found",
    "bound": "what it must keep",
    "detail": "in words",
    "study": "id of the published study",
    "id": "of the claim within the study; one of a rule is called rule/key",
    "rule": "of the claim, where many printed values follow one rule",
    "place": "section, table, figure or cell of the study",
    "quote": "from the study, at most 20 words",
    "claimed": "as printed; several values stand beside each other with semicolons",
    "claimed_unit": "of what is claimed",
    "relation": "of the figures to what is claimed: equal, about, over, at most, at least, within",
    "vague": "vague word of the sentence, whose threshold is claimed",
    "reading": "how words that are no number are read",
    "derived": "what the query gives from the study's own figures",
    "right_value": "the same as it would be printed; empty where it cannot be told",
    "verdict": "confirmed; cut off: less than one unit of the last printed digit off; contradicted; not derivable",
    "slip": "the slip of the authors that shows in this claim and in others",
    "explanation": "the verdict in a sentence, and what is known about it",
    "query": "SQL that derives the value; null where it cannot be derived",
}


class Column(NamedTuple):
    """A column of a table: its name, type and meaning."""

    name: str
    kind: str  # type in DuckDB
    about: str


class Table(NamedTuple):
    """A table as one or two files; `files`: suffix -> (path in the crate, file)."""

    name: str
    about: str
    columns: list[Column]
    files: dict[str, tuple[str, manifest.File]]


def read(folder: Path, prefix: str, work: Path) -> tuple[list[Table], dict[str, Path]]:
    """Return the tables of the release in `folder`, which has the path `prefix` in the crate, and additional files.

    Additional tables are written to `work` and are at the root of the crate: path in the crate -> file.
    """
    listed = {file.path: file for file in manifest.read(folder).files}
    made: dict[str, Path] = {}
    if f"{ADDED}.parquet" not in listed:
        _export(folder, work)
        made[f"{ADDED}.parquet"] = work / f"{ADDED}.parquet"
    for name in tables.SPREADSHEETS:
        source = made.get(f"{name}.parquet", folder / f"{name}.parquet")
        if source.exists():
            made[f"{name}.csv"] = work / f"{name}.csv"
            tables.to_csv(source, made[f"{name}.csv"])
    found = []
    for name in (n for n in TABLES if f"{n}.parquet" in listed or f"{n}.parquet" in made):
        own = f"{name}.parquet" in made
        files = {
            s: (p, manifest.of_file(work, p)) if p in made else (f"{prefix}{p}", listed[p])
            for s in ("parquet", "csv")
            for p in [f"{name}.{s}"]
            if p in listed or p in made
        }
        found.append(Table(name, ABOUT[name], columns((work if own else folder) / f"{name}.parquet"), files))
    return found, made


def columns(parquet: Path) -> list[Column]:
    """Return name, type and meaning of each column."""
    with duckdb.connect() as connection:
        rows: list[Any] = connection.execute(sql.read("release/parquet_columns"), {"path": str(parquet)}).fetchall()
    return [Column(name, kind, COLUMNS[name]) for name, kind, *_ in rows]


def _export(folder: Path, work: Path) -> None:
    with tempfile.TemporaryDirectory(dir=work) as scratch:
        target = Path(scratch) / "records.duckdb"
        database.build_release(folder, target)
        tables.export(target, work, [ADDED])
