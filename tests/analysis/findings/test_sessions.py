"""Sessions: how many give the same answer, which contradict, and how far costs move between them."""

from pathlib import Path

import numpy as np
import pytest

import factory
from findings_data import DECLARED, Lab, run
from spindlemark.analysis.findings import recommendation_text, replication, samples, tables
from spindlemark.analysis.findings.evidence import gather
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


def _advice(lab: Lab) -> dict[str, tuple]:
    return {g.session: (g.group, g.recommendation) for g in lab.findings().groups}


def test_one_session_says_that_it_is_alone(lab, snapshot):
    _session(lab, 0, ext4=1.0, xfs=2.0)
    advice = _advice(lab)["day0"][1]
    assert (advice.sessions.of, advice.sessions.agreeing, advice.sessions.session) == (1, 1, "day0")
    snapshot(advice.statements[-1])


def test_a_sure_lead_says_why_its_probability_is_low(lab, snapshot):
    """In one session so little is sure, and says less of the next one."""
    _session(lab, 0, noise=0.001, ext4=1.0, xfs=1.12)
    advice = _advice(lab)["day0"][1]
    assert advice.verdict == "better" and advice.probability_best["ext4"] < recommendation_text.LIKELY
    snapshot(advice.statements[-1])


def test_sessions_that_agree_are_counted_and_none_holds_samples_of_another(lab, snapshot):
    for number in range(3):
        _session(lab, number, ext4=1.0 + number, xfs=2.0 + 2 * number)
    found = _advice(lab)
    assert set(found) == {"day0", "day1", "day2"} and len({group for group, _ in found.values()}) == 3
    assert not any(advice.sessions.contradicting for _, advice in found.values())
    snapshot({session: advice.statements[-1] for session, (_, advice) in found.items()})


def test_another_verdict_on_the_same_first_neither_agrees_nor_contradicts(lab, snapshot):
    _session(lab, 0, ext4=1.0, xfs=2.0)
    _session(lab, 1, noise=0.001, ext4=1.0, xfs=1.01)
    found = _advice(lab)
    for session, verdict in (("day0", "better"), ("day1", "equivalent")):
        advice = found[session][1]
        assert (advice.verdict, advice.sessions.of, advice.sessions.agreeing, advice.sessions.contradicting) == (
            verdict,
            2,
            1,
            [],
        )
        snapshot(advice.statements[-1], session)


def test_a_contradiction_is_named(lab, snapshot):
    _session(lab, 0, ext4=1.0, xfs=2.0)
    _session(lab, 1, ext4=1.0, xfs=2.0)
    _session(lab, 2, ext4=2.0, xfs=1.0)
    found = _advice(lab)
    assert found["day0"][1].sessions.contradicting == [found["day2"][0]]
    assert set(found["day2"][1].sessions.contradicting) == {found["day0"][0], found["day1"][0]}
    assert (found["day2"][1].sessions.agreeing, found["day0"][1].sessions.agreeing) == (1, 2)
    snapshot(found["day0"][1].statements[-1])


def test_an_undecided_session_contradicts_nobody_and_counts_for_nobody(lab):
    _session(lab, 0, ext4=1.0, xfs=2.0)
    _session(lab, 1, noise=0.8, ext4=1.0, xfs=1.2)
    found = _advice(lab)
    assert found["day1"][1].verdict == "undecided" and found["day1"][1].sessions.of == 0
    assert found["day0"][1].sessions.of == 1
    assert not any("session" in text for text in found["day1"][1].statements)


def test_a_spoilt_session_takes_no_answer_away(lab, snapshot):
    """The newest session leads, unless it could not decide and an earlier one did; that is said on both."""
    _session(lab, 0, ext4=1.0, xfs=2.0)
    _session(lab, 1, noise=0.8, ext4=1.0, xfs=1.2)
    first, second = lab.findings().groups
    assert (first.session, second.session) == ("day0", "day1")
    snapshot(first.recommendation.statements[-1])
    assert (second.recommendation.sessions.inconclusive, second.recommendation.sessions.decided) == (1, [first.group])
    assert not first.recommendation.sessions.decided


def test_sessions_that_contradict_leave_the_newest_first(lab):
    _session(lab, 0, ext4=1.0, xfs=2.0)
    _session(lab, 1, ext4=2.0, xfs=1.0)
    _session(lab, 2, noise=0.8, ext4=1.0, xfs=1.2)
    newest, *others = lab.findings().groups
    assert newest.session == "day2" and newest.recommendation.verdict == "undecided"
    assert {group.recommendation.verdict for group in others} == {"better"}


def test_another_machine_is_another_session_of_the_same_question(lab):
    for machine, session in (("Test CPU", "here"), ("Other CPU", "there")):
        for subject, factor in (("ext4", 1.0), ("xfs", 2.0)):
            plain = factory.experiment(subject)
            own = plain.fingerprint | {"machine": plain.fingerprint["machine"] | {"cpu": machine}}
            lab.repeated(
                factory.experiment(subject, fingerprint=own),
                {step: [factor, factor * 1.02, factor * 0.99] for step in STEPS},
                change=run(session, session),
            )
    assert {advice.sessions.of for _, advice in _advice(lab).values()} == {2}


def _spreads(lab: Lab) -> list[list[float]]:
    lab.findings()
    asked = questions.load()
    groups = [g for g in samples.read(lab.root / "x.duckdb", asked) if g.baseline is None]
    return replication.spreads(gather(groups, asked, [tables.unranked(g, DECLARED) for g in groups], DECLARED), 0.1)


def test_one_session_leaves_what_is_declared_and_two_mend_it_by_what_they_tell(lab):
    _session(lab, 0, ext4=1.0, xfs=2.0)
    assert _spreads(lab) == [[pytest.approx(0.01)] * 3]
    _session(lab, 1, ext4=1.0, xfs=2.0)  # one degree of freedom beside four, and nothing moved
    assert _spreads(lab) == [[pytest.approx(0.008, abs=2e-4)] * 3] * 2


def test_what_never_scatters_is_moved_by_no_session(lab):
    for subject, factor in (("ext4", 1.0), ("xfs", 2.0)):
        lab.measured(subject, {step: [factor] * 3 if step == "copy_seconds" else [1.0, 1.1, 0.9] for step in STEPS})
    assert [spread > 0 for spread in _spreads(lab)[0]] == [False, True, True]


def test_enough_sessions_tell_how_far_costs_move(lab):
    """Each subject's cost moves by 0.2 (a standard deviation of its logarithm) from one session to the next."""
    rng = np.random.default_rng(1)
    names = ("ext3", "ext4", "xfs", "btrfs")
    for number in range(12):
        _session(lab, number, **dict(zip(names, np.exp(rng.normal(0, 0.2, 4)), strict=True)))
    found = np.sqrt(_spreads(lab))
    assert found.shape == (12, 3) and found == pytest.approx(np.full((12, 3), 0.2), rel=0.5)
    calm = Lab(lab.root / "calm")
    for number in range(12):
        _session(calm, number, **dict.fromkeys(names, 1.0))
    assert np.sqrt(_spreads(calm)).max() < 0.04  # of 0.1 that are declared
