"""Words: numbers as people write them."""

import pytest

from spindlemark.analysis.findings import recommendation_text
from spindlemark.analysis.findings import text as words
from spindlemark.analysis.findings.model import Pair
from spindlemark.analysis.format import digits


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (2.0449, "2.04"),
        (2.045001, "2.05"),
        (0.05123, "0.0512"),
        (131072, "131,000"),
        (99.96, "100"),
        (9.996, "10.0"),
        (999.7, "1,000"),
        (12.34, "12.3"),
        (-2.5, "-2.50"),
    ],
)
def test_numbers_have_three_significant_digits(value, text):
    assert digits(value) == text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (2.044, "s", "2.04 s"),
        (0.0478, "s", "47.8 ms"),
        (0.9999, "s", "1.00 s"),
        (0, "s", "0 s"),
        (1_073_741_824, "B", "1.07 GB"),
        (512, "B", "512 B"),
        (999_999, "B", "1.00 MB"),
        (3.1e8, "B/s", "310 MB/s"),
        (5312, "1/s", "5,310 per second"),
        (1.018, "1", "1.02"),
        (0, "B", "0 B"),
        (2.4e7, "bit/s", "24.0 Mbit/s"),
        (38.28, "dB", "38.3 dB"),
    ],
)
def test_quantities_have_readable_units(value, unit, text):
    assert words.quantity(value, unit) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.5, "1.50"),
        (1.004, "1.004"),
        (1.00004, "1.0000"),
        (1, "1.0000"),
        (12, "12.0"),
        (423, "423"),
        (1420.3, "1,420"),
    ],
)
def test_a_ratio_that_is_not_one_does_not_read_as_one(value, text):
    assert words.ratio(value) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0, "0 %"),
        (1, "100 %"),
        (0.95, "95 %"),
        (0.004, "less than 1 %"),
        (0.005, "less than 1 %"),
        (0.006, "1 %"),
        (0.994, "99 %"),
        (0.995, "more than 99 %"),
        (0.999, "more than 99 %"),
    ],
)
def test_shares_are_never_rounded_to_certainty(share, text):
    assert words.percent(share) == text


def test_lists_and_plurals():
    assert [words.listed(names) for names in (["a"], ["a", "b"], ["a", "b", "c"])] == ["a", "a and b", "a, b and c"]


def test_settings_after_a_comma_are_in_parentheses_in_a_list():
    assert words.some(["ext4, synced", "xfs, synced, aged", "btrfs"]) == "ext4 (synced), xfs (synced, aged) and btrfs"
    assert words.either(["btrfs, two copies", "btrfs, two disks"]) == "btrfs (two copies) or btrfs (two disks)"
    assert words.some(["ext4, synced"]) == "ext4, synced"


def test_comparisons_name_the_better_one_rightly(snapshot):
    cases = [("s", "lower"), ("B", "lower"), ("1", "lower"), ("B", "higher"), ("B/s", "higher"), ("B/s", "lower")]
    snapshot({f"{better} {unit}": words.comparison("ext4", "btrfs", 1.812, unit, better) for unit, better in cases})


def test_an_interval_says_its_confidence():
    assert words.interval(1.1, 1.333, 0.95) == "(95 % interval 1.10 to 1.33)"
    assert words.interval(1.1, 1.333, 0.999).startswith("(99.9 % interval")
    assert words.interval(1.5281, 1.5312, 0.95) == "(95 % interval narrower than the last digit)", (
        "no more digits than are known"
    )
    assert words.interval(1.1, 1.333, 0.95, least=True) == "(95 % interval: at least 1.10)"
    assert words.interval(1.4, 1.4, 0.95) == "(the same in every repetition)"
    assert words.interval(1.00002, 2.11, 0.95) == "(95 % interval just above 1 to 2.11)", (
        "a better one never reads as level"
    )


@pytest.mark.parametrize(
    ("times", "low", "high", "text"),
    [
        (1.09, 1.03, 1.16, "9 % worse than xfs (95 % interval 3 % to 16 %)"),
        (1.01, 0.96, 1.02, "1 % worse than xfs (95 % interval −4 % to 2 %)"),
        (1.003, 1.0001, 1.2, "0.3 % worse than xfs (95 % interval just above 0 % to 20 %)"),
        (1.00001, 0.9, 1.1, "less than 0.1 % worse than xfs (95 % interval −10 % to 10 %)"),
        (1.3, 1.3, 1.3, "30 % worse than xfs (the same in every repetition)"),
        (1.9, 1.5, 2.4, "90 % worse than xfs (95 % interval 50 % to 140 %)"),
        (2.53, 2.4, 2.66, "2.53 times worse than xfs (95 % interval 2.40 to 2.66)"),
    ],
)
def test_a_cost_is_worse_by_per_cent_and_from_twice_by_a_factor(times, low, high, text):
    assert words.worse(times, low, high, 0.95, "than xfs") == text


@pytest.mark.parametrize("verdict", ["better", "slightly_better"])
def test_how_sure_a_lead_is_is_in_the_sentence(verdict, snapshot):
    pair = Pair(better="xfs", worse="ext4", ratio=1.15, low=1.02, high=1.3, p=0.001, verdict=verdict)
    said = recommendation_text.of_advice(
        verdict, ["xfs", "ext4"], ["xfs"], {frozenset(("xfs", "ext4")): pair}, None, 0.95, 0.1, {}
    )
    snapshot(said)
