"""Which questions are open, and what the next rounds are spent on; findings written by hand."""

from dataclasses import replace

import pytest

from spindlemark.analysis.findings import inconclusive
from spindlemark.analysis.findings.model import (
    Cell,
    Contrast,
    Contrasts,
    Findings,
    Group,
    MetricTable,
    Need,
    Option,
    Pair,
    Recommendation,
    Task,
)
from spindlemark.cli import adaptive
from spindlemark.cli.adaptive import Known

SOON, LATE, NEVER = Need(rounds=2, seconds=40), Need(rounds=9, seconds=900), Need(rounds=None, seconds=None)


def cell(subject, library="picture", n=3, noisy=0):
    return Cell(
        configuration=subject,
        experiment=f"{subject}--{library}",
        identity=f"id {subject} {library}",
        n=n,
        samples=[1.0] * n,
        noisy=[k < noisy for k in range(n)],
        median=1.0,
        low=None,
        high=None,
        stable=True,
    )


def group(
    library="picture",
    verdict="undecided",
    first=("ext4", "xfs"),
    need=SOON,
    session="now",
    noisy=0,
    n=3,
    subjects=("ext4", "xfs", "btrfs"),
    beside=("ext4+m0",),
    testbed="loop",
):
    cells = [cell(s, library, n, noisy) for s in (*subjects, *beside)]
    table = MetricTable(
        metric="copy_seconds",
        title="Copy",
        unit="s",
        better="lower",
        ranked=True,
        why_unranked=None,
        cells=cells,
        pairs=[],
        statement="",
    )
    task = Task(task="copy", title="Fill", description="", metric="copy_seconds", weight=1, reason="", counted=True)
    advice = Recommendation(
        verdict=verdict,
        statements=[],
        tasks=[task],
        options=[],
        first=list(first),
        scores={},
        probability_best={},
        need=need,
    )
    return Group(
        group=f"{testbed}--{library}",
        testbed=testbed,
        family="filesystem_lifecycle",
        library=library,
        library_factors={},
        conditions={},
        session=session,
        configurations=[*subjects, *beside],
        candidates=list(subjects),
        metrics=[table],
        absent=[],
        notes=[],
        recommendation=advice,
    )


def row(subject, verdict, need=None, metric=None):
    return Contrast(
        configuration=subject,
        baseline="ext4",
        metric=metric,
        title="",
        ratio=1,
        low=1,
        high=1,
        p=1,
        verdict=verdict,
        side="level",
        need=need,
        statement="",
    )


def contrasts(*rows, same="picture", baseline="ext4", identities=None, **changes):
    names = {baseline, *(row.configuration for row in rows)}
    return Contrasts(
        question="setting",
        title="",
        family="filesystem_lifecycle",
        testbed="loop",
        same=same,
        identities=identities or {name: f"id {name} {same}" for name in names},
        library="picture",
        session="now",
        baseline=baseline,
        rows=list(rows),
        statement="",
        **changes,
    )


def findings(*groups, contrasts=()):
    return Findings(
        confidence=0.95,
        practical_threshold=0.1,
        shortest_rankable_seconds=0.2,
        relative_width=0.2,
        groups=list(groups),
        contrasts=list(contrasts),
    )


def spend(found, seconds=10000.0, **changes):
    asked = inconclusive.questions(found)
    identities = {i for question in asked for i in question.whole.identities}
    return adaptive.spend(
        asked,
        {i: Known(**{"declared": 3, "have": 3, "seconds": 10, "most": 40, **changes}) for i in identities},
        seconds,
    )


def ids(*subjects, library="picture"):
    return {f"id {s} {library}" for s in subjects}


def test_only_the_contenders_of_what_is_undecided_are_measured_again():
    found = findings(
        group(), group("sound", "better", ["ext4"], None), group("video", "equivalent", ["ext4", "xfs"], None)
    )
    assert spend(found).rounds == dict.fromkeys(ids("ext4", "xfs"), 2), "btrfs is beaten, m0 stands beside the question"


def test_in_a_question_with_a_baseline_only_the_undecided_subjects_and_the_baseline_are():
    settings = contrasts(
        row("ext4+m0", "undecided", SOON), row("ext4+log", "better"), row("ext4+m0", "undecided", SOON, "copy_seconds")
    )
    found = findings(
        group(verdict="better", first=["ext4"], need=None, beside=("ext4+m0", "ext4+log")), contrasts=[settings]
    )
    assert spend(found).rounds == dict.fromkeys(ids("ext4", "ext4+m0"), 2)
    assert inconclusive.counts(inconclusive.questions(found)) == {"loop": {"better": 1, "undecided": 1}}


def test_a_kernel_is_known_by_its_testbed():
    on_both = [group(verdict="better", first=["ext4"], need=None, testbed=bed) for bed in ("vm", "vm-6.12")]
    on_both[1] = on_both[1].model_copy(
        update={
            "metrics": [
                on_both[1]
                .metrics[0]
                .model_copy(
                    update={
                        "cells": [
                            replace(each, identity=f"new {each.identity}") for each in on_both[1].metrics[0].cells
                        ]
                    }
                )
            ]
        }
    )
    kernels = contrasts(
        row("6.12.9", "undecided", SOON),
        same="ext4--picture",
        baseline="6.1.0",
        sides={"6.1.0": "vm", "6.12.9": "vm-6.12"},
        identities={"6.1.0": "id ext4 picture", "6.12.9": "new id ext4 picture"},
    )
    assert spend(findings(*on_both, contrasts=[kernels])).rounds == {"id ext4 picture": 2, "new id ext4 picture": 2}


