"""The chart of damaged blocks: one row for each configuration, one column for each place and kind of fault."""

from chart_findings import made, seen_of
from spindlemark.families import registry as families
from spindlemark.site.charts import integrity
from spindlemark.site.charts import registry as charts

SCALE = {"bits": 4, "sectors": 2, "files": 10}


def damaged(filesystem, copies, place, fault, outcomes, kernel="6.18.0-test", testbed="loop"):
    """A row for `made`: three repetitions whose faults had these outcomes."""

    def row(n):
        chosen = {"place": place, "fault": fault}
        factors = families.factors("integrity", chosen, SCALE, 1 << 30)
        factors |= {"filesystem": {"name": filesystem, "variant": "default"}, "copies": {"name": copies}}
        silent = outcomes.count("silent")
        kept = {"faults": [{"outcome": outcome} for outcome in outcomes]}
        values = {
            "honest_ratio": 1 - silent / len(outcomes),
            "intact_ratio": outcomes.count("repaired") / len(outcomes),
        }
        return {"filesystem": filesystem, "copies": copies} | chosen, factors, values, kept, kernel, testbed

    return row


def test_each_field_counts_the_outcomes_and_has_the_colour_of_the_worst(tmp_path):
    rows = [
        damaged("ext4", "one", "data", "bit", ["silent"] * 4),
        damaged("btrfs", "one", "data", "bit", ["detected"] * 4),
        damaged("btrfs", "raid1", "data", "bit", ["repaired"] * 4),
        damaged("ext4", "one", "metadata", "bit", ["repaired", "harmless", "detected", "repaired"]),
        damaged("btrfs", "one", "metadata", "bit", ["repaired", "lost", "repaired", "repaired"]),
    ]
    found, seen = made(tmp_path, "integrity", rows)
    group = next(group for group in found.groups if group.question == "filesystem")
    (matrix,) = charts.of_group(group, seen)
    assert list(matrix.columns) == ["one flipped bit, in the data of files", "one flipped bit, in metadata"]
    fields = {name: [tuple(mark) for mark in marks] for name, marks in matrix.rows}
    assert list(fields.items()) == [
        ("btrfs, two disks", [("all 12 repaired", "good"), ("not measured", "none")]),
        ("btrfs, one copy", [("all 12 detected", "partly"), ("3 filesystem lost, 9 repaired", "bad")]),
        ("ext4, one copy", [("all 12 silent", "bad"), ("3 detected, 6 repaired, 3 harmless", "partly")]),
    ]
    assert matrix.caption == integrity.CAPTION


def test_faults_under_each_kernel_are_counted(tmp_path):
    rows = [
        damaged("ext4", "one", "data", "bit", ["silent"] * 4),
        damaged("ext4", "one", "data", "bit", ["silent"] * 4, kernel="6.19.0-test"),
        damaged("xfs", "one", "data", "bit", ["silent"] * 4),
    ]
    found, seen = made(tmp_path, "integrity", rows)
    group = next(group for group in found.groups if group.question == "filesystem")
    (matrix,) = charts.of_group(group, seen)
    fields = {name: [mark.word for mark in marks] for name, marks in matrix.rows}
    assert fields == {"ext4, one copy": ["all 24 silent"], "xfs, one copy": ["all 12 silent"]}


def test_other_testbeds_have_rows_with_their_names(tmp_path):
    rows = [
        damaged("ext4", "one", "data", "bit", ["silent"] * 4),
        damaged("xfs", "one", "data", "bit", ["silent"] * 4),
        damaged("zfs", "raid1", "data", "bit", ["repaired"] * 4, testbed="vm"),
        damaged("ext4", "one", "data", "bit", ["silent"] * 4, testbed="vm"),
    ]
    found, _ = made(tmp_path, "integrity", rows)
    groups = [g.model_copy(update={"session": "older"}) if g.testbed == "vm" else g for g in found.groups]
    seen = seen_of(found.model_copy(update={"groups": groups}), tmp_path)
    (matrix,) = charts.of_group(next(g for g in groups if g.testbed == "loop"), seen)
    assert [(name, marks[0].word) for name, marks in matrix.rows] == [
        ("zfs, two disks (virtual machine, Linux 6.1)", "all 12 repaired"),
        ("ext4, one copy", "all 12 silent"),
        ("ext4, one copy (virtual machine, Linux 6.1)", "all 12 silent"),
        ("xfs, one copy", "all 12 silent"),
    ]


def test_a_lone_configuration_has_the_name_that_it_has_in_comparisons(tmp_path):
    lone = _names(tmp_path / "a", "integrity", [damaged("f2fs", "one", "metadata", "sector", ["detected"] * 4)])
    compared = _names(
        tmp_path / "b",
        "integrity",
        [damaged(name, "one", "metadata", "sector", ["detected"] * 4) for name in ("f2fs", "xfs")],
    )
    assert lone == {"f2fs, one copy"} and compared == {"f2fs, one copy", "xfs, one copy"}


def test_a_name_does_not_say_the_scheduler_that_all_have(tmp_path):
    def recorded(n):
        chosen = {"sync": "fsync-1-s", "rate": "10-mbit"}
        scale = {"seconds": 40, "earliest_seconds": 35, "cuts": 2}
        factors = families.factors("recording_survival", chosen, scale, 1 << 40)
        factors |= {"filesystem": {"name": "f2fs", "variant": "default"}, "scheduler": "none"}
        return {"filesystem": "f2fs"} | chosen, factors, {"recording_lost_seconds": 1.0}

    assert _names(tmp_path, "recording_survival", [recorded]) == {"f2fs, fsync each 1 s"}


def _names(folder, family, rows):
    """The names of the configurations in the groups of the family's first question."""
    found, _ = made(folder, family, rows)
    first = found.groups[0].question
    return {name for group in found.groups if group.question == first for name in group.configurations}
