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
    there are none. `order` begins with the configuration that represents `first`, the ones that nothing beats. A figure of
    several is that of the worst of them.
    """
    shared = "" if verdict in DIFFERENT else in_common(order, first)
    chosen = list(first) if shared or (verdict == "equivalent" and len(first) <= MOST_NAMED) else [order[0]]
    decided = shared or verdict != "undecided"
    filled = _filled(template, shared or text.either(chosen), chosen, tables) if decided else ""
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


def _filled(template: str, best: str, chosen: Sequence[str], tables: Mapping[str, MetricTable]) -> str:
    """The template with what was measured of `chosen`; empty if some of it is unknown."""
    found = {f"{{{BEST}}}": best}
    for name, terabyte in ACTION_PLACEHOLDER.findall(template):
        if name != BEST:
            found[f"{{{name}{terabyte}}}"] = _figure(tables.get(name), chosen, bool(terabyte))
    return ACTION_PLACEHOLDER.sub(lambda match: found[match[0]], template) if all(found.values()) else ""


def _figure(table: MetricTable | None, chosen: Sequence[str], terabyte: bool) -> str:
    """The worst median of `chosen` in words, or the time that 1 TB takes at this rate; empty if one has none."""
    values = [cell.median for cell in table.cells if cell.configuration in chosen] if table else []
    if table is None or len(values) < len(chosen):
        return ""
    value = min(values) if table.better == "higher" else max(values)
    if terabyte:
        return text.minutes(TERABYTE / value) if value > 0 else ""
    return text.figure(value, table.unit, table.kind)
