"""Statements: which sentence a table, a group or a recommendation deserves."""

from collections.abc import Collection, Mapping, Sequence

from spindlemark.findings import words
from spindlemark.findings.intervals import RANGE_BELOW, coverage_of_range
from spindlemark.findings.report import Cell, Contrast, MetricTable, Need, Pair, Recommendation, Task
from spindlemark.findings.rounds import LEAST_COUNT
from spindlemark.record import Better, Scalar

NOTHING_RANKED = "No advice: none of the weighted tasks can be ranked here."
ALL_SHORT = "No advice: none of them has what a choice needs."
NOTHING_SHARED = "No advice: no two of the subjects were measured in the same rounds."
WEIGHTED = "All weighted tasks"
EMULATED = ("Measured in an emulated machine, whose processor is many times slower than a real one: orders within this "
            "group mean something, seconds do not.")
NETWORKS = {
    "link": "Server and clients are joined by a pair of virtual cards of one machine: there is no wire, no switch and no card "
            "in these figures, and both ends share the same processors.",
    "nic": "Server and clients share the processors of one machine; between them lie two network cards and what joins these."}


def of_table(table: MetricTable, confidence: float, threshold: float, at_least: Collection[str] = ()) -> str:
    """What a table says: who leads, who equals it or is not told apart, by how much the next tier is worse, and what one has
    that stands beside the choice. Of what the question does not judge it is only said where the medians lie.

    `threshold`: share up to which a difference is of no consequence; `at_least`: subjects whose largest number was not
    found, since the largest that was tried still held.
    """
    if table.why_unranked is not None:
        return f"{table.title} is not ranked: {table.why_unranked}."
    beside = [f"{cell.subject} with {words.quantity(cell.median, table.unit)}" for cell in table.cells if not cell.tier]
    told = f"{table.title}: {_ranked(table, confidence, threshold, at_least)}."
    return f"{told} Beside the choice: {beside[0]}." if len(beside) == 1 else told


def _ranked(table: MetricTable, confidence: float, threshold: float, at_least: Collection[str]) -> str:
    cells, unit = [cell for cell in table.cells if cell.tier], table.unit
    first = cells[0]
    best = f"{first.subject} with {'at least ' * (first.subject in at_least)}{words.quantity(first.median, unit)}"
    if len(cells) == 1:
        return f"only {best} was measured here" if len(table.cells) == 1 else f"only {best} is chosen from here"
    level = [cell for cell in cells if cell.tier == 1]
    open_ended = bool({cell.subject for cell in level} & set(at_least))
    if {cell.median for cell in cells} == {first.median} and len(level) == len(cells) and not open_ended:
        return f"no difference, all {len(cells)} have {words.quantity(first.median, unit)}"
    if not table.primary:
        last = max(cells, key=lambda cell: cell.ratio or 0)
        return f"the best median is that of {best}, the worst that of {last.subject} with {words.quantity(last.median, unit)}"
    start = f"{best} is best" if len(level) == 1 else _level(level, table, threshold, open_ended)
    below = next((cell for cell in cells if cell.tier == 2), None)
    pair = find(table.pairs, first.subject, below.subject) if below else None
    if pair is None or pair.better != first.subject:
        return start
    many = unit == "1" and all(float(value).is_integer() for cell in cells for value in cell.samples)
    return f"{start}; {_worse(pair, unit, table.better, confidence, many, below.median == 0)}"


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
            nothing = next(cell.median for cell in table.cells if cell.subject == subject) == 0
            sentences.append(f"{task.title}: {_worse(pair, table.unit, table.better, confidence, nothing=nothing)}.")
    return sentences or [f"No supported cost: nothing else is shown to be better than {subject} in a counted task."]


def _worse(pair: Pair, unit: str, better: Better, confidence: float, many: bool = False, nothing: bool = False) -> str:
    """By how much one is worse, with its interval; what has `nothing` has no ratio. `many`: a number of things."""
    if nothing:
        return f"{pair.worse} has none where {pair.better} has some"
    told = words.comparison(pair.better, pair.worse, pair.ratio, unit, better, many, pair.short)
    return f"{told} {words.interval(pair.low, pair.high, confidence, pair.short)}"


