"""Groups with equal results, for tests of labels, addresses and differences."""

from spindlemark.analysis.findings.model import Cell, Findings, Group, MetricTable


def group(
    testbed: str,
    family: str,
    library: str,
    subjects: tuple[str, ...] = ("ext4",),
    metric: str = "m_seconds",
    slug: str | None = None,
    **facts,
) -> Group:
    cells = [
        Cell(
            configuration=s,
            experiment=f"{s}--{library}",
            identity=s,
            n=3,
            samples=[1.0] * 3,
            noisy=[False] * 3,
            median=1.0,
            low=1.0,
            high=1.0,
            stable=True,
        )
        for s in subjects
    ]
    table = MetricTable(
        metric=metric,
        title=metric,
        unit="s",
        better="lower",
        ranked=True,
        why_unranked=None,
        cells=cells,
        pairs=[],
        statement="",
    )
    return Group(
        group=slug or f"{testbed}--{library}",
        testbed=testbed,
        family=family,
        library=library,
        library_factors={},
        conditions=facts,
        configurations=list(subjects),
        metrics=[table],
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
