"""Table text: the sentences of tables, contrasts and observations."""

from collections.abc import Collection, Sequence

from spindlemark.analysis.findings import text
from spindlemark.analysis.findings.model import Cell, Contrast, MetricTable, Need, Pair
from spindlemark.analysis.format import digits
from spindlemark.core.lossless import is_lossless
from spindlemark.core.record import Better

WEIGHTED = "All weighted tasks"


def of_table(table: MetricTable, confidence: float, threshold: float, at_least: Collection[str] = ()) -> str:
    """The sentence of a table: its leaders, by how much the next tier is worse, and what is not a candidate.

    For a metric that the question does not judge, it only gives the best and the worst median.

    `threshold`: share up to which a difference is of no consequence; `at_least`: configurations whose largest number was not
    found, since the largest that was tried still held.
    """
    if table.why_unranked is not None:
        return f"{table.title} is not ranked: {table.why_unranked}."
    others = [
        f"{cell.configuration} with {text.quantity(cell.median, table.unit)}" for cell in table.cells if not cell.tier
    ]
    statement = f"{table.title}: {_ranked(table, confidence, threshold, at_least)}."
    return f"{statement} For comparison: {others[0]}." if len(others) == 1 else statement


def _ranked(table: MetricTable, confidence: float, threshold: float, at_least: Collection[str]) -> str:
    cells, unit = [cell for cell in table.cells if cell.tier], table.unit
    first = cells[0]
    best = f"{first.configuration} with {'at least ' * (first.configuration in at_least)}{text.quantity(first.median, unit)}"
    if is_lossless(first.median, unit):
        return _lossless(cells, unit)
    if len(cells) == 1:
        return f"only {best} was measured here" if len(table.cells) == 1 else f"{best} is the only candidate here"
    level = [cell for cell in cells if cell.tier == 1]
    open_ended = bool({cell.configuration for cell in level} & set(at_least))
    if {cell.median for cell in cells} == {first.median} and len(level) == len(cells) and not open_ended:
        return f"no difference, all {len(cells)} have {text.quantity(first.median, unit)}"
    if not table.primary:
        last = max(cells, key=lambda cell: cell.ratio or 0)
        return f"the best median is {best}, the worst {last.configuration} with {text.quantity(last.median, unit)}"
    start = f"{best} is best" if len(level) == 1 else _level(level, table, threshold, open_ended)
    below = next((cell for cell in cells if cell.tier == 2), None)
    if below is None:
        return start
    pair = find(table.pairs, first.configuration, below.configuration)
    if pair is None or pair.better != first.configuration:
        return start
    many = unit == "1" and all(float(value).is_integer() for cell in cells for value in cell.samples)
    return f"{start}; {of_pair(pair, unit, table.better, confidence, many, below.median == 0)}"


def _lossless(cells: Sequence[Cell], unit: str) -> str:
    """Who is lossless, and the nearest of those who are not."""
    whole, rest = ([cell for cell in cells if is_lossless(cell.median, unit) == lossless] for lossless in (True, False))
    nearest = f"; {rest[0].configuration}, the nearest, has {text.quantity(rest[0].median, unit)}" if rest else ""
    return f"{text.some([cell.configuration for cell in whole])} {'is' if len(whole) == 1 else 'are'} lossless here{nearest}"


def of_pair(pair: Pair, unit: str, better: Better, confidence: float, many: bool = False, nothing: bool = False) -> str:
    """By how much one is worse, with its interval; what has `nothing` has no ratio. `many`: a number of things."""
    if nothing:
        return f"{pair.worse} has none where {pair.better} has some"
    difference = text.comparison(pair.better, pair.worse, pair.ratio, unit, better, many, pair.short)
    return f"{difference} {text.interval(pair.low, pair.high, confidence, pair.short)}"


def _level(level: Sequence[Cell], table: MetricTable, threshold: float, open_ended: bool) -> str:
    """The configurations of the first tier: equivalent where the verdicts say so, or too short for that, else inconclusive.

    `open_ended`: of at least one of them only a least number is known, so that nothing says how near they are.
    """
    names = text.some([cell.configuration for cell in level])
    medians = sorted(cell.median for cell in level)
    ends = dict.fromkeys(text.quantity(median, table.unit) for median in (medians[0], medians[-1]))
    span = f"medians {' to '.join(ends)}" if len(ends) > 1 else f"all medians {''.join(ends)}"
    if medians[-1] == 0:
        return f"{names} have none"
    compared = [find(table.pairs, level[0].configuration, cell.configuration) for cell in level[1:]]
    if not open_ended and all(pair is not None and pair.verdict == "equivalent" for pair in compared):
        return f"{names} are equivalent within {text.percent(threshold)} ({span})"
    if table.shortest_seconds and all(pair is not None and pair.verdict != "undecided" for pair in compared):
        return f"{names} are too short to distinguish ({span}; {text.counting([table.shortest_seconds])})"
    return f"{names} are too close to call ({span})"


