"""Sessions: one answer from all of one machine, what each of them says, and how far costs move between them."""

from pathlib import Path

import numpy as np
import pytest

import factory
from findings_data import DECLARED, Lab, run
from spindlemark.analysis.findings import samples, tables
from spindlemark.analysis.findings.blocks import WEIGHTED
from spindlemark.analysis.findings.evidence import Evidence, gather
from spindlemark.config import questions

STEPS = ("copy_seconds", "check_seconds", "delete_seconds")


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


def _session(lab: Lab, number: int, noise: float = 0.02, library: str = "picture", **factors: float) -> None:
    """Three rounds of each subject in a session of its own."""
    rng = np.random.default_rng((number, len(library)))
    for subject, factor in factors.items():
        values = {step: (factor * np.exp(rng.normal(0, noise, 3))).tolist() for step in STEPS}
        lab.repeated(
            factory.experiment(subject, library),
            values,
            first=1 + 3 * number,
            change=run(f"run{number}", f"day{number}"),
        )


def test_one_session_says_that_it_is_alone(lab, snapshot):
    _session(lab, 0, ext4=1.0, xfs=2.0)
    group = lab.group()
    assert (group.session, group.sessions) == ("day0", ["day0"]) and group.recommendation.same_order == 1
    assert not any(cell.session_medians for cell in group.cells("copy_seconds"))
    snapshot(group.recommendation.statements[1])


def test_sessions_are_one_answer_and_say_what_each_of_them_found(lab, snapshot):
    for number in range(3):
        _session(lab, number, ext4=1.0 + number, xfs=2.0 + 2 * number)
    group = lab.group()
    advice = group.recommendation
    assert (group.group, group.session, group.sessions) == ("loop--picture", "day2", ["day0", "day1", "day2"])
    assert advice.verdict == "better" and [each.rounds for each in advice.replicates] == [3, 3, 3]
    assert all(
        each.ratios["ext4"] == 1 and each.ratios["xfs"] == pytest.approx(2, rel=0.05) for each in advice.replicates
    )
    cells = {cell.configuration: cell for cell in group.cells("copy_seconds")}
    assert cells["ext4"].n == 9 and cells["ext4"].session_medians == pytest.approx([1, 2, 3], rel=0.05)
    snapshot(advice.statements[1])


def test_sessions_that_contradict_each_other_decide_nothing(lab, snapshot):
    for number, (ext4, xfs) in enumerate(((1.0, 1.5), (1.5, 1.0))):
        _session(lab, number, ext4=ext4, xfs=xfs)
    advice = lab.group().recommendation
    assert advice.verdict == "undecided" and advice.same_order == 1
    snapshot(advice.statements[1])


def test_a_difference_of_one_session_is_not_one_of_the_machine_if_sessions_differ_as_much(lab):
    """Three sessions with a lead of 30, -1 and 2 %: rounds alone would be sure, sessions are not."""
    for number, factor in enumerate((1.3, 0.99, 1.02)):
        _session(lab, number, noise=0.002, ext4=1.0, xfs=factor)
    evidence = _evidence(lab)[0]
    advice = lab.group().recommendation
    pair = advice.pairs[0]
    assert evidence.between[WEIGHTED].variance ** 0.5 > 0.03 and advice.verdict == "undecided"
    assert pair.low < 1 < pair.ratio == pytest.approx(1.1, abs=0.02)


def test_a_disturbed_session_takes_no_answer_away(lab):
    _session(lab, 0, ext4=1.0, xfs=2.0)
    _session(lab, 1, noise=0.2, ext4=1.0, xfs=2.0)
    assert lab.group().recommendation.verdict in ("better", "slightly_better")


