"""The table of every sample of an experiment."""

from collections import defaultdict
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from spindlemark.analysis import database
from spindlemark.cli.terminal.untrusted_text import escaped
from spindlemark.core import paths
from spindlemark.core.errors import UserError
from spindlemark.core.limits import shown
from spindlemark.core.record import Record, parse_record, records_in
from spindlemark.measure import plan
from spindlemark.release import versions as release

LONG_LIST = 40


def show(console: Console, name: str) -> None:
    """Print every sample of the experiments whose name contains `name`: a row per metric, a column per repetition."""
    for records in _experiments_called(name):
        _samples_of(console, records)


def _samples_of(console: Console, records: list[Record]) -> None:
    first = records[0]
    title = f"{first.experiment.experiment} on {first.experiment.testbed}, identity {first.identity}"
    table = Table("metric", "unit", "median", *(f"#{r.repetition}" for r in records), title=escaped(title))
    values: dict[tuple[str, str], dict[int, float]] = defaultdict(dict)
    for record in records:
        for m in record.measurements:
            values[m.metric, m.unit][record.repetition] = m.value
    for (metric, unit), by_repetition in values.items():
        cells = [f"{by_repetition[r.repetition]:.6g}" if r.repetition in by_repetition else "-" for r in records]
        table.add_row(escaped(metric), escaped(unit), f"{median(by_repetition.values()):.6g}", *cells)
    console.print(table)
    for record in records:
        broken = [g for g in record.validity if not g.ok]
        notes = [f"{g.gate}{f' in {g.step}' if g.step else ''}: {g.detail}" for g in broken]
        if record.status != "ok" or notes:
            line = f"#{record.repetition} {record.status} {record.reason or ''} {'; '.join(notes)}"
            console.print(escaped(line.strip()))


def _experiments_called(name: str) -> list[list[Record]]:
    """Records of each experiment: of the current plan, or of the newest release if nothing was measured here."""
    current = plan.read_or_none()
    folders = [paths.ROOT / Path(e.spec).parent for e in current.experiments] if current else []
    measured = {p: found for p in folders if (found := records_in(p))}
    places = {p: [(path, path.read_bytes()) for path in found] for p, found in measured.items()} or _released()
    matching = [p for p in places if p.parent.name == name] or [p for p in places if name in p.parent.name]
    if not matching:
        names = ", ".join(sorted({p.parent.name for p in places})[:LONG_LIST]) or "nothing was measured yet"
        raise UserError(f"no measured experiment is called {shown(name)}", f"there are: {names}")
    return [[parse_record(content, path)[0] for path, content in places[place]] for place in matching]


def _released() -> dict[Path, list[tuple[Path, bytes]]]:
    """Folder of each experiment of the newest release -> its records."""
    found: dict[Path, list[tuple[Path, bytes]]] = {}
    for newest in release.versions()[:1]:
        for path, content in database.released(paths.RELEASES / newest.version):
            found.setdefault(path.parent, []).append((path, content))
    return found