def of_advice(verdict: str, order: Sequence[str], first: Sequence[str], told: Mapping[frozenset, Pair], need: Need | None,
              confidence: float, threshold: float, described: Mapping[str, str], shortest: Sequence[float] = ()) -> str:
    """The sentence of a recommendation: which of the three verdicts it is, and what follows.

    `first`: beaten by nobody; `order` begins with the one that stands for them; `told`: the weighted pairs;
    `described`: the settings of each subject in words; `shortest`: seconds as which shorter times of the tasks count.
    """
    whole = f"over the weighted tasks{', where ' + words.counting(shortest) if shortest else ''}"
    best = words.named(order[0], described.get(order[0], ""))
    if verdict == "better":
        rest = [pair for other in order[1:]
                if (pair := told.get(frozenset((order[0], other)))) and pair.better == order[0]]
        nearest = min((pair for pair in rest if pair.verdict == "better"), key=lambda pair: pair.ratio, default=None)
        if nearest is None:
            return f"Better: {best} is the only choice here that has what a choice needs."
        return (f"Better: {best} is the best choice here; {nearest.worse}, the nearest, costs {words.ratio(nearest.ratio)} times as much "
                f"{whole} {words.interval(nearest.low, nearest.high, confidence)}{_small(nearest.ratio, threshold)}.")
    if verdict == "equivalent":
        return (f"Equivalent: {words.some(list(first))} differ by no more than {words.percent(threshold)} {whole}. "
                f"Take what you have; among equals {best} is named first.")
    return f"Undecided between {words.some(list(first))} {whole}{of_need(need)}."


def _small(ratio: float, threshold: float) -> str:
    """What to make of a difference that is sure and small, as the end of a sentence; empty for any other."""
    return f": surely a difference, and less than the {words.percent(threshold)} that count here" if ratio <= 1 + threshold else ""


def of_need(need: Need | None) -> str:
    """What would decide it, as the end of a sentence; empty where nothing is known."""
    if need is None:
        return ""
    if need.rounds is None or need.seconds is None:
        return ": more repetitions than anybody would measure would be needed"
    return f": about {words.counted(need.rounds, 'more round')} would decide it, {words.minutes(need.seconds)} here"


def of_sessions(found: Recommendation) -> list[str]:
    """In how many sessions the answer is the same; nothing where it is undecided."""
    sessions = found.sessions
    if sessions is None or found.verdict == "undecided":
        return []
    if sessions.undecided:
        return [f"{sessions.agreeing} of {sessions.of + sessions.undecided} sessions give this answer; "
                f"{sessions.undecided} could not decide."]
    if sessions.of == 1:
        return ["Measured in this session alone: another day or machine can move costs by more than repetitions tell."]
    return [f"The answer is the same in {sessions.agreeing} of {sessions.of} sessions."]


def of_short_times(cells: Sequence[Cell], shortest: float | None) -> str:
    """A note on a table in which times count as longer than they are; empty for any other."""
    if not shortest:
        return ""
    short = sum(cell.short for cell in cells)
    which = "All" if short == len(cells) else f"{short} of {len(cells)}"
    return (f"{which} {'has' if short == 1 < len(cells) else 'have'} times below {words.declared(shortest)}, which count as "
            "that long: what is so short is not told apart, and a ratio to it is a lower bound.")


def of_nothing(cells: Sequence[Cell], least: float) -> str:
    """A note on a table in which some have nothing at all, which counts as `least`; empty where none has nothing."""
    none = [cell.subject for cell in cells if cell.median == 0]
    part = "half of one" if least == LEAST_COUNT else words.percent(least)
    return (f"{words.some(none)} {'has' if len(none) == 1 else 'have'} none, which counts as {part}, so that it can be weighed."
            if none else "")


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
    return f"No advice: config/questions/ declares no weights for {what}."


def of_no_choice(able: int) -> str:
    """Why a group has no advice: too few subjects."""
    return f"No advice: {words.counted(able, 'subject')} can be weighed, and a choice needs 2."


def of_no_contenders(among: Mapping[str, str | list[str]]) -> str:
    """Why a group has no advice: its question chooses `among` others. These tell what the choice costs."""
    where = [f"{name.replace('_', ' ').replace('.', ' ')} is {words.either([value] if isinstance(value, str) else value)}"
             for name, value in among.items()]
    return (f"No choice is made here: the question chooses where {words.listed(where)}. What was measured here stands beside "
            "that, and tells what each costs and what it gains.")


def of_lone(subject: str) -> str:
    """Why a group of one has no advice."""
    return f"Only {subject} was measured so: there is nothing to choose from."


def of_uncounted(titles: Sequence[str], why: str) -> str:
    """Weighted tasks without a rank, for one reason."""
    return f"{words.listed(titles)} {'is' if len(titles) == 1 else 'are'} not counted: {why}."


def of_left_out_failed(subject: str, failed: int, total: int) -> str:
    """A subject that failed is not recommended."""
    return f"{subject} is left out of the advice: it failed in {failed} of {words.counted(total, 'repetition')}."


def of_short(subject: str, task: str, worst: float) -> str:
    """A subject that had less of a task than every choice needs."""
    return f"{subject} is not advised, whatever it costs: {task} is {words.number(worst)} in its worst repetition."


def of_left_out_absent(subject: str, status: str) -> str:
    """A subject without any sample."""
    return f"{subject} is left out of the advice: it is {status} here."


def of_left_out_lacking(subject: str, title: str) -> str:
    """A subject that has no tool for one of the tasks."""
    return f"{subject} is left out of the advice: it has no samples of {title}."


def of_left_out_few(subject: str, n: int, fewest: int) -> str:
    """A subject with too few samples."""
    return f"{subject} is left out of the advice: it has {words.counted(n, 'sample')}, and advice needs {fewest}."