def test_another_kernel_is_another_session_and_another_machine_another_answer(lab):
    for name, changed in (("kernel", "6.19.0-test"), ("host", "0123456789ab")):
        for subject, factor in (("ext4", 1.0), ("xfs", 2.0)):
            plain = factory.experiment(subject)
            lab.repeated(
                factory.experiment(subject, fingerprint=plain.fingerprint | {name: changed}),
                {step: [factor, factor * 1.02, factor * 0.99] for step in STEPS},
                change=run(name, name),
            )
            lab.repeated(
                plain, {step: [factor, factor * 1.01, factor * 0.98] for step in STEPS}, change=run("first", "first")
            ) if name == "kernel" else None
    groups = {frozenset(group.sessions): group for group in lab.findings().groups}
    assert set(groups) == {frozenset({"first", "kernel"}), frozenset({"host"})}
    assert "6.19.0-test" in groups[frozenset({"first", "kernel"})].conditions["kernel"]


def _evidence(lab: Lab) -> list[Evidence]:
    lab.findings()
    asked = questions.load()
    groups = [g for g in samples.read(lab.root / "x.duckdb", asked) if g.baseline is None]
    declared = DECLARED.model_copy(update={"session_spread": 0.1})
    return gather(groups, asked, [tables.unranked(g, declared) for g in groups], declared)


def _spreads(lab: Lab) -> list[list[float]]:
    return [[each.between[task.task.metric].variance for task in each.counted] for each in _evidence(lab)]


def test_one_session_leaves_what_is_declared_up_to_the_scatter_of_repetitions(lab):
    _session(lab, 0, noise=0.3, ext4=1.0, xfs=2.0)
    assert _spreads(lab) == [[pytest.approx(0.01)] * 3]
    quiet = Lab(lab.root / "quiet")
    _session(quiet, 0, noise=0.01, ext4=1.0, xfs=2.0)
    assert np.sqrt(_spreads(quiet)).max() < 0.03


def test_what_never_scatters_is_moved_by_no_session(lab):
    for subject, factor in (("ext4", 1.0), ("xfs", 2.0)):
        values = {step: [factor] * 3 if step == "copy_seconds" else [1.0, 1.1 * factor, 0.9] for step in STEPS}
        lab.repeated(factory.experiment(subject), values, change=run("run", "day"))
    assert [spread > 0 for spread in _spreads(lab)[0]] == [False, True, True]


def test_enough_sessions_tell_how_far_costs_move(lab):
    """Each subject's cost moves by 0.2 (a standard deviation of its logarithm) from one session to the next."""
    rng = np.random.default_rng(1)
    names = ("ext3", "ext4", "xfs", "btrfs")
    for number in range(12):
        _session(lab, number, **dict(zip(names, np.exp(rng.normal(0, 0.2, 4)), strict=True)))
    found = np.sqrt(_spreads(lab))
    assert found.shape == (1, 3) and found == pytest.approx(np.full((1, 3), 0.2), rel=0.5)
    calm = Lab(lab.root / "calm")
    for number in range(12):
        _session(calm, number, **dict.fromkeys(names, 1.0))
    assert np.sqrt(_spreads(calm)).max() < 0.04  # of 0.1 that are declared


def test_a_table_says_how_far_repetitions_and_sessions_scatter(lab):
    """ISO 5725: two results differ by less than 2.77 standard deviations in 95 % of cases."""
    rng = np.random.default_rng(3)
    for number in range(8):
        _session(lab, number, noise=0.05, **dict(zip(("ext4", "xfs"), np.exp(rng.normal(0, 0.1, 2)), strict=True)))
    found = lab.table().precision
    assert found.repetition > 0.04 and found.session == pytest.approx(0.1, rel=0.6)
    assert found.repeatability == pytest.approx(np.expm1(2.772 * found.repetition), rel=1e-3)
    assert found.reproducibility == pytest.approx(np.expm1(2.772 * np.hypot(found.repetition, found.session)), rel=1e-3)


def test_what_never_scatters_has_no_precision(lab):
    for subject, factor in (("ext4", 1.0), ("xfs", 2.0)):
        lab.repeated(factory.experiment(subject), {"copy_seconds": [factor] * 3}, change=run("run", "day"))
    assert lab.table().precision is None
