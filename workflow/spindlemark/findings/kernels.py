"""Kernels: what another kernel changed, subject by subject, where everything else is equal."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from spindlemark.findings import statements
from spindlemark.findings.compare import bounded, chosen
from spindlemark.findings.gains import directions
from spindlemark.findings.report import KernelChange, KernelRow, KernelSide, MetricTable
from spindlemark.findings.samples import Comparable, Samples, Subject
from spindlemark.findings.settings import Recommendations
from spindlemark.findings.tables import DECIMALS, costs, floor

FEWEST = 2
KERNEL = "kernel"

Measured = tuple[Comparable, Mapping[str, MetricTable]]


class Row(NamedTuple):
    """One subject under one metric on both sides, before it is compared."""

    subject: str
    table: MetricTable
    before: Samples
    after: Samples


def kernels(measured: Sequence[Measured], titles: Mapping[str, str], declared: Recommendations) -> list[KernelChange]:
    """Each workload that was measured under two kernels, the older one first; of several, each against the next.

    `titles`: workload in words, by group. Both sides have the same conditions but for the kernel, and the testbed has
    another name.
    """
    alike: dict[tuple, list[Measured]] = defaultdict(list)
    for each in measured:
        if each[0].conditions.get(KERNEL):
            alike[_all_but_kernel(each[0])].append(each)
    changes = []
    for found in alike.values():
        found.sort(key=lambda each: (_version(str(each[0].conditions[KERNEL])), each[0].group))
        for before, after in pairwise(found):
            if before[0].conditions[KERNEL] != after[0].conditions[KERNEL] and (rows := list(_rows(before, after))):
                changes.append(_change(before[0], after[0], rows, titles[after[0].group], declared))
    return changes


def _all_but_kernel(group: Comparable) -> tuple:
    """What must be equal: everything but the kernel and the package that it comes from."""
    shared = {name: value for name, value in group.conditions.items() 
              if not any(part.startswith(KERNEL) for part in name.split("."))}
    return (group.family, group.library, repr(sorted(group.library_factors.items())), repr(sorted(shared.items())))


def _rows(before: Measured, after: Measured) -> Iterator[Row]:
    """Subjects and metrics of both sides that have a ratio, and that are long enough to be compared on one of them."""
    old = {subject.subject: subject for subject in before[0].subjects}
    for metric, table in after[1].items():
        comparable = table.better == "none" or table.ranked or (metric in before[1] and before[1][metric].ranked)
        for subject in after[0].subjects if comparable else []:
            sides = [_usable(side, metric) for side in (old.get(subject.subject), subject)]
            if all(sides):
                yield Row(subject.subject, table, *sides)


def _usable(subject: Subject | None, metric: str) -> Samples | None:
    samples = subject.metrics.get(metric) if subject else None
    if samples is None or len(samples.values) < FEWEST:
        return None
    return samples if samples.rounding is not None or min(samples.values) > 0 else None


def _change(before: Comparable, after: Comparable, rows: list[Row], title: str,
            declared: Recommendations) -> KernelChange:
    """Welch's t of each row on logarithms, adjusted for all rows; a metric's subjects tell each other's spread."""
    by_metric: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_metric[row.table.metric].append(row)
    found = [told for each in by_metric.values() for told in _compared(each, len(rows), declared)]
    sides = [KernelSide(testbed=g.testbed, kernel=str(g.conditions[KERNEL]), group=g.group) for g in (before, after)]
    return KernelChange(
        family=after.family, library=after.library, title=title, before=sides[0], after=sides[1],
        emulated=after.emulated, rows=found,
        statement=statements.of_kernel(sides[0].kernel, sides[1].kernel, found, declared.confidence))


def _compared(rows: list[Row], family: int, declared: Recommendations) -> list[KernelRow]:
    samples = [samples for row in rows for samples in (row.after, row.before)]
    differences = chosen([costs(each) for each in samples], [(2 * n, 2 * n + 1) for n in range(len(rows))],
                         declared.confidence, [floor(each) for each in samples], family)
    worse = directions(differences, declared.confidence, declared.practical_threshold)
    sign = -1 if rows[0].table.better == "higher" else 1
    ends = (differences.low, differences.high) if sign > 0 else (-differences.high, -differences.low)
    ratio, low, high = (bounded(x, DECIMALS) for x in (sign * differences.log_ratio, *ends))
    return [KernelRow(
        subject=row.subject, metric=row.table.metric, title=row.table.title, unit=row.table.unit,
        better=row.table.better,
        before=float(np.median(row.before.values)), before_n=len(row.before.values),
        after=float(np.median(row.after.values)), after_n=len(row.after.values),
        ratio=ratio[at], low=low[at], high=high[at], p=round(float(differences.p[at]), DECIMALS),
        supported=bool(worse[at]), verdict=_verdict(int(worse[at]), row.table.better),
    ) for at, row in enumerate(rows)]


def _verdict(worse: int, better: str) -> str:
    if not worse:
        return "level"
    return "changed" if better == "none" else "worse" if worse > 0 else "better"


def _version(kernel: str) -> list[int]:
    """6.12.9-amd64 after 6.1.0: the numbers in it."""
    return [int(number) for number in re.findall(r"\d+", kernel)]
