"""Statements: which sentence a table, a group or a recommendation deserves."""

from collections.abc import Sequence

from spindlemark.findings import words
from spindlemark.findings.intervals import RANGE_BELOW, coverage_of_range
from spindlemark.findings.report import Cell, MetricTable, Pair, Task
from spindlemark.record import Better


def of_table(title: str, unit: str, better: Better, why: str | None, cells: Sequence[Cell], pairs: Sequence[Pair],
             confidence: float, threshold: float) -> str:
    """One sentence on a metric: who leads, who is not told apart, and by how much the next tier is worse."""
    if why is not None:
        return f"{title} is not ranked: {why}."
    first = cells[0]
    best = f"{first.subject} with {words.quantity(first.median, unit)}"
    if len(cells) == 1:
        return f"{title}: only {best} was measured here."
    level = [cell for cell in cells if cell.tier == 1]
    if {cell.median for cell in cells} == {first.median} and len(level) == len(cells):
        return f"{title}: no difference, all {len(cells)} have {words.quantity(first.median, unit)}."
    start = f"{title}: {best} is best" if len(level) == 1 else f"{title}: {_level(level, pairs, unit, threshold)}"
    below = next((cell for cell in cells if cell.tier == 2), None)
    if below is None:
        return f"{start}."
    pair = find(pairs, first.subject, below.subject)
    return (f"{start}; {words.comparison(first.subject, below.subject, pair.ratio, unit, better)} "
            f"{words.interval(pair.low, pair.high, confidence)}.")


def of_costs(subject: str, others: Sequence[str], tasks: Sequence[Task], tables: dict[str, MetricTable],
             confidence: float) -> list[str]:
    """What choosing `subject` costs: one sentence per counted task where the best of `others` is supportedly better."""
    sentences = []
    for task in tasks:
        if not task.counted:
            continue
        table = tables[task.metric]
        best = next(cell.subject for cell in table.cells if cell.subject in others)
        pair = find(table.pairs, best, subject)
        if pair is not None and pair.supported and pair.worse == subject:
            told = words.comparison(pair.better, subject, pair.ratio, table.unit, table.better)
            sentences.append(f"{task.title}: {told} {words.interval(pair.low, pair.high, confidence)}.")
    return sentences or [f"No supported cost: nothing else is shown to be better than {subject} in a counted task."]


def of_advice(order: Sequence[str], tiers: dict[str, int], chance: dict[str, float], next_best: Pair | None,
              confidence: float) -> str:
    """The sentence of a recommendation; `next_best` is the weighted difference between the first two options."""
    level = [subject for subject in order if tiers[subject] == 1]
    first = order[0]
    best_share = f"{first} is best in {words.percent(chance[first])} of the draws of samples and weights"
    if len(level) > 1:
        return f"No supported difference between {words.listed(level)} over the weighted tasks; {best_share}."
    return (f"{first} is the best choice here: {next_best.worse} costs {words.ratio(next_best.ratio)} times as much "
            f"over the weighted tasks {words.interval(next_best.low, next_best.high, confidence)}; {best_share}.")


def of_samples(shortest: int, noisy: int, repetitions: int, unstable: int, cells: int, width: float) -> list[str]:
    """Notes on what limits a group: few samples, disturbed repetitions, wide intervals of the weighted tasks."""
    notes = []
    if 3 <= shortest < RANGE_BELOW:
        notes.append(f"The interval of a median of {shortest} samples is their range, which holds the true median in "
                     f"{words.percent(coverage_of_range(shortest))} of cases.")
    elif shortest < 3:
        notes.append(f"{words.counted(shortest, 'sample').capitalize()} of a subject cannot say how far off a median "
                     "is: at least 3 are needed.")
    if noisy:
        notes.append(f"In {noisy} of {words.counted(repetitions, 'repetition')} others used the machine during a timed "
                     "step: the samples are marked as noisy, and kept.")
    if unstable:
        notes.append(f"In {unstable} of {words.counted(cells, 'cell')} of the weighted tasks the interval is wider "
                     f"than {words.percent(width)} of the median.")
    return notes


def _level(level: Sequence[Cell], pairs: Sequence[Pair], unit: str, threshold: float) -> str:
    """The subjects of the first tier: equal where the intervals say so, else only not told apart."""
    names = words.listed([cell.subject for cell in level])
    medians = sorted(cell.median for cell in level)
    span = f"(medians {words.quantity(medians[0], unit)} to {words.quantity(medians[-1], unit)})"
    told = [find(pairs, level[0].subject, cell.subject) for cell in level[1:]]
    if all(pair is not None and pair.high <= 1 + threshold for pair in told):
        return f"{names} are equal within {words.percent(threshold)} {span}"
    return f"no supported difference between {names} {span}"


def find(pairs: Sequence[Pair], one: str, other: str) -> Pair | None:
    """The pair of two subjects, whichever is better."""
    return next((pair for pair in pairs if {pair.better, pair.worse} == {one, other}), None)