def _level(level: Sequence[Cell], table: MetricTable, threshold: float, open_ended: bool) -> str:
    """The subjects of the first tier: equivalent where the verdicts say so, or too short for that, else undecided.

    `open_ended`: of at least one of them only a least number is known, so that nothing says how near they are.
    """
    names = words.some([cell.subject for cell in level])
    medians = sorted(cell.median for cell in level)
    span = f"medians {words.quantity(medians[0], table.unit)} to {words.quantity(medians[-1], table.unit)}"
    if medians[-1] == 0:
        return f"{names} have none"
    told = [find(table.pairs, level[0].subject, cell.subject) for cell in level[1:]]
    if not open_ended and all(pair is not None and pair.verdict == "equivalent" for pair in told):
        return f"{names} are equivalent within {words.percent(threshold)} ({span})"
    if table.shortest_seconds and all(pair is not None and pair.verdict != "undecided" for pair in told):
        return f"{names} are too short to tell apart ({span}; {words.counting([table.shortest_seconds])})"
    return f"undecided between {names} ({span})"


def find(pairs: Sequence[Pair], one: str, other: str) -> Pair | None:
    """The pair of two subjects, whichever is better."""
    return next((pair for pair in pairs if {pair.better, pair.worse} == {one, other}), None)


def of_contrast(row: Contrast, described: str, confidence: float, threshold: float) -> str:
    """What a subject gained or lost against its baseline."""
    tuned = words.named(row.subject, described)
    if row.verdict is None and row.median == row.baseline_median == 0:
        return f"{row.title}: neither {tuned} nor {row.baseline} has any."
    if row.verdict is None:
        return f"{row.title}: too short to tell {tuned} and {row.baseline} apart."
    if row.low == row.high == 1:
        return f"{row.title}: no gain or loss by {tuned}: the same as {row.baseline} in every repetition."
    worse = f"{row.baseline} costs {words.ratio(row.ratio)} times as much {words.interval(row.low, row.high, confidence)}"
    if row.verdict == "equivalent":
        return f"{row.title}: {tuned} and {row.baseline} are equivalent within {words.percent(threshold)}: {worse}."
    if row.verdict == "undecided":
        return f"{row.title}: undecided whether {tuned} gains{'' if row.short else f': {worse}'}{of_need(row.need)}."
    better, other, ratio, low, high = row.subject, row.baseline, row.ratio, row.low, row.high
    if ratio < 1:
        better, other, ratio, low, high = other, better, 1 / ratio, 1 / high, 1 / low
    if row.metric and not (row.median and row.baseline_median):
        return f"{row.title}: {row.side} by {tuned}: {row.median:g} instead of {row.baseline_median:g}."
    told = (words.comparison(better, other, ratio, row.unit, row.better, least=row.short) if row.metric
            else f"{other} costs {words.ratio(ratio)} times as much as {better}")
    return f"{row.title}: {row.side} by {tuned}: {told} {words.interval(low, high, confidence, row.short)}."


def of_contrasts(rows: Sequence[Contrast], title: str) -> str:
    """All answers of one question in one sentence."""
    whole = [row for row in rows if row.metric is None] or [row for row in rows if row.primary]
    tally = {name: sum(found(row) for row in whole) for name, found in (
        ("gain", lambda row: row.side == "gain"), ("loss", lambda row: row.side == "loss"),
        ("equivalent", lambda row: row.verdict == "equivalent"), ("undecided", lambda row: row.verdict == "undecided"),
        ("not to be told", lambda row: row.verdict is None))}
    told = words.listed([f"{n} {name}" for name, n in tally.items() if n]) if any(tally.values()) else "nothing compared"
    return f"{title} Of {words.counted(len(whole), 'comparison')}: {told}."


def of_limits(at_least: Sequence[str], processor: Sequence[str], neither: Sequence[str], title: str) -> list[str]:
    """Notes on searches for a largest number that ended for another reason than the disk."""
    notes = []
    if at_least:
        notes.append(f"{title}: the largest number that was tried still held with {words.some(at_least)}, so that "
                     "their numbers are lower bounds.")
    if processor:
        notes.append(f"{title}: the processor and not the disk ended the search with {words.some(processor)}.")
    if neither:
        notes.append(f"{title}: neither disk nor processors were full when the search ended with {words.some(neither)}: a buffer ran "
                     "empty all the same.")
    return notes


def of_films(conditions: Mapping[str, Scalar]) -> list[str]:
    """What films and buffers of so many seconds do not tell; nothing where nobody watched one."""
    film, buffer = (conditions.get(f"viewers.{name}_seconds") for name in ("film", "buffer"))
    if not film or not buffer:
        return []
    return [f"Each viewer watched a film of {film:g} s with a buffer of {buffer:g} s. Players hold some seconds: a shorter buffer runs "
            "empty sooner, and a longer film tells more surely who is fed without end. Longer profiles have both."]


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
