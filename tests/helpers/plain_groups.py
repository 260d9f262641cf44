"""Tables and groups with given medians, for tests of labels, addresses, differences and pages."""

from collections.abc import Mapping

from spindlemark.analysis.findings.model import Cell, Findings, Group, MetricTable


def table(metric: str, medians: Mapping[str, float], **changes) -> MetricTable:
    """A metric with three equal samples of each configuration (name -> median), in seconds unless `changes` say otherwise."""
    cells = [
        Cell(
            configuration=name,
            experiment=name,
            identity=name,
            n=3,
            samples=[value] * 3,
            noisy=[False] * 3,
            median=value,
            low=value,
            high=value,
            stable=True,
        )
        for name, value in medians.items()
    ]
    plain = {"title": metric, "unit": "s", "better": "lower", "ranked": True, "why_unranked": None, "statement": ""}
    return MetricTable(metric=metric, cells=cells, pairs=[], **plain | changes)


def group(
    testbed: str,
    family: str,
    library: str,
    subjects: tuple[str, ...] = ("ext4",),
    metric: str = "m_seconds",
    slug: str | None = None,
    own: MetricTable | None = None,
    **facts,
) -> Group:
    """A group with one metric: its `own`, or one that is 1 s for all of its subjects."""
    return Group(
        group=slug or f"{testbed}--{library}",
        testbed=testbed,
        family=family,
        library=library,
        library_factors={},
        conditions=facts,
        configurations=list(subjects),
        metrics=[own or table(metric, dict.fromkeys(subjects, 1.0))],
        absent=[],
        notes=[],
        recommendation=None,
    )


def findings(*groups: Group) -> Findings:
    return Findings(
        confidence=0.95,
        practical_threshold=0.05,
        shortest_rankable_seconds=0.2,
        relative_width=0.2,
        groups=list(groups),
    )
