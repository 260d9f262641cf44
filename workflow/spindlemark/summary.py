"""What the commands print: recommendations, the plan, this machine, samples."""

import json
from collections import defaultdict
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from spindlemark import declare, findings, paths, pending, progress
from spindlemark import doctor as diagnosis
from spindlemark import plan as planning
from spindlemark.errors import UserError
from spindlemark.plan import Request
from spindlemark.record import Record, read_record

LONG_LIST = 40


def show(console: Console) -> None:
    """The recommendations of the current findings, or of the newest release, and where to read more."""
    path = _findings_path()
    if path:
        report = findings.load(path)
        table = Table("library", "option 1", "option 2", "option 3", "in a sentence", title="Recommended filesystems")
        for group in report.groups:
            advice = group.recommendation
            options = [f"{o.subject} ({o.probability_best:.0%})" for o in advice.options] if advice else []
            statement = advice.statements[0] if advice and advice.statements else "no recommendation"
            table.add_row(group.library, *(options + [""] * 3)[:3], statement)
        console.print(table)
        console.print("In brackets: how probable it is that this one is the best, from the samples and the weights.")
    index = paths.SITE / "index.html"
    console.print(f"Site: {index.as_uri()} (or ./spindlemark serve, then http://127.0.0.1:8000/)")


def plan(console: Console, request: Request) -> None:
    """Each experiment that would run, the reason, and the expected time; writes nothing."""
    planned, specs = planning.make(declare.load(), request)
    by_identity = {spec.identity: spec for spec in specs}
    jobs = pending.missing(planned)
    counts: dict[str, int] = defaultdict(int)
    for experiment, _ in jobs:
        counts[experiment.identity] += 1
    table = Table("experiment", "repetitions", "reason")
    for experiment in planned.experiments[:]:
        if counts[experiment.identity] and table.row_count < LONG_LIST:
            table.add_row(experiment.experiment, str(counts[experiment.identity]),
                          pending.reason(by_identity[experiment.identity]))
    if jobs:
        console.print(table)
        if len(counts) > LONG_LIST:
            console.print(f"... and {len(counts) - LONG_LIST} experiments more.")
    expected = progress.duration(pending.seconds_of(jobs, by_identity))
    console.print(f"Profile {planned.profile} on testbed {planned.testbed}: {len(planned.experiments)} experiments; "
                  + (f"{len(jobs)} repetitions to measure, about {expected}." if jobs else "all up to date."))


def doctor(console: Console) -> None:
    """What this machine can measure, with a remedy for what it cannot."""
    table = Table("", "what", "found", "remedy")
    for row in diagnosis.rows(declare.load()):
        table.add_row("[green]yes[/]" if row.ok else "[red]no[/]", row.what, row.detail, row.remedy or "")
    console.print(table)


def samples(console: Console, name: str) -> None:
    """Every sample of the experiments whose name has `name` in it: metrics down, repetitions across."""
    folders = _experiments_called(name)
    for folder in folders:
        records = [read_record(path) for path in sorted(folder.glob("rep-*.json"), key=_repetition)]
        _samples_of(console, records)


def _samples_of(console: Console, records: list[Record]) -> None:
    first = records[0]
    title = f"{first.experiment.experiment} on {first.experiment.testbed}, identity {first.identity}"
    table = Table("metric", "unit", "median", *(f"#{r.repetition}" for r in records), title=title)
    values: dict[tuple[str, str], dict[int, float]] = defaultdict(dict)
    for record in records:
        for m in record.measurements:
            values[m.metric, m.unit][record.repetition] = m.value
    for (metric, unit), by_repetition in values.items():
        cells = [f"{by_repetition[r.repetition]:.6g}" if r.repetition in by_repetition else "-" for r in records]
        table.add_row(metric, unit, f"{median(by_repetition.values()):.6g}", *cells)
    console.print(table)
    for record in records:
        broken = [g for g in record.validity if not g.ok]
        notes = [f"{g.gate}{f' in {g.step}' if g.step else ''}: {g.detail}" for g in broken]
        if record.status != "ok" or notes:
            console.print(f"#{record.repetition} {record.status} {record.reason or ''} {'; '.join(notes)}".strip())


def _experiments_called(name: str) -> list[Path]:
    """Folders with records: of the current plan, or of the newest release when nothing was measured here."""
    current = planning.read_or_none()
    places = [paths.ROOT / Path(e.spec).parent for e in current.experiments] if current else []
    places = [p for p in places if any(p.glob("rep-*.json"))] or sorted(
        p.parent for p in (_newest_release() or paths.RAW).glob("records/*/*/*/*/spec.json"))
    matching = [p for p in places if p.parent.name == name] or [p for p in places if name in p.parent.name]
    if not matching:
        names = ", ".join(sorted({p.parent.name for p in places})[:LONG_LIST]) or "nothing was measured yet"
        raise UserError(f"no measured experiment is called {name!r}", f"there are: {names}")
    return matching


def _findings_path() -> Path | None:
    current = paths.BUILD / "current" / "findings.json"
    if current.exists():
        return current
    newest = _newest_release()
    return newest / "findings.json" if newest else None


def _newest_release() -> Path | None:
    found = [p.parent for p in paths.RELEASES.glob("*/manifest.json")]
    return max(found, key=lambda p: json.loads((p / "manifest.json").read_text())["version"], default=None)


def _repetition(path: Path) -> int:
    return int(path.stem.removeprefix("rep-"))
