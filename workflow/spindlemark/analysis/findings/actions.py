"""What a reader should do, and what it costs: the first sentence of a recommendation."""

from collections.abc import Mapping, Sequence

from spindlemark.analysis.findings import text
from spindlemark.analysis.findings.model import DIFFERENT, MetricTable, Verdict
from spindlemark.config.questions import ACTION_PLACEHOLDER, BEST

PART = ", "  # between the settings in the name of a configuration
TERABYTE = 1e12
MOST_NAMED = 3


def of(
    template: str, verdict: Verdict, order: Sequence[str], first: Sequence[str], tables: Mapping[str, MetricTable]
) -> str:
    """The family's declared action with its best configuration and what was measured of it.

    Without a declared action, or where a figure is missing, a sentence on the settings that the best have in common; empty if
    there are none. `order` begins with the configuration that represents `first`, the ones that nothing beats.
    """
    shared = "" if verdict in DIFFERENT else in_common(order, first)
    if best := _best(verdict, order, first, shared):
        filled = _filled(template, best, order[0], tables)
        if filled:
            return f"{filled} "
    return f"The best have in common: {shared}. " if shared else ""


def in_common(order: Sequence[str], first: Sequence[str]) -> str:
    """The settings that all of `first` have and some other candidate lacks; empty for fewer than two."""
    if len(first) < 2:
        return ""
    each, others = ([set(name.split(PART)) for name in names] for names in (first, set(order) - set(first)))
    parts = first[0].split(PART)
    return PART.join(p for p in parts if all(p in own for own in each) and any(p not in own for own in others))


def _best(verdict: Verdict, order: Sequence[str], first: Sequence[str], shared: str) -> str:
    """What to choose: the winner, what the best share, or any of few equals; empty where nothing is decided."""
    if verdict in DIFFERENT:
        return order[0]
    if shared or verdict != "equivalent":
        return shared
    return text.either(first) if len(first) <= MOST_NAMED else order[0]


def _filled(template: str, best: str, chosen: str, tables: Mapping[str, MetricTable]) -> str:
    """The template with the medians of `chosen`; empty if one of them is unknown."""
    found = {f"{{{BEST}}}": best}
    for name, terabyte in ACTION_PLACEHOLDER.findall(template):
        if name != BEST:
            figure = _figure(tables.get(name), chosen, bool(terabyte))
            if not figure:
                return ""
            found[f"{{{name}{terabyte}}}"] = figure
    return ACTION_PLACEHOLDER.sub(lambda match: found[match[0]], template)


def _figure(table: MetricTable | None, chosen: str, terabyte: bool) -> str:
    """The median of a configuration in words, or the time that 1 TB takes at this rate; empty if there is none."""
    value = next((cell.median for cell in table.cells if cell.configuration == chosen), None) if table else None
    if table is None or value is None:
        return ""
    if terabyte:
        return text.minutes(TERABYTE / value) if value > 0 else ""
    return text.figure(value, table.unit, table.kind)
