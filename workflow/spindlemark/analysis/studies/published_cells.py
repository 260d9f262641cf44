"""From a study's folder to cells: every printed value with its place, its meaning and its experiment."""

import csv
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from spindlemark.analysis.studies.source_model import Factors, Measure, Source, Table
from spindlemark.analysis.studies.units import UNITS, duration, number
from spindlemark.config import read_yaml
from spindlemark.core.errors import UserError
from spindlemark.core.record import Part, Scalar, canonical, join_parts


class Cell(NamedTuple):
    """One printed cell under one measure; `number` is in the printed unit, `value` in `unit`."""

    source: str
    table_name: str
    row_number: int
    row_label: str
    column_name: str
    position: int
    printed: str
    decimals: int | None = None
    number: float | None = None
    printed_unit: str | None = None
    meant_unit: str | None = None
    kind: str = "text"
    testbed: str | None = None
    family: str | None = None
    experiment: str | None = None
    identity: str | None = None
    repetition: int | None = None
    metric: str | None = None
    unit: str | None = None
    value: float | None = None
    better: str | None = None
    status: str = "ok"


class Placed(NamedTuple):
    """A cell, the factors of its experiment, with dotted names, and the parts of the experiment's name."""

    cell: Cell
    factors: Factors
    name: tuple[Part, ...] = ()


def read(folder: Path) -> Source:
    """The study's `source.yaml`; raises UserError naming file and key."""
    source = read_yaml(folder / "source.yaml", Source)
    if source.id != folder.name:
        raise UserError(
            f"{folder / 'source.yaml'}: id: is {source.id!r}", f"write {folder.name!r}, as the folder is called"
        )
    return source


def table_rows(folder: Path, name: str, table: Table) -> list[dict[str, str]]:
    """Rows of one CSV as printed; raises UserError when its columns or keys are not those of `source.yaml`."""
    path = folder / f"{name}.csv"
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file, strict=True)
            rows = list(reader)
    except (FileNotFoundError, csv.Error, UnicodeDecodeError) as error:
        raise UserError(f"{path}: cannot be read: {error}", "restore it with: git checkout -- data/reference") from None
    if reader.fieldnames != list(table.columns):
        raise UserError(f"{path}: columns are {reader.fieldnames}", f"source.yaml has {list(table.columns)}")
    if any(None in row or None in row.values() for row in rows):
        raise UserError(f"{path}: a row has more or fewer cells than the header", "fix the row")
    labels = [label(row, table) for row in filled(rows, table)]
    if len(set(labels)) < len(labels):
        raise UserError(f"{path}: two rows have the same keys {table.keys}", f"add a column to tables.{name}.keys")
    return rows


def filled(rows: list[dict[str, str]], table: Table) -> list[dict[str, str]]:
    """The rows with empty cells of the columns `fill_down` taken from above, as a reader of the print does."""
    above: dict[str, str] = {}
    result = []
    for row in rows:
        above = {column: row[column] or above.get(column, "") for column in table.fill_down}
        result.append(row | above)
    return result


def label(row: dict[str, str], table: Table) -> str:
    """The keys that identify a row of its table."""
    return " / ".join(row[key] for key in table.keys)


def cells(folder: Path) -> Iterator[Placed]:
    """Every printed cell of a study; one with several measures comes once for each.

    Raises UserError for a cell of a measured column that is neither a number nor a declared word.
    """
    source = read(folder)
    for name, table in source.tables.items():
        rows = table_rows(folder, name, table)
        for position, (row, meant) in enumerate(zip(rows, filled(rows, table), strict=True), 1):
            yield from _row(source, name, table, position, row, meant)


