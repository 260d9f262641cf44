"""The recommendations, as a table after a run."""

from pathlib import Path

from rich.console import Console
from rich.table import Table

from spindlemark import deciding, paths, release
from spindlemark.families import LIBRARIES
from spindlemark.findings import older, questions, report, undecided
from spindlemark.progress import duration
from spindlemark.publish.numbers import percent
from spindlemark.terminal.foreign import foreign


def show(console: Console) -> None:
    """The recommendations of the current findings, or of the newest release, and where to read more."""
    path = _findings_path()
    if path:
        found = older.read(path)
        for testbed in dict.fromkeys(group.testbed for group in found.groups):
            console.print(_table(testbed, [group for group in found.groups if group.testbed == testbed]))
        for line in deciding.told(undecided.questions(found)):
            console.print(foreign(line))
        console.print("better: the first beats all others. equivalent: it beats or equals them, so take your default. "
                      "undecided: neither can be said yet.\nIn brackets: how probable it is that this one is the best the "
                      "next time it is measured; where nothing is said, nobody knows.")
    index = paths.SITE / "index.html"
    console.print(f"Site: {index.as_uri()} (or ./spindlemark serve, then http://127.0.0.1:8000/)")


def _table(testbed: str, groups: list[report.Group]) -> Table:
    """One testbed's table: testbeds are never ranked against each other. Who is alone, or stands beside a choice, is no row."""
    table = Table("workload", "option 1", "option 2", "option 3", "verdict",
                  title=foreign(f"Recommended on the testbed {testbed}"))
    for group in (each for each in groups if len(each.contenders) > 1):
        advice = group.recommendation
        options = [foreign(_option(option)) for option in advice.options] if advice else []
        table.add_row(foreign(_workload(group)), *(options + [""] * 3)[:3], foreign(_verdict(group)))
    return table


def _option(option: report.Option) -> str:
    chance = option.probability_best
    return option.subject if chance is None else f"{option.subject} ({percent(chance)})"


def _verdict(group: report.Group) -> str:
    """One of the three, and what it would take where none could be reached yet; or why there is no advice."""
    advice = group.recommendation
    if advice is None:
        return group.reason or "no advice: its page says why"  # a release up to 2026.12.4 says it among its notes alone
    if advice.verdict != "undecided" or advice.need is None:
        return advice.verdict
    need = advice.need
    if need.rounds is None:
        return "undecided; no number of rounds that anybody would measure decides it"
    lasting = f", {duration(need.seconds)}" if need.seconds is not None else ""
    return f"undecided; about {need.rounds} more {'round' if need.rounds == 1 else 'rounds'}{lasting} would decide it"


def _workload(group: report.Group) -> str:
    """A library by its title; of every other family its title, and its workload where it has more than one."""
    title = group.workload_title or group.library
    return title if group.family == LIBRARIES else ": ".join(filter(None, [questions.title(group.family), title]))


def _findings_path() -> Path | None:
    current = paths.BUILD / "current" / "findings.json"
    if current.exists():
        return current
    newest = release.versions()[:1]
    return paths.RELEASES / newest[0].version / "findings.json" if newest else None
