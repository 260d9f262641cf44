"""Comparisons with a baseline made by hand: one of each question. judged.py puts them next to the groups."""

from judged_groups import KERNELS, NEED, N
from spindlemark.analysis.findings.model import Contrast, Contrasts


def contrasts() -> list[Contrasts]:
    lifecycle = {"family": "filesystem_lifecycle", "library": "picture", "workload_title": "Pictures"}
    return [
        _contrast(
            "setting",
            "ext4+m0",
            "ext4",
            "gain",
            same="picture",
            same_title="picture",
            testbed="loop",
            group="loop--picture",
            **lifecycle,
        ),
        _contrast(
            "scheduler",
            "ext4@bfq",
            "ext4",
            "undecided",
            same="picture",
            same_title="picture",
            testbed="loop",
            group="loop--picture",
            **lifecycle,
        ),
        _contrast(
            "kernel",
            KERNELS["vm-6.12"],
            KERNELS["vm"],
            "loss",
            same="ext4--picture",
            same_title="ext4",
            testbed="vm",
            group="vm-6.12--picture",
            sides={kernel: bed for bed, kernel in KERNELS.items()},
            emulated=True,
            **lifecycle,
        ),
        _contrast(
            "cache",
            "cached",
            "direct",
            "equivalent",
            same="ext4--one-1gb",
            same_title="ext4",
            testbed="loop",
            family="file_creation",
            library="one-1gb",
            workload_title="one 1 GB",
        ),
    ]


def _contrast(question: str, subject: str, baseline: str, side: str, **how) -> Contrasts:
    verdict = side if side in ("equivalent", "undecided") else "better"
    ratio = {"gain": 1.3, "loss": 0.7}.get(side, 1.01)
    rows = [
        Contrast(
            configuration=subject,
            baseline=baseline,
            metric=metric,
            title=title,
            unit=unit,
            median=2.0,
            n=N,
            baseline_median=2.0 * ratio,
            baseline_n=N,
            ratio=ratio,
            low=ratio * 0.97,
            high=ratio * 1.03,
            p=0.01,
            verdict=verdict,
            side=side if verdict == "better" else "level",
            need=NEED if verdict == "undecided" else None,
            statement="",
        )
        for metric, title, unit in ((None, "All weighted tasks", ""), ("copy_seconds", "Copy", "s"))
    ]
    return Contrasts(
        question=question, title="", baseline=baseline, rows=rows, statement=f"{question}: made by hand.", **how
    )