def find(pairs: Sequence[Pair], one: str, other: str) -> Pair | None:
    """The pair of two configurations, whichever is better."""
    return next((pair for pair in pairs if {pair.better, pair.worse} == {one, other}), None)


def of_need(need: Need | None) -> str:
    """A sentence on what would decide it; empty where nothing is known."""
    if need is None:
        return ""
    if need.rounds is None or need.seconds is None:
        return " No realistic number of rounds would settle it."
    return f" About {text.counted(need.rounds, 'more round')} ({text.minutes(need.seconds)} here) should settle it."


def of_contrast(row: Contrast, described: str, confidence: float, threshold: float) -> str:
    """What a configuration gained or lost against its baseline."""
    tuned = text.named(row.configuration, described)
    if row.verdict is None and row.median == row.baseline_median == 0:
        return f"{row.title}: neither {tuned} nor {row.baseline} has any."
    if row.verdict is None:
        return f"{row.title}: too short to distinguish {tuned} from {row.baseline}."
    if row.low == row.high == 1:
        return f"{row.title}: {tuned} makes no difference: the same as {row.baseline} in every repetition."
    better, other, ratio, low, high = tuned, row.baseline, row.ratio, row.low, row.high
    if ratio < 1:
        better, other, ratio, low, high = other, better, 1 / ratio, 1 / high, 1 / low
    worse = f"{other} is {text.worse(ratio, low, high, confidence, f'than {better}')}"
    if row.verdict == "equivalent":
        return f"{row.title}: equivalent within {text.percent(threshold)}: {worse}."
    if row.verdict == "undecided":
        measured = f" between {tuned} and {row.baseline}" if row.short else f": {worse}"
        return f"{row.title}: too close to call{measured}.{of_need(row.need)}"
    if row.metric and not (row.median and row.baseline_median):
        return f"{row.title}: {row.median:g} with {tuned} instead of {row.baseline_median:g} with {row.baseline}."
    if is_lossless((row.median if better == tuned else row.baseline_median) or 1.0, row.unit):
        return f"{row.title}: {better} is lossless, {other} is not."
    if row.metric is None:
        return f"{row.title}: {worse}."
    difference = text.comparison(better, other, ratio, row.unit, row.better, least=row.short)
    return f"{row.title}: {difference} {text.interval(low, high, confidence, row.short)}."


def of_contrasts(rows: Sequence[Contrast], title: str) -> str:
    """All answers of one question in one sentence."""
    whole = [row for row in rows if row.metric is None] or [row for row in rows if row.primary]
    tally = {
        name: sum(found(row) for row in whole)
        for name, found in (
            ("gain", lambda row: row.side == "gain"),
            ("loss", lambda row: row.side == "loss"),
            ("equivalent", lambda row: row.verdict == "equivalent"),
            ("inconclusive", lambda row: row.verdict == "undecided"),
            ("too short", lambda row: row.verdict is None),
        )
    }
    plural = {"gain": "gains", "loss": "losses"}
    outcomes = [f"{n} {name if n == 1 else plural.get(name, name)}" for name, n in tally.items() if n]
    return f"{title} Of {text.counted(len(whole), 'comparison')}: {text.listed(outcomes or ['nothing compared'])}."


def of_inodes(configuration: str, created: float, needed: float) -> str:
    """How many inodes there are for how many files."""
    return (
        f"{configuration} offers {created:,.0f} inodes, {digits(created / needed)} times as many as the "
        f"{needed:,.0f} that this library needs."
    )


def of_reserved(configuration: str, kept: float, share: float) -> str:
    """How much space ordinary users cannot fill."""
    return f"{configuration} reserves {text.quantity(kept, 'B')} that ordinary users cannot fill, {100 * share:.1f} % of the device."


def of_format(slowest: Cell, fastest: Cell) -> str:
    """How far format times differ."""
    return (
        f"Formatting takes {text.quantity(slowest.median, 's')} with {slowest.configuration} and "
        f"{text.quantity(fastest.median, 's')} with {fastest.configuration}, "
        f"{digits(slowest.median / fastest.median)} times as long."
    )


def of_short_format(slowest: Cell) -> str:
    """Format times that decide nothing."""
    return (
        f"Formatting takes at most {text.quantity(slowest.median, 's')} here, with {slowest.configuration}: "
        "that is too short to matter."
    )
