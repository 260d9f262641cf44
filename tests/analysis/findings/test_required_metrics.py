"""What a choice needs: subjects that had less are never advised, and workloads read as the questions speak of them."""

from pathlib import Path

import pytest

from factory import experiment
from findings_data import Lab
from spindlemark.analysis.findings import labels
from spindlemark.core.record import Experiment, Part

SHARES, COSTS = "kill_saved_ratio", "edit_seconds"
ASIDE, ONION = (
    "all or none, edited aside, synced",
    "all or none, onion, synced",
)  # what all have is named where it is compared


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


def _way(backup: str) -> Experiment:
    factors = {
        "task": "crash",
        "level": "yes",
        "backup": backup,
        "sync": "sync",
        "libver": "earliest",
        "commands": 2,
        "size": {"name": "549-mb", "bytes": 54_900_000},
        "filesystem": {"name": "ext4"},
    }
    return experiment(
        family="hdf5_edit", experiment=f"ext4--crash--yes--{backup}--sync--549-mb--2--earliest", factors=factors
    )


def _measured(lab: Lab, ways: dict[str, tuple[list[float], float]]):
    for backup, (saved, seconds) in ways.items():
        lab.repeated(_way(backup), {SHARES: saved, COSTS: [seconds, 1.01 * seconds, 0.99 * seconds]})
    return lab.group()


def test_what_lost_once_is_never_advised_however_fast_it_is(lab, snapshot):
    found = _measured(lab, {"copy": ([1, 0.999, 1], 0.1), "aside": ([1, 1, 1], 90.0), "onion": ([1, 1, 1], 200.0)})
    advice = found.recommendation
    assert [option.configuration for option in advice.options] == [ASIDE, ONION]
    snapshot([*found.notes, advice.statements[0]])
    assert advice.scores.keys() == {ASIDE, ONION} == set(advice.weighing.configurations)


def test_what_lost_all_is_not_advised_either(lab, snapshot):
    """No share at all is a share too: without it nothing would be said about what was lost."""
    found = _measured(lab, {"copy": ([0, 0, 0], 0.3), "aside": ([1, 1, 1], 90.0), "onion": ([1, 1, 1], 200.0)})
    assert [option.configuration for option in found.recommendation.options] == [ASIDE, ONION]
    saved = next(table for table in found.metrics if table.metric == SHARES)
    task = next(task for task in found.recommendation.tasks if task.metric == SHARES)
    assert task.counted
    snapshot([saved.statement, task.note])


def test_one_that_is_left_is_the_choice(lab, snapshot):
    advice = _measured(lab, {"copy": ([0.9, 1, 1], 0.1), "aside": ([1, 1, 1], 90.0)}).recommendation
    assert [option.configuration for option in advice.options] == [ASIDE]
    snapshot(advice.statements)


def test_nothing_is_advised_where_all_lost(lab, snapshot):
    found = _measured(lab, {"copy": ([0.9, 0.9, 0.9], 1.0), "aside": ([0.8, 0.8, 0.8], 2.0)})
    assert found.recommendation is None
    snapshot(found.notes)


def test_a_workload_reads_as_the_questions_speak_of_it(lab, snapshot):
    found = _measured(lab, {"copy": ([1, 1, 1], 1.0), "aside": ([1, 1, 1], 2.0)})
    snapshot(found.workload_title)
    assert not found.settings  # filesystems are not what the family compares


def test_a_heading_begins_with_a_capital_letter_unless_with_a_name():
    said = {
        "filesystem.name": {"ext4+noinit": ""},
        "storage.name": {"local": "a file on the disk"},
        "way": {"read": "reading"},
    }
    told = {"filesystem.name": "ext4", "storage.name": "local", "way": "read"}
    below, local, read = Part(value="ext4", setting="noinit"), Part(value="local"), Part(value="read")
    assert labels.heading(labels.parts([below, local, read], said, told)) == "A file on the disk, reading"
    named = said | {"filesystem.name": {"ext4+noinit": "ext4"}}
    assert labels.heading(labels.parts([below, local], named, told), {"filesystem.name"}) == "ext4, a file on the disk"
    shared = named | {"filesystem.name": "a share on {}"}
    assert labels.heading(labels.parts([below, local], shared, told), {"filesystem.name"}).startswith("A share on ext4")


def test_who_was_measured_alone_has_nobody_to_be_compared_with(lab):
    found = _measured(lab, {"copy": ([1, 1, 1], 1.0)})
    alone = (
        "all or none, copy, synced is the only configuration measured here, so there is nothing to compare. "
        "Medians: Recoverable 100 % and Edit 1.00 s."
    )
    assert found.recommendation is None and alone in found.notes
