"""The table of recommendations that a run prints at its end."""

from pathlib import Path

from rich.console import Console
from rich.table import Table

from spindlemark.analysis.findings import findings_files, inconclusive, model, question_list, text
from spindlemark.cli import adaptive
from spindlemark.cli.progress import duration
from spindlemark.cli.terminal.standings import multiple
from spindlemark.cli.terminal.untrusted_text import escaped
from spindlemark.core import paths
from spindlemark.core.declared import LIBRARIES
from spindlemark.release import versions as release


def show(console: Console) -> None:
    """Print the recommendations of the current findings, or of the newest release, and the address of the site."""
    path = _findings_path()
    if path:
        found = findings_files.read(path)
        for testbed in dict.fromkeys(group.testbed for group in found.groups):
            console.print(_table(testbed, [group for group in found.groups if group.testbed == testbed]))
        for line in adaptive.verdict_counts(inconclusive.questions(found)):
            console.print(escaped(line))
        console.print(
            "better: option 1 is better than all others by more than the margin. slightly better: than the nearest by less. "
            "equivalent: the difference does not matter, so keep your default. inconclusive: none of these is shown yet.\n"
            "Behind a name: the weighted time or size as a multiple of that of option 1, and its interval."
        )
    index = paths.SITE / "index.html"
    console.print(f"Site: {index.as_uri()} (or ./spindlemark serve, then http://127.0.0.1:8000/)")


def _table(testbed: str, groups: list[model.Group]) -> Table:
    """Return the table of one testbed, with a row for each group of two candidates or more.

    Testbeds are never ranked against each other.
    """
    table = Table(
        "workload",
        "option 1",
        "option 2",
        "option 3",
        "verdict",
        title=escaped(f"Recommended on the testbed {testbed}"),
    )
    for group in (each for each in groups if len(each.candidates) > 1):
        advice = group.recommendation
        options = [escaped(option) for option in _options(advice)] if advice else []
        table.add_row(escaped(_workload(group)), *(options + [""] * 3)[:3], escaped(_verdict(group)))
    return table


def _options(advice: model.Recommendation) -> list[str]:
    first = advice.options[0].configuration
    return [first, *(multiple(option.configuration, first, advice.pairs) for option in advice.options[1:])]


def _verdict(group: model.Group) -> str:
    """The verdict, with the rounds that would decide an inconclusive one; or the reason why there is no recommendation."""
    advice = group.recommendation
    if advice is None:
        return (
            group.reason or "no recommendation; its page gives the reason"
        )  # up to 2026.11.5 the reason is only in the notes
    if advice.verdict != "undecided":
        return advice.verdict.replace("_", " ")
    need = advice.need
    beaten = len(advice.first) < len(group.candidates)
    verdict = f"inconclusive between {text.some(list(advice.first))}" if beaten else "inconclusive"
    if need is None:
        return verdict
    if need.rounds is None:
        return f"{verdict}; more rounds than are practical would be needed"
    lasting = f", {duration(need.seconds)}" if need.seconds is not None else ""
    return f"{verdict}; about {need.rounds} more {'round' if need.rounds == 1 else 'rounds'}{lasting} would decide it"


def _workload(group: model.Group) -> str:
    """The title of a library; for other families the family's title, with the workload if there are several."""
    title = group.workload_title or group.library
    return title if group.family == LIBRARIES else ": ".join(filter(None, [question_list.title(group.family), title]))


def _findings_path() -> Path | None:
    current = paths.BUILD / "current" / "findings.json"
    if current.exists():
        return current
    newest = release.versions()[:1]
    return paths.RELEASES / newest[0].version / findings_files.RELEASED if newest else None
