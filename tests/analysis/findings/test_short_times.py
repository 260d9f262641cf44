"""Times that are shorter than a clock tells apart: what may still be said of them."""

from pathlib import Path

import pytest

from factory import named
from factory_families import configured
from findings_data import Lab


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


def test_a_step_that_is_too_short_has_no_rank_and_neither_has_its_rate(lab):
    values = {"copy_seconds": [0.01, 0.011, 0.012], "copy_files_per_second": [10.0, 11.0, 12.0]}
    lab.measured("ext4", values)
    lab.measured("xfs", {name: [2 * v for v in each] for name, each in values.items()})
    for metric in values:
        table = lab.table(metric)
        assert not table.ranked and table.pairs == []
        assert all(text in table.why_unranked for text in ("200 ms", "22.0 ms"))
        assert table.why_unranked in table.statement
        assert {(c.rank, c.tier, c.ratio) for c in table.cells} == {(None, None, None)}


def test_one_long_enough_median_ranks_the_step(lab):
    lab.measured("ext4", {"copy_seconds": [0.01] * 3})
    lab.measured("xfs", {"copy_seconds": [0.3] * 3})
    assert lab.table().ranked


def test_times_that_nobody_waits_for_count_as_long_as_the_shortest_that_counts(lab, snapshot):
    """22 against 42 ms weigh nothing, also where another subject takes longer."""
    lab.measured("ext4", {"copy_seconds": [0.022, 0.023, 0.021]})
    lab.measured("xfs", {"copy_seconds": [0.042, 0.041, 0.043]})
    lab.measured("btrfs", {"copy_seconds": [0.8, 0.81, 0.79]})
    group = lab.group()
    (table,) = group.metrics
    pairs = {(pair.better, pair.worse): pair for pair in table.pairs}
    assert {(c.configuration, c.tier) for c in table.cells} == {("ext4", 1), ("xfs", 1), ("btrfs", 2)}
    assert [c.ratio for c in table.cells] == pytest.approx([1, 1, 4], rel=1e-3)
    assert {pair.verdict for pair in pairs.values()} == {None, "better"} and pairs["ext4", "btrfs"].ratio < 4.1
    assert [c.verdict for c in table.cells] == [None, None, "better"] and [c.short for c in table.cells] == [
        True,
        True,
        False,
    ]
    assert pairs["ext4", "btrfs"].short and table.shortest_seconds == 0.2 and not table.exact
    copy = next(task for task in group.recommendation.tasks if task.task == "copy")
    assert copy.note == table.note
    snapshot(table.note)


def test_what_counts_as_longer_is_never_called_equivalent_and_has_no_exact_ratio(lab, snapshot):
    lab.measured("ext4", {"copy_seconds": [0.022, 0.023, 0.021]})
    lab.measured("xfs", {"copy_seconds": [0.042, 0.041, 0.043]})
    lab.measured("btrfs", {"copy_seconds": [0.8, 0.81, 0.79]})
    group = lab.group()
    cost = next(option for option in group.recommendation.options if option.configuration == "btrfs").costs[0]
    snapshot([group.metrics[0].statement, group.recommendation.statements[0], cost])


def test_two_that_scatter_below_the_shortest_are_too_short_as_well(lab):
    """Nobody is told to measure on what cannot be told apart."""
    lab.measured("ext4", {"copy_seconds": [0.02, 0.09, 0.03]})
    lab.measured("xfs", {"copy_seconds": [0.1, 0.02, 0.04]})
    lab.measured("btrfs", {"copy_seconds": [0.2, 0.9, 4.0]})
    pair = next(pair for pair in lab.table().pairs if {pair.better, pair.worse} == {"ext4", "xfs"})
    assert pair.verdict is None and pair.need is None


def test_a_clock_of_its_own_tells_shorter_times_apart(lab, snapshot):
    """17 against 207 ms: a library's calls, which no start of a process is in; commands of the same length are not ranked."""
    for format_, seconds in (("otio", 0.017), ("aaf", 0.12)):
        exp = configured("project_exchange", "ext4", f"{format_}--clips", testbed="ram")
        exp = exp.model_copy(
            update=named(f"{format_}--clips") | {"factors": exp.factors | {"format": {"name": format_}}}
        )
        exp.factors.pop("part1")
        lab.repeated(exp, {"write_seconds": [seconds, seconds * 1.01, seconds * 0.99]})
    table = lab.table("write_seconds")
    assert table.ranked and table.shortest_seconds == 0.02 and [c.tier for c in table.cells] == [1, 2]
    snapshot(table.statement)
