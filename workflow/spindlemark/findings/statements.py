"""Statements: which sentence a table, a group or a recommendation deserves."""

from collections.abc import Collection, Mapping, Sequence

from spindlemark.findings import words
from spindlemark.findings.intervals import RANGE_BELOW, coverage_of_range
from spindlemark.findings.report import Cell, Gain, KernelRow, MetricTable, Pair, Task
from spindlemark.record import Better

NOTHING_RANKED = "No advice: none of the weighted tasks can be ranked here."
WEIGHTED = "All weighted tasks"
EMULATED = ("Measured in an emulated machine, whose processor is many times slower than a real one: orders within this "
            "group mean something, seconds do not.")


def of_table(title: str, unit: str, better: Better, why: str | None, cells: Sequence[Cell], pairs: Sequence[Pair],
             confidence: float, threshold: float, at_least: Collection[str] = ()) -> str:
    """One sentence on a metric: who leads, who is not told apart, and by how much the next tier is worse.

    `at_least`: subjects whose largest number was not found, since the largest that was tried still held.
    """
    if why is not None:
        return f"{title} is not ranked: {why}."
    first = cells[0]
    more = "at least " if first.subject in at_least else ""
    best = f"{first.subject} with {more}{words.quantity(first.median, unit)}"
    if len(cells) == 1:
        return f"{title}: only {best} was measured here."
    level = [cell for cell in cells if cell.tier == 1]
    open_ended = {cell.subject for cell in level} & set(at_least)
    if {cell.median for cell in cells} == {first.median} and len(level) == len(cells) and not open_ended:
        return f"{title}: no difference, all {len(cells)} have {words.quantity(first.median, unit)}."
    start = f"{title}: {best} is best" if len(level) == 1 else (
        f"{title}: {_level(level, pairs, unit, threshold, bool(open_ended))}")
    below = next((cell for cell in cells if cell.tier == 2), None)
    if below is None:
        return f"{start}."
    pair = find(pairs, first.subject, below.subject)
    many = unit == "1" and all(float(value).is_integer() for cell in cells for value in cell.samples)
    return (f"{start}; {words.comparison(first.subject, below.subject, pair.ratio, unit, better, many)} "
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
              confidence: float, described: Mapping[str, str]) -> str:
    """The sentence of a recommendation; `next_best` is the weighted difference between the first two of `order`.

    `described`: the settings of each subject in words.
    """
    level = [subject for subject in order if tiers[subject] == 1]
    first = order[0]
    named = words.named(first, described.get(first, ""))
    best_share = (f"{first if len(level) == 1 else named} is best in {words.percent(chance[first])} of the draws of "
                  "samples and weights")
    if len(level) > 1:
        return f"No supported difference between {words.some(level)} over the weighted tasks; {best_share}."
    return (f"{named} is the best choice here: {next_best.worse} costs {words.ratio(next_best.ratio)} times as much "
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


def of_no_weights(family: str, workload: str) -> str:
    """Why a group has no advice: nothing says what is done with it."""
    what = f"the library {workload}" if workload else f"the family {family}"
    return f"No advice: config/recommendations.yaml declares no weights for {what}."


def of_no_choice(able: int) -> str:
    """Why a group has no advice: too few subjects."""
    return f"No advice: {words.counted(able, 'subject')} can be weighed, and a choice needs 2."


def of_uncounted(title: str, why: str) -> str:
    """A weighted task without a rank."""
    return f"{title} is not counted: {why}."


def of_left_out_failed(subject: str, failed: int, total: int) -> str:
    """A subject that failed is not recommended."""
    return f"{subject} is left out of the advice: it failed in {failed} of {words.counted(total, 'repetition')}."


def of_left_out_absent(subject: str, status: str) -> str:
    """A subject without any sample."""
    return f"{subject} is left out of the advice: it is {status} here."


def of_left_out_lacking(subject: str, title: str) -> str:
    """A subject that has no tool for one of the tasks."""
    return f"{subject} is left out of the advice: it has no samples of {title}."


def of_left_out_few(subject: str, n: int, fewest: int) -> str:
    """A subject with too few samples."""
    return f"{subject} is left out of the advice: it has {words.counted(n, 'sample')}, and advice needs {fewest}."


def _level(level: Sequence[Cell], pairs: Sequence[Pair], unit: str, threshold: float, open_ended: bool) -> str:
    """The subjects of the first tier: equal where the intervals say so, else only not told apart.

    `open_ended`: of at least one of them only a least number is known, so that nothing says how near they are.
    """
    names = words.some([cell.subject for cell in level])
    medians = sorted(cell.median for cell in level)
    span = f"(medians {words.quantity(medians[0], unit)} to {words.quantity(medians[-1], unit)})"
    told = [find(pairs, level[0].subject, cell.subject) for cell in level[1:]]
    if not open_ended and all(pair is not None and pair.high <= 1 + threshold for pair in told):
        return f"{names} are equal within {words.percent(threshold)} {span}"
    return f"no supported difference between {names} {span}"


def find(pairs: Sequence[Pair], one: str, other: str) -> Pair | None:
    """The pair of two subjects, whichever is better."""
    return next((pair for pair in pairs if {pair.better, pair.worse} == {one, other}), None)


def of_gain(gain: Gain, described: str, table: MetricTable | None, confidence: float) -> str:
    """What a setting gained or lost; `table` None: over the weighted tasks."""
    tuned = words.named(gain.subject, described)
    if gain.low == gain.high == 1:
        return f"{gain.title}: no gain or loss by {tuned}: the same as {gain.baseline} in every repetition."
    if not gain.supported:
        return (f"{gain.title}: no supported gain or loss by {tuned}: {gain.baseline} costs "
                f"{words.ratio(gain.ratio)} times as much {words.interval(gain.low, gain.high, confidence)}.")
    better, worse, ratio, low, high = gain.subject, gain.baseline, gain.ratio, gain.low, gain.high
    if ratio < 1:
        better, worse, ratio, low, high = worse, better, 1 / ratio, 1 / high, 1 / low
    told = (words.comparison(better, worse, ratio, table.unit, table.better) if table
            else f"{worse} costs {words.ratio(ratio)} times as much as {better}")
    return (f"{gain.title}: supported {'gain' if better == gain.subject else 'loss'} by {tuned}: {told} "
            f"{words.interval(low, high, confidence)}.")


def of_tuning(first: str, gains: Sequence[Gain]) -> list[str]:
    """What tuning did for the filesystem of the first option: its own gain, or that none of its settings has one."""
    whole = [gain for gain in gains if gain.metric is None]
    own = [gain.statement for gain in whole if gain.subject == first]
    others = [gain for gain in whole if gain.baseline == first]
    if own or not others or any(gain.supported and gain.ratio > 1 for gain in others):
        return own
    return [f"No supported gain by tuning: none of {words.counted(len(others), 'other configuration')} of {first} is "
            "shown to be better than its default over the weighted tasks."]


def of_limits(at_least: Sequence[str], processor: Sequence[str], title: str) -> list[str]:
    """Notes on searches for a largest number that ended for another reason than the disk."""
    notes = []
    if at_least:
        notes.append(f"{title}: the largest number that was tried still held with {words.some(at_least)}, so that "
                     "their numbers are lower bounds.")
    if processor:
        notes.append(f"{title}: the processor and not the disk ended the search with {words.some(processor)}.")
    return notes


def of_inodes(subject: str, created: float, needed: float) -> str:
    """How many inodes there are for how many files."""
    return (f"{subject} offers {created:,.0f} inodes, {words.number(created / needed)} times as many as the "
            f"{needed:,.0f} that this library needs.")


def of_reserved(subject: str, kept: float, share: float) -> str:
    """How much space ordinary users cannot fill."""
    return f"{subject} keeps {words.quantity(kept, 'B')} back from ordinary users, {100 * share:.1f} % of the device."


def of_format(slowest: Cell, fastest: Cell) -> str:
    """How far format times lie apart."""
    return (f"Making the filesystem takes {words.quantity(slowest.median, 's')} with {slowest.subject} and "
            f"{words.quantity(fastest.median, 's')} with {fastest.subject}, "
            f"{words.number(slowest.median / fastest.median)} times as long.")


def of_short_format(slowest: Cell, why: str) -> str:
    """Format times that decide nothing."""
    return (f"Making the filesystem takes at most {words.quantity(slowest.median, 's')} here, with {slowest.subject}: "
            f"no reason to choose, since {why}.")


def of_kernel(before: str, after: str, rows: Sequence[KernelRow], confidence: float) -> str:
    """What another kernel changed, in one sentence."""
    changed = [row for row in rows if row.supported]
    start = f"From kernel {before} to {after}"
    if not changed:
        return f"{start}: no supported change in any of {words.counted(len(rows), 'comparison')}."
    tally = {verdict: sum(row.verdict == verdict for row in changed) for verdict in ("better", "worse", "changed")}
    told = words.listed([f"{n} {verdict}" for verdict, n in tally.items() if n])
    most = max(changed, key=lambda row: max(row.ratio, 1 / row.ratio))
    return (f"{start}: {words.counted(len(changed), 'supported change')} in "
            f"{words.counted(len(rows), 'comparison')}, {told}; the largest is {most.title} with {most.subject}, "
            f"{words.ratio(most.ratio)} times what it was {words.interval(most.low, most.high, confidence)}.")
