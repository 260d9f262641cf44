"""Times that count as longer than they took, as pages show them: never with an exact ratio."""

import pytest

from findings_data import Lab
from spindlemark.site import evidence, verdict_labels


@pytest.fixture
def table(tmp_path):
    lab = Lab(tmp_path)
    for subject, seconds in (("ext4", 0.02), ("xfs", 0.04), ("btrfs", 0.8)):
        lab.measured(subject, {"copy_seconds": [seconds, seconds * 1.01, seconds * 0.99]})
    return lab.table()


def test_a_ratio_to_what_is_short_is_a_bound_and_two_short_ones_have_none(table):
    assert [evidence.against_best(cell, table)["ratio"] for cell in table.cells] == ["1.00×", "too short", "≥ 4.00×"]
    assert evidence.against_best(table.cells[2], table)["ratio_interval"].startswith("≥ 3.")
    assert verdict_labels.of_table(table) is None


@pytest.mark.parametrize(
    ("value", "short", "told"), [(2.0, False, "2.00×"), (2.0, True, "≥ 2.00×"), (0.5, True, "≤ 0.50×")]
)
def test_a_bound_says_on_which_side_the_truth_lies(value, short, told):
    assert evidence.counted(value, 0.9 * value, 1.1 * value, short, False)["ratio"] == told
