"""Answered: the sentences of a recommendation, from its verdict to what the choice costs and what other sessions say."""

from collections.abc import Mapping, Sequence

from spindlemark.analysis.findings import table_text, text
from spindlemark.analysis.findings.model import MetricTable, Need, Pair, Recommendation, Task
from spindlemark.core.lossless import is_lossless

LIKELY = 0.9  # a probability of being best that needs no comment next to a `better` verdict


def of_advice(
    verdict: str,
    order: Sequence[str],
    first: Sequence[str],
    told: Mapping[frozenset, Pair],
    need: Need | None,
    confidence: float,
    threshold: float,
    described: Mapping[str, str],
    shortest: Sequence[float] = (),
    lossless: bool = False,
) -> str:
    """The sentence of a recommendation: which of the three verdicts it is, and what follows.

    `first`: beaten by none; `order` begins with the one that represents them; `told`: the weighted pairs;
    `described`: the settings of each configuration in words; `shortest`: seconds as which shorter times of the tasks count;
    `lossless`: the best is, and that alone counts.
    """
    whole = f"over the weighted tasks{', where ' + text.counting(shortest) if shortest else ''}"
    best = text.named(order[0], described.get(order[0], ""))
    if verdict == "better":
        rest = [
            pair for other in order[1:] if (pair := told.get(frozenset((order[0], other)))) and pair.better == order[0]
        ]
        nearest = min((pair for pair in rest if pair.verdict == "better"), key=lambda pair: pair.ratio, default=None)
        if nearest is None:
            return f"Better: {best} is the only choice here that has what a choice needs."
        if lossless:
            return f"Better: {best} is the best choice here: it is lossless, and nothing else is."
        return (
            f"Better: {best} is the best choice here; {nearest.worse}, the nearest, costs {text.ratio(nearest.ratio)} times as much "
            f"{whole} {text.interval(nearest.low, nearest.high, confidence)}{_small(nearest.ratio, threshold)}."
        )
    if verdict == "equivalent":
        return (
            f"Equivalent: {text.some(list(first))} differ by no more than {text.percent(threshold)} {whole}. "
            f"Take what you have; among equals {best} is named first."
        )
    return f"Undecided between {text.some(list(first))} {whole}{table_text.of_need(need)}."


def _small(ratio: float, threshold: float) -> str:
    """What to make of a difference that is sure and small, as the end of a sentence; empty for any other."""
    return (
        f": surely a difference, and less than the {text.percent(threshold)} that count here"
        if ratio <= 1 + threshold
        else ""
    )


def of_sessions(found: Recommendation) -> list[str]:
    """In how many sessions the answer is the same; empty where it is inconclusive."""
    sessions = found.sessions
    if sessions is None or found.verdict == "undecided":
        return []
    whole, other = sessions.of + sessions.inconclusive, sessions.otherwise
    if other or sessions.inconclusive:
        beside = (
            [f"{other} {'says' if other == 1 else 'say'} with another verdict what does not contradict it"]
            if other
            else []
        )
        beside += [f"{sessions.inconclusive} could not decide"] if sessions.inconclusive else []
        return [f"{sessions.agreeing} of {whole} sessions give this answer; {', '.join(beside)}."]
    if sessions.of == 1:
        return [
            "Measured in this session alone: another day or machine can move costs by more than repetitions tell."
            + _next_time(found)
        ]
    return [f"The answer is the same in {sessions.agreeing} of {sessions.of} sessions." + _next_time(found)]


def _next_time(found: Recommendation) -> str:
    """How a sure lead and a low probability can both hold, where the page shows both."""
    chance = found.probability_best.get(found.first[0], 1.0)
    if found.verdict != "better" or chance >= LIKELY:
        return ""
    return (
        f" That {found.first[0]} costs less is sure for this session; that it is best the next time somebody measures has a "
        f"probability of {text.percent(chance)}."
    )


def of_costs(
    configuration: str,
    others: Sequence[str],
    tasks: Sequence[Task],
    tables: Mapping[str, MetricTable],
    confidence: float,
) -> list[str]:
    """What choosing `configuration` costs: one sentence per counted task where the best of `others` is supportedly better."""
    sentences = []
    for task in tasks:
        if not task.counted:
            continue
        table = tables[task.metric]
        best = next(cell.configuration for cell in table.cells if cell.configuration in others)
        pair = table_text.find(table.pairs, best, configuration)
        if pair is not None and pair.supported and pair.worse == configuration:
            medians = {cell.configuration: cell.median for cell in table.cells}
            told = (
                f"{pair.better} is lossless"
                if is_lossless(medians[pair.better], table.unit)
                else table_text.of_pair(pair, table.unit, table.better, confidence, nothing=medians[configuration] == 0)
            )
            sentences.append(f"{task.title}: {told}.")
    return sentences or [
        f"No supported cost: nothing else is shown to be better than {configuration} in a counted task."
    ]
