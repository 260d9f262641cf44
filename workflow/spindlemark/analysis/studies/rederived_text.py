"""Sentences on what a study's own samples say about its conclusions, made from numbers and from nothing else."""

from collections import Counter
from collections.abc import Sequence

from spindlemark.analysis.findings import text
from spindlemark.analysis.findings.model import Cell, MetricTable, Recommendation
from spindlemark.analysis.findings.table_text import find
from spindlemark.analysis.studies.published_model import RederivedCell


def of_table(cells: Sequence[RederivedCell]) -> str:
    """How many cells come out the same, equal, indistinguishable, and different."""
    count = Counter(cell.outcome for cell in cells)
    equal = (
        f"{count['equal']} name one of several that are equal within the declared threshold, " if count["equal"] else ""
    )
    return (
        f"Of {text.counted(len(cells), 'cell')}, {count['same']} come out the same, {equal}{count['tie']} name one of "
        f"several that the samples cannot distinguish, and {count['different']} come out different."
    )


def of_following(task: str, cells: int, following: int) -> str:
    """How far a printed table follows one task alone."""
    return f"Its options follow {task} alone in {following} of {cells} cells; it names no weights."


def of_extreme(claimed: str, level: Sequence[str], first: str, outcome: str, table: MetricTable, worst: bool) -> str:
    """Why a configuration may, or may not, be called the best or the worst."""
    cells = {cell.configuration: cell for cell in table.cells}
    name = "worst" if worst else "best"
    averages = f"by the averages alone it is {first}" + (", as printed" if first == claimed else "")
    if outcome == "same":
        return f"{claimed} is {'worse' if worst else 'better'} than all others; {averages}."
    if outcome in ("equal", "tie"):
        names, span = text.listed(sorted(level)), _span(level, cells, table)
        if outcome == "equal":
            return f"{names} are equivalent ({span}); {averages}."
        return f"{names} are too close to call ({span}); {averages}."
    alone = f"{level[0]} is {name}" if len(level) == 1 else f"{text.listed(sorted(level))} share that place"
    return f"{alone}: {_against(claimed, level, table)}; {averages}."


def of_option(
    claimed: str,
    ours: str,
    outcome: str,
    advised: Recommendation,
    tier: dict[str, int],
    by_copy: Sequence[str],
    decided: tuple[str, str, str, float],
) -> str:
    """Why an option comes out as it does under the declared weights; `decided`: the task that decides it, the two
    configurations that it distinguishes, the better first, and by what factor of cost.
    """
    score = f"{claimed} scores {text.ratio(advised.scores[claimed])} times the best over the weighted tasks"
    task, better, worse, factor = decided
    copies = (
        f"by copy time it takes place {by_copy.index(claimed) + 1} of {len(by_copy)}; {task} decides: "
        f"{text.ratio(factor)} times for {worse} over {better}"
    )
    if outcome == "same":
        others = [s for s, t in tier.items() if t == tier[claimed] and s != claimed]
        level = f"; not shown to be better than {text.listed(others)}" if others else ""
        return f"{score}{level}; {copies}."
    if outcome == "tie":
        return f"Neither {ours} nor {claimed} is shown to be better: {score}; {copies}."
    return f"{score} and {ours} {text.ratio(advised.scores[ours])} times; {copies}."


def _span(level: Sequence[str], cells: dict[str, Cell], table: MetricTable) -> str:
    medians = sorted(cells[configuration].median for configuration in level)
    ends = [text.quantity(medians[at], table.unit) for at in (0, -1)]
    return f"medians {' to '.join(dict.fromkeys(ends))}"


def _against(claimed: str, level: Sequence[str], table: MetricTable) -> str:
    pair = next((p for p in (find(table.pairs, claimed, other) for other in level) if p and p.supported), None)
    if pair is None:
        return f"{claimed} is in tier {next(c.tier for c in table.cells if c.configuration == claimed)}"
    return text.comparison(pair.better, pair.worse, pair.ratio, table.unit, table.better)


SWAPPED = "Best and worst of this row are swapped."


def of_copied(other: str, statement: str) -> str:
    """Where the words of a cell's block are printed a second time."""
    return f"The block repeats that of {other}. {statement}"
