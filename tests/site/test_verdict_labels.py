"""Verdicts in words, and candidates as multiples of the first one."""

from pathlib import Path

import pytest

import factory
from findings_data import Lab, run
from spindlemark.site import verdict_labels

STEPS = ("copy_seconds", "check_seconds", "delete_seconds")


@pytest.fixture
def advice(tmp_path: Path):
    """xfs costs half as much again as ext4 in one session and 60 % more in another."""
    lab = Lab(tmp_path)
    for number, more in enumerate((1.5, 1.6)):
        for subject, factor in (("ext4", 1.0), ("xfs", more)):
            values = {step: [factor, factor * 1.02, factor * 0.99] for step in STEPS}
            lab.repeated(
                factory.experiment(subject), values, first=1 + 3 * number, change=run(f"run{number}", f"day{number}")
            )
    return lab.group().recommendation


def test_a_candidate_is_a_multiple_of_the_first_with_its_interval_and_the_range_over_sessions(advice):
    told = verdict_labels.multiple(advice, "ext4", "xfs")
    assert (told["multiple"], told["range"]) == ("1.55×", "1.50× to 1.60×")
    low, high = (float(end.rstrip("×")) for end in told["interval"].split(" to "))
    assert low < 1.55 < high
    assert verdict_labels.multiple(advice, "ext4", "ext4") == {"multiple": "1", "interval": "", "range": ""}


def test_from_the_other_side_the_multiple_is_turned_round(advice):
    told = verdict_labels.multiple(advice, "xfs", "ext4")
    assert told["multiple"] == "0.65×" and told["range"] == "0.63× to 0.67×"


def test_sessions_with_the_same_order_are_counted(advice):
    assert verdict_labels.sessions(advice, None)["text"] == "same order in 2 of 2 sessions"


def test_sessions_are_dots_on_one_line_within_the_interval(advice):
    plots = verdict_labels.plots(advice, "ext4", ["ext4", "xfs"])
    (dots,) = [plots["xfs"]["quiet"].split("M")[1:]]
    places = [int(dot.split()[0]) for dot in dots]
    assert len(places) == 2 and places[0] < plots["xfs"]["median"] < places[1]
    assert plots["xfs"]["low"] < places[0] and places[1] < plots["xfs"]["high"] and "ext4" not in plots


def test_one_session_has_no_dots(tmp_path):
    lab = Lab(tmp_path)
    for subject, factor in (("ext4", 1.0), ("xfs", 1.5)):
        lab.repeated(factory.experiment(subject), {step: [factor, factor * 1.02, factor * 0.99] for step in STEPS})
    assert verdict_labels.plots(lab.group().recommendation, "ext4", ["ext4", "xfs"]) == {}
