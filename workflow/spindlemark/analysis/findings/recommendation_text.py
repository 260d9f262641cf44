"""Recommendation text: the sentences of a recommendation, from its verdict to what the choice costs and what other sessions say."""

from collections.abc import Mapping, Sequence

from spindlemark.analysis.findings import table_text, text
from spindlemark.analysis.findings.model import DIFFERENT, MetricTable, Need, Pair, Replicate, Task
from spindlemark.core.lossless import is_lossless


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
    filesystems: bool = False,
) -> str:
    """The sentence of a recommendation: which of the three verdicts it is, and what follows.

    `first`: beaten by none; `order` begins with the one that represents them; `by_names`: the weighted pairs;
    `described`: the settings of each configuration in words; `shortest`: seconds as which shorter times of the tasks count;
    `lossless`: the best is, and that alone counts; `filesystems`: those of the first tier have different ones.
    """
    counting = f" {text.counting(shortest).capitalize()}." if shortest else ""
    best = text.named(order[0], described.get(order[0], ""))
    nearest = _nearest_beaten(order, by_names)
    if verdict in DIFFERENT:
        if nearest is None:
            return f"{best} wins: no other candidate here meets the requirements."
        if lossless:
            return f"{best} wins: it is lossless here, and no other candidate is."
        behind = text.worse(nearest.ratio, nearest.low, nearest.high, confidence, "overall")
        how = "wins" if verdict == "better" else "is slightly better"
        return f"{best} {how}. Runner-up: {nearest.worse}, {behind}.{counting}"
    if verdict == "equivalent":
        use = "either" if len(first) == 2 else "any of them"
        advice = "Speed does not decide between them: choose by features" if filesystems else f"Use {use}"
        return (
            f"Tie: {text.some(list(first))} are within {text.percent(threshold)} of each other overall."
            f"{_next(nearest, first, confidence)} {advice}; {best} is listed first.{counting}"
        )
    rest = f"{_next(nearest, first, confidence)}{table_text.of_need(need)}{counting}"
    return f"Too close to call between {text.some(list(first))}.{rest}"


def _next(nearest: Pair | None, first: Sequence[str], confidence: float) -> str:
    """A sentence on the best candidate that something beats; empty where nothing is beaten."""
    if nearest is None or nearest.worse in first:
        return ""
    return (
        f" The next, {nearest.worse}, is {text.worse(nearest.ratio, nearest.low, nearest.high, confidence, 'overall')}."
    )


def _nearest_beaten(order: Sequence[str], by_names: Mapping[frozenset, Pair]) -> Pair | None:
    """The pair of the first with the nearest of those that it beats; None if it beats none."""
    found = (by_names.get(frozenset((order[0], other))) for other in order[1:])
    beaten = [pair for pair in found if pair and pair.better == order[0] and pair.verdict in DIFFERENT]
    return min(beaten, key=lambda pair: pair.ratio, default=None)


def of_sessions(found: Sequence[Replicate]) -> str:
    """In how many sessions the order of the candidates is that of the answer; empty without any."""
    if not found:
        return ""
    if len(found) == 1:
        return "Measured in one session. The intervals include the declared variation between sessions."
    same = sum(each.same_order for each in found)
    which = "all" if same == len(found) else f"{same} of"
    return f"The order is the same in {which} {len(found)} sessions."


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
