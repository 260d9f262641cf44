"""The table of features has the candidates alone, each cell with its documentation."""

from types import SimpleNamespace

from spindlemark import config
from spindlemark.site import features

FILESYSTEMS = config.load().filesystems


def group(*candidates, configurations=()):
    return SimpleNamespace(candidates=list(candidates), configurations=list(configurations or candidates))


def test_each_feature_has_a_cell_for_each_candidate_with_its_source():
    found = features.table(group("xfs", "btrfs", configurations=["ext3", "xfs", "btrfs"]), FILESYSTEMS)
    assert found["columns"] == ["XFS", "Btrfs"]
    rows = {row["title"]: [cell["value"] for cell in row["cells"]] for row in found["rows"]}
    assert rows["Snapshots"] == ["no", "yes"] and len(rows) == 7
    assert all(cell["source"].startswith("https://") for row in found["rows"] for cell in row["cells"])


def test_without_two_filesystems_that_declare_them_there_is_none():
    assert features.table(group("ext4"), FILESYSTEMS) is None
    assert features.table(group("nginx", "caddy"), FILESYSTEMS) is None
    assert features.table(group("ext4", "jfs"), FILESYSTEMS) is None


def test_every_filesystem_that_quick_recommends_declares_them():
    named = {
        name
        for each in config.load().experiments["filesystem_lifecycle"].sets
        if each.profiles is None or "quick" in each.profiles
        for name in each.factors["filesystem"]
    }
    assert all(FILESYSTEMS[name].features for name in named) and len(named) >= 3


def test_data_checksums_are_said_once():
    for each in FILESYSTEMS.values():
        if each.features:
            assert (each.features.data_checksums.value == "yes") == each.data_checksums