def test_what_is_decided_soonest_comes_first_and_what_cannot_be_is_told(snapshot):
    found = findings(group(need=LATE), group("sound"), group("video", need=NEVER))
    spending = spend(found, seconds=100)
    assert spending.rounds == dict.fromkeys(ids("ext4", "xfs", library="sound"), 2)
    assert (spending.seconds, spending.too_long, spending.out_of_reach) == (40, [180], 1)
    snapshot(list(spending.lines()))


def test_a_round_counts_for_all_questions_of_a_subject():
    settings = contrasts(row("ext4+m0", "undecided", Need(rounds=3, seconds=60)))
    spending = spend(findings(group(), contrasts=[settings]))
    assert spending.rounds == {"id ext4 picture": 3, "id xfs picture": 2, "id ext4+m0 picture": 3}
    assert spending.seconds == 80


@pytest.mark.parametrize(
    ("have", "need", "rounds"), [(3, 1, 1), (3, 2, 2), (3, 9, 3), (8, 20, 8), (1, 4, 1), (3, 0, 1)]
)
def test_before_the_next_look_there_are_as_many_rounds_as_would_decide_and_at_most_twice_as_many_as_before(
    have, need, rounds
):
    found = findings(group(need=Need(rounds=need, seconds=1)))
    assert set(spend(found, have=have).rounds.values()) == {rounds}


def test_nothing_is_measured_more_often_than_the_profile_allows_or_was_not_asked_for():
    assert spend(findings(group()), most=4).rounds == {}
    asked = inconclusive.questions(findings(group()))
    assert adaptive.spend(asked, {"id ext4 picture": Known(3, 3, 10, 40)}, 1000).rounds == {}, "xfs was not asked for"


def test_a_disturbed_round_is_measured_again_once_for_all_contenders():
    calm, disturbed = (
        group(verdict="better", first=["ext4"], need=None),
        group("sound", "better", ["ext4"], None, noisy=1),
    )
    spending = spend(findings(calm, disturbed))
    assert spending.rounds == dict.fromkeys(ids("ext4", "xfs", "btrfs", library="sound"), 1)
    made_up_for = group("sound", "better", ["ext4"], None, noisy=1, n=4)
    assert spend(findings(made_up_for)).rounds == {}, "the further round is there"
    assert spend(findings(group(verdict="better", first=["ext4"], need=None, noisy=6, n=6))).rounds == {}, (
        "always disturbed"
    )
    assert spend(findings(disturbed), seconds=20).rounds == {}, "within the budget"


def test_the_terminal_says_verdicts_and_multiples_of_the_first(capsys, tmp_path, monkeypatch, snapshot):
    from rich.console import Console

    from spindlemark.cli.terminal import recommendation_table

    groups = [group(), group("sound", "better", ["ext4"], None), group("video", need=NEVER)]
    for number, each in enumerate(groups):
        options = [
            Option(
                option=k,
                configuration=s,
                score=1 if k == 1 else 1.25,
                tier=1,
                recipe=[],
                costs=[],
            )
            for k, s in enumerate(("ext4", "xfs"), 1)
        ]
        pair = Pair(better="ext4", worse="xfs", ratio=1.25, low=1.1, high=1.42, p=0.01, verdict="undecided")
        groups[number] = each.model_copy(
            update={"recommendation": each.recommendation.model_copy(update={"options": options, "pairs": [pair]})}
        )
    file = tmp_path / "findings.json"
    file.write_text(findings(*groups).model_dump_json())
    monkeypatch.setattr(recommendation_table, "_findings_path", lambda: file)
    recommendation_table.show(Console(width=200))
    out = capsys.readouterr().out
    assert "xfs 1.25× (1.10× to 1.42×)" in out and "inconclusive between ext4 and xfs" in out and "%" not in out
    snapshot([" ".join(line.split()) for line in out.splitlines() if "inconclusive" in line])


def test_the_terminal_leaves_out_who_is_alone_and_gives_each_its_own_reason(capsys, tmp_path, monkeypatch):
    from rich.console import Console

    from spindlemark.cli.terminal import recommendation_table

    none = {
        "recommendation": None,
        "workload_title": "each command by itself",
        "reason": "No recommendation: all lost data.",
    }
    groups = [
        group("edit").model_copy(update=none | {"family": "hdf5_edit"}),
        group("lone").model_copy(update=none | {"workload_title": "lonely", "candidates": ["ext4"]}),
        group("beside").model_copy(update=none | {"workload_title": "beside", "candidates": []}),
    ]
    file = tmp_path / "findings.json"
    file.write_text(findings(*groups).model_dump_json())
    monkeypatch.setattr(recommendation_table, "_findings_path", lambda: file)
    recommendation_table.show(Console(width=200))
    out = capsys.readouterr().out
    assert "each command by itself" in out and none["reason"] in out
    assert "lonely" not in out and "beside" not in out and "too few" not in out
