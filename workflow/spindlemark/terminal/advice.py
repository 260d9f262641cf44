"""The recommendations, as a table after a run."""

from pathlib import Path

from rich.console import Console
from rich.table import Table

from spindlemark import paths, release
from spindlemark.families import LIBRARIES
from spindlemark.findings import report
from spindlemark.terminal.foreign import foreign


def show(console: Console) -> None:
    """The recommendations of the current findings, or of the newest release, and where to read more."""
    path = _findings_path()
    if path:
        groups = report.read(path).groups
        for testbed in dict.fromkeys(group.testbed for group in groups):
            console.print(_table(testbed, [group for group in groups if group.testbed == testbed]))
        console.print("In brackets: how probable it is that this one is the best, from the samples and the weights.")
    index = paths.SITE / "index.html"
    console.print(f"Site: {index.as_uri()} (or ./spindlemark serve, then http://127.0.0.1:8000/)")


def _table(testbed: str, groups: list[report.Group]) -> Table:
    """One testbed's table: testbeds are never ranked against each other."""
    table = Table("workload", "option 1", "option 2", "option 3", "first against second",
                  title=foreign(f"Recommended on the testbed {testbed}"))
    for group in groups:
        advice = group.recommendation
        options = [foreign(f"{o.subject} ({o.probability_best:.0%})") for o in advice.options] if advice else []
        verdict = "too few results" if not advice else "supported" if advice.supported else "no supported difference"
        table.add_row(foreign(_workload(group)), *(options + [""] * 3)[:3], verdict)
    return table


def _workload(group: report.Group) -> str:
    """A library by its name; of every other family the name, and its workload where it has more than one."""
    if group.family == LIBRARIES:
        return group.library
    return " ".join([group.family.replace("_", " "), group.library]).rstrip()


def _findings_path() -> Path | None:
    current = paths.BUILD / "current" / "findings.json"
    if current.exists():
        return current
    newest = release.versions()[:1]
    return paths.RELEASES / newest[0].version / "findings.json" if newest else None
