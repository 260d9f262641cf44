"""Nothing is read out of an experiment's name: opaque names give the same groups, titles, rankings and verdicts."""

import hashlib
import json

import numpy as np

from factory_families import configured
from findings_data import Lab
from spindlemark.core.record import Experiment

MEASURED = [
    *(configured("filesystem_lifecycle", name, "picture") for name in ("ext4", "xfs", "ext4+m0", "ext4@bfq")),
    *(configured("filesystem_lifecycle", name, "video-hd") for name in ("ext4", "xfs")),
    *(configured("file_creation", name, "many--direct") for name in ("ext4", "xfs+log64m", "btrfs")),
]
STEPS = ("copy_seconds", "check_seconds", "delete_seconds")


def _opaque(experiment: Experiment) -> Experiment:
    return experiment.model_copy(update={"experiment": hashlib.sha256(experiment.experiment.encode()).hexdigest()})


def _findings(folder, experiments: list[Experiment]) -> dict:
    folder.mkdir()
    lab, rng = Lab(folder), np.random.default_rng(7)
    for number, experiment in enumerate(experiments):
        times = {step: ((1 + number / 5) * np.exp(rng.normal(0, 0.02, 5))).tolist() for step in STEPS}
        lab.repeated(experiment, times)
    return json.loads(lab.findings().model_dump_json())


def test_opaque_names_change_no_group_title_or_verdict(tmp_path):
    readable = _findings(tmp_path / "readable", MEASURED)
    opaque = _findings(tmp_path / "opaque", [_opaque(each) for each in MEASURED])
    assert {group["group"] for group in readable["groups"]} > {"loop--picture", "loop--video-hd"}
    assert any(each["question"] == "setting" for each in readable["contrasts"])
    assert any(each["question"] == "scheduler" for each in readable["contrasts"])
    text = json.dumps(opaque)
    for each in MEASURED:
        assert _opaque(each).experiment in text
        text = text.replace(_opaque(each).experiment, each.experiment)
    assert json.loads(text) == readable
