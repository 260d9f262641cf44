"""Recommendation text: the sentences of a recommendation, from its verdict to what the choice costs and what other sessions say."""

from collections.abc import Mapping, Sequence

from spindlemark.analysis.findings import table_text, text
from spindlemark.analysis.findings.model import MetricTable, Need, Pair, Recommendation, Task
from spindlemark.core.lossless import is_lossless

LIKELY = 0.9  # a probability of being best that needs no comment next to a `better` verdict


def of_advice(
    verdict: str,
    order: Sequence[str],
    first: Sequence[str],
    by_names: Mapping[frozenset, Pair],
    need: Need | None,
    confidence: float,
    threshold: float,
    described: Mapping[str, str],
    shortest: Sequence[float] = (),
    lossless: bool = False,
) -> str:
    """The sentence of a recommendation: which of the three verdicts it is, and what follows.

    `first`: beaten by none; `order` begins with the one that represents them; `by_names`: the weighted pairs;
    `described`: the settings of each configuration in words; `shortest`: seconds as which shorter times of the tasks count;
    `lossless`: the best is, and that alone counts.
    """
    counting = f" {text.counting(shortest).capitalize()}." if shortest else ""
    best = text.named(order[0], described.get(order[0], ""))
    if verdict == "better":
        rest = [
            pair
            for other in order[1:]
            if (pair := by_names.get(frozenset((order[0], other)))) and pair.better == order[0]
        ]
        nearest = min((pair for pair in rest if pair.verdict == "better"), key=lambda pair: pair.ratio, default=None)
        if nearest is None:
            return f"{best} wins: no other candidate here meets the requirements."
        if lossless:
            return f"{best} wins: it is lossless here, and no other candidate is."
        behind = text.worse(nearest.ratio, nearest.low, nearest.high, confidence, "overall")
        return f"{best} wins. Runner-up: {nearest.worse}, {behind}.{_small(nearest.ratio, threshold)}{counting}"
    if verdict == "equivalent":
        use = "either" if len(first) == 2 else "any of them"
        return (
            f"Tie: {text.some(list(first))} are within {text.percent(threshold)} of each other overall. "
            f"Use {use}; {best} is listed first.{counting}"
        )
    return f"Too close to call between {text.some(list(first))}.{table_text.of_need(need)}{counting}"


def _small(ratio: float, threshold: float) -> str:
    """A sentence on a difference that is shown and small; empty for any other."""
    return (
        f" This is a real difference, but smaller than the {text.percent(threshold)} that count as relevant here."
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
        rest = (
            [f"{other} {'has' if other == 1 else 'have'} another verdict that does not contradict it"] if other else []
        )
        open_ = sessions.inconclusive
        rest += [f"{open_} {'is' if open_ == 1 else 'are'} inconclusive"] if open_ else []
        gives = "gives" if sessions.agreeing == 1 else "give"
        return [f"{sessions.agreeing} of {whole} sessions {gives} this answer; {', '.join(rest)}."]
    if sessions.of == 1:
        return [
            "Measured in one session only: another day or machine can change results by more than repetitions show."
            + _next_time(found)
        ]
    return [f"The answer is the same in {sessions.agreeing} of {sessions.of} sessions." + _next_time(found)]


def _next_time(found: Recommendation) -> str:
    """How a clear lead and a low probability can both hold, where the page shows both."""
    chance = found.probability_best.get(found.first[0], 1.0)
    if found.verdict != "better" or chance >= LIKELY:
        return ""
    return (
        f" {found.first[0]} leads clearly here, but the estimated probability that it is best in a new session is "
        f"{text.percent(chance)}."
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
            difference = (
                f"{pair.better} is lossless"
                if is_lossless(medians[pair.better], table.unit)
                else table_text.of_pair(pair, table.unit, table.better, confidence, nothing=medians[configuration] == 0)
            )
            sentences.append(f"{task.title}: {difference}.")
    return sentences or [
        f"No measurable drawback: no other candidate is shown to be better than {configuration} in any counted task."
    ]
