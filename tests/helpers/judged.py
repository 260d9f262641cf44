"""Findings of format 2, made by hand: all three verdicts, exact facts, needs, sessions, and every question with a baseline.

Nothing is computed: each page is compared with what is declared here. The records behind it are synthetic.
"""

from pathlib import Path

import factory
import factory_families
import judged_contrasts
from judged_groups import KERNELS, SUBJECTS, WEIGHING, N, advice, group
from spindlemark.analysis.findings.model import Findings

__all__ = ["WEIGHING", "experiments", "findings", "records"]


def experiments() -> dict[tuple[str, str], object]:
    """(testbed, slug) -> the experiment behind it."""
    found = [
        factory_families.configured("filesystem_lifecycle", subject, library)
        for library in ("picture", "sound", "video")
        for subject in (*SUBJECTS, "ext4+m0", "ext4@bfq")
    ]
    found += [
        factory_families.configured("file_creation", subject, f"one-1gb--{cache}")
        for subject in ("ext4", "xfs")
        for cache in ("direct", "cached")
    ]
    found += [
        factory_families.in_machine(factory_families.configured("filesystem_lifecycle", "ext4", "picture"), bed)
        for bed in KERNELS
    ]
    return {(exp.testbed, exp.experiment): exp for exp in found}


def records(root: Path) -> list[Path]:
    return [path for exp in experiments().values() for path in factory.write(root, exp, N)]


def findings() -> Findings:
    known = experiments()
    groups = [
        group("loop--picture", "picture", known, advice("better"), session="monday", work=True),
        group(
            "loop--sound",
            "sound",
            known,
            advice("equivalent", contradicting=["loop--sound--0a1b2c"]),
            session="monday",
        ),
        group("loop--sound--0a1b2c", "sound", known, advice("better"), session="sunday"),
        group("loop--video", "video", known, advice("undecided"), session="monday"),
        *(
            group(
                f"loop--file_creation--one-1gb-{cache}",
                f"one-1gb--{cache}",
                known,
                None,
                family="file_creation",
                subjects=("ext4", "xfs"),
            )
            for cache in ("cached", "direct")
        ),
        *(group(f"{bed}--picture", "picture", known, None, testbed=bed, subjects=("ext4",)) for bed in KERNELS),
    ]
    return Findings(
        confidence=0.95,
        practical_threshold=0.1,
        shortest_rankable_seconds=0.2,
        relative_width=0.2,
        groups=groups,
        contrasts=judged_contrasts.contrasts(),
    )
