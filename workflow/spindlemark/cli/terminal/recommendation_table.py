"""The recommendations, as a table after a run."""

from pathlib import Path

from rich.console import Console
from rich.table import Table

from spindlemark.analysis.findings import findings_files, inconclusive, model, question_list
from spindlemark.analysis.format import percent
from spindlemark.cli import adaptive
from spindlemark.cli.progress import duration
from spindlemark.cli.terminal.untrusted_text import foreign
from spindlemark.core import paths
from spindlemark.core.declared import LIBRARIES
from spindlemark.release import versions as release


def show(console: Console) -> None:
    """The recommendations of the current findings, or of the newest release, and where to read more."""
    path = _findings_path()
    if path:
        found = findings_files.read(path)
        for testbed in dict.fromkeys(group.testbed for group in found.groups):
            console.print(_table(testbed, [group for group in found.groups if group.testbed == testbed]))
        for line in adaptive.told(inconclusive.questions(found)):
            console.print(foreign(line))
        console.print(
            "better: the first beats all others. equivalent: it beats or equals them, so take your default. "
            "undecided: neither can be said yet.\nIn brackets: how probable it is that this one is the best the "
            "next time it is measured; where nothing is said, nobody knows."
        )
    index = paths.SITE / "index.html"
    console.print(f"Site: {index.as_uri()} (or ./spindlemark serve, then http://127.0.0.1:8000/)")


def _table(testbed: str, groups: list[model.Group]) -> Table:
    """One testbed's table: testbeds are never ranked against each other. Who is alone, or stands beside a choice, is no row."""
    table = Table(
        "workload",
        "option 1",
        "option 2",
        "option 3",
        "verdict",
        title=foreign(f"Recommended on the testbed {testbed}"),
    )
    for group in (each for each in groups if len(each.contenders) > 1):
        advice = group.recommendation
        options = [foreign(_option(option)) for option in advice.options] if advice else []
        table.add_row(foreign(_workload(group)), *(options + [""] * 3)[:3], foreign(_verdict(group)))
    return table


def _option(option: model.Option) -> str:
    chance = option.probability_best
    return option.subject if chance is None else f"{option.subject} ({percent(chance)})"


def _verdict(group: model.Group) -> str:
    """One of the three, and what it would take where none could be reached yet; or why there is no advice."""
    advice = group.recommendation
    if advice is None:
        return group.reason or "no advice: its page says why"  # a release up to 2026.11.5 says it among its notes alone
    if advice.verdict != "undecided" or advice.need is None:
        return advice.verdict
    need = advice.need
    if need.rounds is None:
        return "undecided; no number of rounds that anybody would measure decides it"
    lasting = f", {duration(need.seconds)}" if need.seconds is not None else ""
    return f"undecided; about {need.rounds} more {'round' if need.rounds == 1 else 'rounds'}{lasting} would decide it"


def _workload(group: model.Group) -> str:
    """A library by its title; of every other family its title, and its workload where it has more than one."""
    title = group.workload_title or group.library
    return title if group.family == LIBRARIES else ": ".join(filter(None, [question_list.title(group.family), title]))


def _findings_path() -> Path | None:
    current = paths.BUILD / "current" / "findings.json"
    if current.exists():
        return current
    newest = release.versions()[:1]
    return paths.RELEASES / newest[0].version / findings_files.RELEASED if newest else None