def _row(
    source: Source, name: str, table: Table, position: int, row: dict[str, str], meant: dict[str, str]
) -> Iterator[Placed]:
    name_of_row = label(meant, table)
    own = {key: source.labels.get(meant[key], meant[key]) for key in table.keys}
    common = own | table.factors | table.rows.get(name_of_row, {})
    for column, printed in row.items():
        plain = Cell(source.id, name, position, name_of_row, column, 1, printed)
        found = [m for m in table.measures if column in m.columns]
        if not found:
            parsed = number(printed)
            yield Placed(plain._replace(number=parsed[0], decimals=parsed[1]) if parsed else plain, {})
            continue
        placed = [
            _measured(source, table, measure, plain._replace(position=order), meant[column], common)
            for order, measure in enumerate(found, 1)
        ]
        yield from [p for p in placed if p.cell.metric] or [Placed(plain, {})]


def _measured(source: Source, table: Table, measure: Measure, plain: Cell, text: str, common: Factors) -> Placed:
    parsed, given_unit = _value(measure, text)
    status = "failed" if text in source.missing else "ok"
    if (
        parsed is None
        and status == "ok"
        and text
        and not (measure.pattern or measure.values or measure.form == "duration")
    ):
        raise UserError(
            f"{source.id}/{plain.table_name}.csv: {plain.row_label}: {plain.column_name} is {text!r}",
            "write a number, or declare the word under `missing`, `values` or `pattern`",
        )
    if parsed is None and status == "ok":
        return Placed(plain, {})
    kind = "derived" if plain.row_label in table.restated else measure.kind
    base, worth = UNITS[given_unit or measure.unit]
    columns = list(measure.columns)
    cell = plain._replace(
        kind=kind,
        metric=measure.metric,
        unit=base,
        better=measure.better,
        status=status,
        printed_unit=given_unit or measure.printed_unit,
        meant_unit=given_unit or measure.unit,
        number=parsed and parsed[0],
        decimals=parsed and parsed[1],
        value=parsed and parsed[0] * worth,
    )
    if not (table.family and table.experiment):
        return Placed(cell, {})
    if isinstance(measure.columns, list):
        factors, repetition = common, columns.index(plain.column_name) + 1 if kind == "sample" else 1
    else:
        factors, repetition = common | measure.columns[plain.column_name], 1
    return _identified(source, table, cell._replace(repetition=repetition, family=table.family), factors)


def _value(measure: Measure, text: str) -> tuple[tuple[float, int] | None, str | None]:
    if measure.values is not None:
        return ((measure.values[text], 0) if text in measure.values else None), None
    if measure.form == "duration":
        return duration(text), None
    if not measure.pattern:
        return number(text), None
    found = re.search(measure.pattern, text)
    if not found:
        return None, None
    return number(found[1]), found[2] if found.re.groups > 1 else None


def _identified(source: Source, table: Table, cell: Cell, factors: Factors) -> Placed:
    """The cell with experiment, testbed and identity: the hash of all that distinguishes this experiment from others."""
    context: dict[str, Scalar] = {"testbed": source.testbed, **factors}
    configuration = None
    if "filesystem" in context:
        variant = context.setdefault("variant", "default")
        configuration = Part(value=str(context["filesystem"]), setting="" if variant == "default" else str(variant))
        context["subject"] = configuration.name
    try:
        name = tuple(_part(text.format(**context), configuration) for text in table.experiment or ())
        experiment = join_parts(name)
    except KeyError as error:
        if cell.kind == "derived":  # compares two experiments, so it belongs to neither
            return Placed(cell._replace(family=None, repetition=None), {})
        raise UserError(
            f"{source.id}: tables.{cell.table_name}.experiment: no factor {error} in row {cell.row_label!r}",
            "name it under factors, rows or the measure's columns",
        ) from None
    testbed = str(context.pop("testbed"))
    context.pop("subject", None)
    named = {source.factor_names.get(k, k): v for k, v in context.items()} | {"series": table.series}
    whole = {
        "source": source.id,
        "testbed": testbed,
        "family": table.family,
        "experiment": experiment,
        "factors": named,
    }
    identity = hashlib.sha256(canonical(whole).encode()).hexdigest()[:12]
    return Placed(cell._replace(experiment=experiment, testbed=testbed, identity=identity), named, name)


def _part(text: str, configuration: Part | None) -> Part:
    return configuration if configuration and configuration.name == text else Part(value=text)
