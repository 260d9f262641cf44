"""Standings: what a run knows so far, after each block of measurements."""

from rich.console import Console
from rich.table import Table

from spindlemark.analysis.findings.model import Findings, Group, Pair
from spindlemark.analysis.findings.table_text import find
from spindlemark.analysis.format import number, ratio
from spindlemark.cli.progress import duration
from spindlemark.cli.terminal.untrusted_text import escaped
from spindlemark.site import testbed_labels


def show(console: Console, found: Findings, block: int, of: int, seconds: float) -> None:
    """Print a row per question with two candidates or more, and what is measured next.

    `block` of `of` is measured; the rest takes about `seconds`.
    """
    table = Table("workload", "so far", "blocks", "verdict", title=f"After block {block} of {of}")
    for group in found.groups:
        if len(group.candidates) > 1 and (row := _row(group)):
            table.add_row(*map(escaped, row))
    if table.row_count:
        console.print(table)
    console.print(
        f"Next: block {block + 1} of {of}; what is left takes about {duration(seconds)}. Each block measures every candidate "
        "once, so the intervals become narrower.",
        highlight=False,
    )


def _row(group: Group) -> tuple[str, str, str, str] | None:
    workload = f"{group.workload_title or group.library} on {testbed_labels.title(group.testbed)}"
    advice = group.recommendation
    if advice:
        first = advice.options[0].configuration
        rest = [multiple(name, first, advice.pairs) for name in advice.scores if name != first]
        rounds = max((each.rounds for each in advice.replicates), default=0)
        return workload, ", ".join([first, *rest]), str(rounds), advice.verdict.replace("_", " ")
    table = next((table for table in group.metrics if table.ranked and table.primary and len(table.cells) > 1), None)
    if table is None:
        return None
    cells = [cell for cell in table.cells if cell.configuration in group.candidates]
    cells.sort(key=lambda cell: cell.median, reverse=table.better == "higher")
    medians = [f"{cell.configuration} {number(cell.median, table.unit, table.kind)}" for cell in cells]
    few = max(cell.n for cell in cells)
    return workload, f"{table.title}: {', '.join(medians)}", str(few), "too few blocks for an interval"


def multiple(name: str, first: str, pairs: list[Pair]) -> str:
    """A configuration with its weighted cost as a multiple of that of the first, and the interval; its name alone without a pair."""
    pair = find(pairs, name, first)
    if pair is None:
        return name
    value, low, high = pair.against(first)
    return f"{name} {ratio(value)} ({ratio(low)} to {ratio(high)})"
