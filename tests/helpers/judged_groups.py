"""Groups of findings made by hand: their tables, cells and recommendations. judged.py says which there are."""

from spindlemark.analysis.findings.model import (
    Cell,
    FilesystemSettings,
    Group,
    MetricTable,
    Need,
    Option,
    Pair,
    Recommendation,
    Sessions,
    Task,
    Weighing,
)

N = 6
NEED = Need(rounds=4, seconds=720.0)
SUBJECTS = ("xfs", "ext4", "btrfs")
SLOWER = {"xfs": 1.0, "ext4": 1.02, "btrfs": 1.5, "ext4+m0": 0.9, "ext4@bfq": 1.1}
KERNELS = {"vm": "6.1.0-test", "vm-6.12": "6.12.0-test"}
WEIGHING = Weighing(
    configurations=list(SUBJECTS),
    tasks=["copy", "check"],
    point=[[0.0, 0.02], [0.01, 0.0], [0.4, 0.5]],
    n=[6, 6, 6],
    covariance=[[0.0004, 0.0001], [0.0001, 0.0009]],
    sessions=[0.001, 0.002],
    thresholds=[0.0953, 0.0953],
    critical=2.5,
    normals=[[0.3, -0.2, 0.1], [-1.0, 0.4, 0.2], [0.8, -0.7, -0.1], [0.0, 0.1, -0.3]],
)


def _cell(
    known: dict,
    testbed: str,
    subject: str,
    workload: str,
    value: float,
    verdict: str | None,
    place: int,
    scatter: float = 0.02,
    n: int = N,
) -> Cell:
    slug = f"{subject}--{workload}"
    samples = [value * (1 + scatter * (i - n // 2) / n) for i in range(n)]
    return Cell(
        configuration=subject,
        experiment=slug,
        identity=known[testbed, slug].identity(),
        n=n,
        samples=samples,
        noisy=[False] * n,
        median=value,
        low=min(samples),
        high=max(samples),
        stable=True,
        rank=place + 1,
        tier=1 if verdict != "better" else 2,
        ratio=value / 2.0,
        ratio_low=value / 2.1,
        ratio_high=value * (500 if subject == "btrfs" else 0.6),
        verdict=verdict,
    )


def _table(
    known: dict, testbed: str, workload: str, metric: str, title: str, unit: str, subjects: tuple[str, ...], **how
) -> MetricTable:
    scatter, n = how.pop("scatter", 0.02), how.pop("n", N)
    verdicts = how.pop("verdicts", [None, "equivalent", "better", "undecided", "undecided"])
    cells = [
        _cell(known, testbed, s, workload, 2.0 * how.get("scale", 1.0) * SLOWER[s], v, i, scatter, n)
        for i, (s, v) in enumerate(zip(subjects, verdicts, strict=False))
    ]
    how.pop("scale", None)
    pairs = [
        Pair(
            better=subjects[0],
            worse=c.configuration,
            ratio=c.ratio,
            low=0.99,
            high=1.6,
            p=0.01,
            verdict=c.verdict or "undecided",
            primary=how.get("primary", True),
            need=NEED if c.verdict == "undecided" else None,
        )
        for c in cells[1:]
    ]
    return MetricTable(
        **{
            "metric": metric,
            "title": title,
            "unit": unit,
            "better": "lower",
            "ranked": True,
            "why_unranked": None,
            "cells": cells,
            "pairs": pairs,
            "statement": f"{title}: made by hand.",
        }
        | how
    )


def group(
    slug: str,
    workload: str,
    known: dict,
    advice: Recommendation | None,
    testbed: str = "loop",
    family: str = "filesystem_lifecycle",
    subjects: tuple[str, ...] = (*SUBJECTS, "ext4+m0", "ext4@bfq"),
    session: str = "",
    work: bool = False,
) -> Group:
    table = lambda *words, **how: _table(known, testbed, workload, *words, subjects, **how)  # noqa: E731
    metric, title = ("copy_seconds", "Copy") if family == "filesystem_lifecycle" else ("creation_seconds", "Create")
    metrics = [table(metric, title, "s")]
    if advice:
        metrics += [
            table("check_seconds", "Check", "s", n=3),
            table("space_overhead_ratio", "Space overhead", "1", exact=True, scatter=0.0, verdicts=[None] * 5),
            table("copy_bytes_per_second", "Copy throughput", "B/s", primary=False, verdicts=[None] * 5),
        ]
    if work:
        metrics += [
            table(
                "copy_device_written_bytes",
                "Written by copy",
                "B",
                primary=False,
                scale=1e8,
                scatter=0.001,
                verdicts=[None] * 5,
            )
        ]
    return Group(
        group=slug,
        question="filesystem",
        testbed=testbed,
        family=family,
        library=workload,
        library_factors={},
        workload_title="" if family == "filesystem_lifecycle" else workload.replace("--", ", "),
        conditions={"kernel": KERNELS.get(testbed, "6.18.0-test"), "machine.cpu": "Test CPU", "device.kind": "loop"},
        session=session,
        configurations=list(subjects),
        candidates=list(SUBJECTS),
        metrics=metrics,
        absent=[],
        notes=[] if advice else ["Only made to be seen."],
        recommendation=advice,
        settings={s: FilesystemSettings(filesystem=s.split("+")[0].split("@")[0], variant="default") for s in subjects},
    )


def advice(verdict: str, contradicting: list[str] | None = None) -> Recommendation:
    told = {
        "better": "ext4 is better than all others.",
        "equivalent": "xfs and ext4 are equivalent: take your default.",
        "undecided": "Too close to call between xfs, ext4 and btrfs.",
    }[verdict]
    against = [None, verdict, "better"]
    return Recommendation(
        verdict=verdict,
        statements=[told],
        first=list(SUBJECTS[:1] if verdict == "better" else SUBJECTS[:2]),
        tasks=[
            Task(
                task=task,
                title=title,
                description=title,
                metric=metric,
                weight=weight,
                reason="it is made by hand",
                counted=True,
                threshold=0.1,
            )
            for task, title, metric, weight in (
                ("copy", "Fill", "copy_seconds", 3),
                ("check", "Check", "check_seconds", 1),
            )
        ],
        options=[
            Option(
                option=i + 1,
                configuration=s,
                score=SLOWER[s],
                probability_best=None if verdict == "undecided" else p,
                tier=1,
                verdict=v,
                recipe=[f"mkfs.{s} DEVICE"],
                costs=["Nothing."],
            )
            for i, (s, v, p) in enumerate(zip(SUBJECTS, against, (0.9, 0.1, 0.0), strict=True))
        ],
        scores={s: SLOWER[s] for s in SUBJECTS},
        probability_best={} if verdict == "undecided" else dict(zip(SUBJECTS, (0.9, 0.1, 0.0), strict=True)),
        pairs=[
            Pair(
                better="xfs",
                worse=s,
                ratio=SLOWER[s],
                low=0.99,
                high=1.6,
                p=0.02,
                verdict=v,
                need=NEED if v == "undecided" else None,
            )
            for s, v in zip(SUBJECTS[1:], against[1:], strict=True)
        ],
        weighing=WEIGHING,
        need=NEED if verdict == "undecided" else None,
        sessions=Sessions(
            session="monday", of=2, agreeing=1 if contradicting else 2, contradicting=contradicting or []
        ),
    )
