"""Observations: inodes, reserved space and format time, where there is something to say about them."""

from collections.abc import Mapping

from spindlemark.analysis.findings import table_text
from spindlemark.analysis.findings.cells import Comparable
from spindlemark.analysis.findings.configurations import default_of
from spindlemark.analysis.findings.model import Cell, MetricTable, Observation
from spindlemark.analysis.findings.table_text import find
from spindlemark.core.metric import Topic

MANY_INODES = 2.0  # fewer than so many times what is needed are worth no word
MUCH_RESERVED = 0.005  # share of the device


def observations(group: Comparable, tables: Mapping[str, MetricTable]) -> list[Observation]:
    """Everything worth knowing apart from the ranking, by topic and then in the order of the configurations."""
    return [*_inodes(group, tables), *_reserved(group, tables), *_format(group, tables)]


def _inodes(group: Comparable, tables: Mapping[str, MetricTable]) -> list[Observation]:
    """Where there are many more than needed; of a tuned configuration, where it has others than its default."""
    created, needed = (_medians(group, tables, topic) for topic in ("inodes created", "inodes needed"))
    found = []
    for s in group.configurations:
        if s.name in created and s.name in needed:
            base = default_of(s, group)
            usual = created.get(base.name) if base else None
            if created[s.name] != usual if usual else created[s.name] >= MANY_INODES * needed[s.name]:
                found.append(
                    Observation(
                        topic="inodes",
                        configuration=s.name,
                        statement=table_text.of_inodes(s.name, created[s.name], needed[s.name]),
                    )
                )
    return found


def _reserved(group: Comparable, tables: Mapping[str, MetricTable]) -> list[Observation]:
    size = group.device_bytes
    if not size:  # a network without a disk has 0 bytes
        return []
    kept = _medians(group, tables, "reserved space")
    found = []
    for s in group.configurations:
        base = default_of(s, group)
        like_default = base is not None and kept.get(base.name) == kept.get(s.name)
        if kept.get(s.name, 0) >= MUCH_RESERVED * size and not like_default:
            found.append(
                Observation(
                    topic="reserved",
                    configuration=s.name,
                    statement=table_text.of_reserved(s.name, kept[s.name], kept[s.name] / size),
                )
            )
    return found


def _format(group: Comparable, tables: Mapping[str, MetricTable]) -> list[Observation]:
    """One sentence: how long the slowest takes, against the fastest where that difference is supported."""
    table = _table(group, tables, "format time")
    if table is None or len(table.cells) < 2:
        return []
    slowest = max(table.cells, key=lambda cell: (cell.median, cell.configuration))
    fastest = min(table.cells, key=lambda cell: (cell.median, cell.configuration))
    return [
        Observation(topic="format", configuration=slowest.configuration, statement=statement)
        for statement in _of_format(table, slowest, fastest)
    ]


def _of_format(table: MetricTable, slowest: Cell, fastest: Cell) -> list[str]:
    if not table.ranked:
        return [table_text.of_short_format(slowest)]
    pair = find(table.pairs, slowest.configuration, fastest.configuration)
    supported = pair is not None and pair.supported and pair.worse == slowest.configuration
    return [table_text.of_format(slowest, fastest)] if supported else []


def _medians(group: Comparable, tables: Mapping[str, MetricTable], topic: Topic) -> dict[str, float]:
    table = _table(group, tables, topic)
    return {cell.configuration: cell.median for cell in table.cells} if table else {}


def _table(group: Comparable, tables: Mapping[str, MetricTable], topic: Topic) -> MetricTable | None:
    """The table of the metric that the family declares for a topic."""
    return next((tables[name] for name, each in group.declared.items() if each.topic == topic and name in tables), None)
