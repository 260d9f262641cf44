"""Why an answer changed between two versions."""

import pytest

from factory_families import configured
from findings_data import Lab
from spindlemark.analysis.findings.model import Findings
from spindlemark.site import difference_answers


@pytest.fixture
def findings(tmp_path) -> Findings:
    lab = Lab(tmp_path)
    for subject, cost in (("ext4", 1.0), ("xfs", 2.0)):
        lab.repeated(
            configured("aging", subject), {"read_kept_ratio": [1 / cost] * 3, "aged_streams_count": [10 / cost] * 3}
        )
    return lab.findings()


def changed(findings: Findings, **values) -> Findings:
    """The findings with another leading configuration, and with other values of the group."""
    (group,) = (g for g in findings.groups if g.recommendation)
    advice = group.advice.model_copy(update={"first": ["xfs"]} | values.pop("advice", {}))
    return findings.model_copy(update={"groups": [group.model_copy(update={"recommendation": advice} | values)]})


def why(findings: Findings, **values) -> str:
    (row,) = difference_answers.answers(changed(findings, **values), findings)
    return row["why"]


def test_the_same_answer_has_no_reason(findings):
    (row,) = difference_answers.answers(findings, findings)
    assert row["why"] == "" and row["old"] == row["new"]


def test_what_differs_is_the_reason(findings):
    (group,) = findings.groups
    assert why(findings) == "other statistics"
    tasks = [task.model_copy(update={"weight": 2 * task.weight}) for task in group.advice.tasks]
    before = ", ".join(f"{task.title} {task.weight:g}" for task in group.advice.tasks)
    assert why(findings, advice={"tasks": tasks}).startswith(f"weights: {before} before, ")
    assert why(findings, conditions=group.conditions | {"method": 9}).endswith("before, 9 now")
    assert why(findings, conditions=group.conditions | {"kernel": "7.0"}) == "another machine or kernel"
    fewer = [t.model_copy(update={"cells": t.cells[:1]}) for t in group.metrics]
    assert why(findings, metrics=fewer) == "6 repetitions before, 3 now"
