"""Pages of an experiment that was measured under several kernels: each identity leads to the others."""

from datetime import datetime

from spindlemark.site import experiments


def row(experiment, day, testbed="loop"):
    return {"testbed": testbed, "family": "f", "experiment": experiment, "started_at": datetime(2026, 11, day)}


RECORDS = {
    ("xfs", "a"): [row("xfs", 28), row("xfs", 28)],
    ("xfs", "b"): [row("xfs", 27)],
    ("xfs", "c"): [row("xfs", 27, "hdd")],
    ("ext4", "d"): [row("ext4", 27)],
}
PATHS = {key: f"experiment/{'-'.join(key)}/" for key in RECORDS}


def test_identities_of_one_experiment_and_testbed_belong_together():
    same = experiments.same_experiment(RECORDS)
    assert same["xfs", "a"] == same["xfs", "b"] == [("xfs", "a"), ("xfs", "b")]
    assert same["xfs", "c"] == [("xfs", "c")] and same["ext4", "d"] == [("ext4", "d")]


def test_a_page_leads_to_the_others_with_their_days():
    same = experiments.same_experiment(RECORDS)
    found = experiments.others(("xfs", "a"), same["xfs", "a"], RECORDS, PATHS)
    assert found == [{"path": "experiment/xfs-b/", "day": "2026-11-27", "n": 1}]
    assert experiments.others(("ext4", "d"), same["ext4", "d"], RECORDS, PATHS) == []
