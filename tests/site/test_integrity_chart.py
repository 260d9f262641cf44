"""The chart of damaged blocks: one row for each configuration, one column for each place and kind of fault."""

from chart_findings import made
from spindlemark.families import registry as families
from spindlemark.site.charts import integrity
from spindlemark.site.charts import registry as charts

SCALE = {"bits": 4, "sectors": 2, "files": 10}


def damaged(filesystem, copies, place, fault, outcomes):
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
        return {"filesystem": filesystem, "copies": copies} | chosen, factors, values, kept

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
