"""Image sequences: one answer for those who play them and another, from the same samples, for archives."""

from pathlib import Path

import pytest

from factory import experiment
from findings_data import Lab
from spindlemark.families import registry as families

CHOSEN = {"writer": "python", "content": "natural", "format": "540p-12-bit"}
METRICS = ("write_frames_per_second", "row_frames_per_second", "single_frames_per_second", "patch_frames_per_second")


def _measured(lab: Lab, store: str, stored: float, rate: float) -> None:
    factors = families.factors("frame_storage", {"store": store, **CHOSEN}, {"frames": 16}, 1 << 30)
    exp = experiment(
        family="frame_storage",
        testbed="loop",
        experiment="--".join(["ext4", store, *CHOSEN.values()]),
        factors={**factors, "scheduler": "none", "filesystem": {"name": "ext4", "variant": "default"}},
    )
    rates = {metric: [rate * (1 + n / 100) for n in range(4)] for metric in METRICS}
    lab.repeated(exp, {**rates, "stored_bytes": [stored] * 4})


@pytest.fixture
def groups(tmp_path: Path):
    lab = Lab(tmp_path)
    _measured(lab, "dpx", 3e9, 150.0)
    _measured(lab, "ffv1", 1.4e9, 5.0)
    return {group.question: group for group in lab.findings().groups}


def test_an_archive_keeps_what_is_small_and_a_player_what_is_fast(groups):
    assert set(groups) == {"store", "archive"}
    best = {name: group.recommendation.first for name, group in groups.items()}
    assert best == {"store": ["DPX files"], "archive": ["FFV1 in Matroska"]}
    (task,) = groups["archive"].recommendation.tasks
    assert task.metric == "stored_bytes"
    assert (
        groups["archive"]
        .recommendation.statements[0]
        .startswith(
            "In an archive, keep an image sequence as FFV1 in Matroska: this one takes 1.40 GB; "
            "its frames are read in order at 5.07 per second."
        )
    )


def test_other_weights_are_another_workload_with_a_page_of_its_own(groups):
    store, archive = groups["store"], groups["archive"]
    assert (
        archive.library == f"{store.library}--archive" and archive.workload_title == f"{store.workload_title}, archive"
    )
    assert archive.group == f"{store.group}-archive"
