"""Evidence: what is weighed in a group, and what groups borrow from each other at each look."""

import numpy as np
import pytest

import factory
from findings_data import DECLARED, Lab
from spindlemark.analysis.findings import samples, tables
from spindlemark.analysis.findings.blocks import WEIGHTED
from spindlemark.analysis.findings.evidence import Evidence, gather
from spindlemark.config import questions

STEPS = ("copy_seconds", "check_seconds")
LIBRARIES = ("picture", "sound", "video", "frames")


def _evidence(lab: Lab) -> dict[str, Evidence]:
    lab.findings()
    asked = questions.load()
    groups = samples.read(lab.root / "x.duckdb", asked)
    found = gather(groups, asked, [tables.unranked(group, DECLARED) for group in groups], DECLARED)
    return {each.group.library: each for each in found}


def test_workloads_borrow_from_each_other(tmp_path):
    lab, rng = Lab(tmp_path), np.random.default_rng(1)
    for library in LIBRARIES:
        for subject in ("ext4", "xfs"):
            lab.repeated(
                factory.experiment(subject, library),
                {step: np.exp(rng.normal(0, 0.1, 3)).tolist() for step in STEPS},
            )
    assert _evidence(lab)["picture"].spreads["copy_seconds"].freedom[0] > 2  # alone it had 2


def test_what_is_weighed_has_its_own_thresholds_and_subjects(tmp_path):
    lab = Lab(tmp_path)
    for subject in ("ext4", "xfs", "btrfs"):
        values = {step: [1.0, 1.1, 1.2] for step in STEPS} | {"space_overhead_ratio": [1.0, 1.1, 1.2]}
        lab.measured(subject, values if subject != "btrfs" else {"copy_seconds": [1.0, 1.1, 1.2]})
    each = _evidence(lab)["picture"]
    assert {c.name: round(float(np.expm1(c.threshold)), 9) for c in each.counted} == {
        "copy": 0.1,
        "check": 0.1,
        "space": 0.02,
    }
    assert 0.02 < np.expm1(each.threshold) < 0.1
    assert [each.group.configurations[place].name for place in each.able] == ["ext4", "xfs"]
    assert len(each.matrices[WEIGHTED].values) == 2 and len(each.matrices["copy_seconds"].values) == 3


@pytest.mark.parametrize(("rounds", "kept"), [(4, 4), (7, 4)])
def test_tasks_that_were_disturbed_in_different_rounds_are_still_weighed(tmp_path, rounds, kept):
    """Each task leaves out one round of its own; of four rounds one would be left in common, of seven four."""
    lab, names = Lab(tmp_path), (*STEPS, "delete_seconds")
    for subject in ("ext4", "xfs"):
        lab.measured(subject, {name: [1.0 + 0.1 * n for n in range(rounds)] for name in names})
    lab.findings()
    asked = questions.load()
    (group,) = samples.read(lab.root / "x.duckdb", asked)
    for place, name in enumerate(names):
        group.configurations[0].metrics[name].noisy[place] = True
    (each,) = gather([group], asked, [tables.unranked(group, DECLARED)], DECLARED)
    assert each.matrices[WEIGHTED].counts.tolist() == [kept, kept]
    assert each.matrices["copy_seconds"].counts.tolist() == [rounds - 1] * 2
