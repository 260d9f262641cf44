"""Every family: groups, counts of streams, and latencies."""

import math
from pathlib import Path

import pytest

import factory
import factory_families
from factory_families import configured, in_machine
from findings_data import Lab
from spindlemark.analysis import database, findings
from spindlemark.analysis.findings import caveats
from spindlemark.analysis.findings.model import Findings
from spindlemark.core import declared
from spindlemark.core.declared import Caveat
from spindlemark.site import group_pages


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


@pytest.fixture(scope="module")
def everything(tmp_path_factory) -> Findings:
    root = tmp_path_factory.mktemp("families")
    database.build(factory_families.write_families(root, 3, noise=0.1), root / "x.duckdb")
    return findings.compute(root / "x.duckdb", findings.load(), 0.2)


def _streams(lab: Lab, subject: str, counts: list[int], cause: str = "device") -> None:
    exp = configured("concurrent_streams", subject, "25-mbit")
    lab.repeated(
        exp, {"streams_sustained_count": counts}, change=lambda record: {"environment": {"streams.limited_by": cause}}
    )


def test_groups_are_named_after_testbed_family_and_workload(everything):
    assert [(g.group, g.library, g.workload_title) for g in everything.groups] == [
        ("loop--picture", "picture", "Pictures"),
        ("vm--picture", "picture", "Pictures"),
        ("vm-6.12--picture", "picture", "Pictures"),
        ("loop--video-hd", "video-hd", "HD video"),
        ("loop--storage_profile", "", ""),
        ("loop--concurrent_streams--25-mbit", "25-mbit", "25 mbit"),
        ("loop--concurrent_streams--dnxhd-120", "dnxhd-120", "dnxhd 120"),
        ("loop--aging", "", ""),
        ("loop--file_creation--large-cached", "large--cached", "large, cached"),
        ("loop--file_creation--many-direct", "many--direct", "many, direct"),
        ("loop--file_creation--one-1gb-direct", "one-1gb--direct", "one 1gb, direct"),
    ]
    assert all(
        set(factory_families.SUBJECTS) == set(g.configurations) for g in everything.groups if g.testbed == "loop"
    )


def test_every_family_has_advice_and_the_lifecycle_its_other_questions(everything):
    for group in everything.groups:
        assert group.recommendation is not None, group.notes
    assert {(c.family, c.question) for c in everything.contrasts} >= {
        ("filesystem_lifecycle", name) for name in ("setting", "scheduler", "kernel")
    }


def test_every_number_is_finite_and_every_sentence_is_whole(everything):
    def numbers(value):
        if isinstance(value, dict):
            return [n for each in value.values() for n in numbers(each)]
        if isinstance(value, list):
            return [n for each in value for n in numbers(each)]
        return [value] if isinstance(value, float) else []

    assert all(map(math.isfinite, numbers(everything.model_dump())))
    told = [text for c in everything.contrasts for text in (c.statement, *(row.statement for row in c.rows))]
    told += [text for g in everything.groups for text in (*g.notes, *(t.statement for t in g.metrics))]
    assert all(text.endswith(".") and "nan" not in text and "  " not in text for text in told)


def test_one_stream_more_is_not_a_supported_difference_of_rounded_counts(lab, snapshot):
    _streams(lab, "ext4", [5, 5, 5])
    _streams(lab, "xfs", [4, 4, 4])
    table = lab.table("streams_sustained_count")
    assert table.ranked and not table.pairs[0].supported and [c.tier for c in table.cells] == [1, 1]
    snapshot(table.statement)


def test_twice_the_streams_are_a_supported_difference(lab, snapshot):
    _streams(lab, "ext4", [40, 40, 40])
    _streams(lab, "xfs", [20, 20, 20])
    table = lab.table("streams_sustained_count")
    assert [c.tier for c in table.cells] == [1, 2]
    snapshot(table.statement)


def test_a_coarse_search_widens_what_is_known_of_its_count(lab):
    for subject, count in (("ext4", 40), ("xfs", 32)):
        exp = configured("concurrent_streams", subject, "25-mbit")
        exp = exp.model_copy(update={"factors": exp.factors | {"streams": {"resolution": 0.25}}})
        lab.repeated(exp, {"streams_sustained_count": [count] * 3})
    assert not lab.table("streams_sustained_count").pairs[0].supported


def test_no_stream_at_all_is_the_last_place_and_unranks_nobody(lab):
    for subject, counts in (("ext4", [8, 8, 9]), ("xfs", [7, 8, 8]), ("btrfs", [0, 0, 0])):
        _streams(lab, subject, counts)
    table = lab.table("streams_sustained_count")
    assert table.ranked and table.cells[-1].configuration == "btrfs" and table.cells[-1].tier == 2
    assert math.isfinite(table.cells[-1].ratio)


def test_a_number_that_was_not_found_is_a_lower_bound(lab, snapshot):
    for subject in ("ext4", "xfs"):
        _streams(lab, subject, [64] * 3, "most_streams")
    _streams(lab, "btrfs", [20, 21, 20], "processor")
    group = lab.group()
    table = group.metrics[0]
    snapshot([table.statement, *group.notes])
    _streams(lab, "jfs", [9, 9, 9], "neither")
    snapshot(lab.group().notes, "neither disk nor processor was the limit")


@pytest.mark.parametrize("ended", ["device", "most_streams"])
def test_no_further_rounds_are_asked_for_where_all_of_them_end_at_the_largest_number(lab, ended):
    _streams(lab, "ext4", [8] * 3, ended)
    _streams(lab, "xfs", [8] * 3, "most_streams")
    group = lab.group()
    (pair,), said = group.table("streams_sustained_count").pairs, group.recommendation.statements[0]
    assert pair.verdict == "undecided" and (pair.need.rounds is None) == (ended == "most_streams")
    assert ("only a search that goes further" in said) == (ended == "most_streams") != ("more round" in said)
    advice = group.recommendation.model_copy(update={"sessions": None})
    assert ("round" in group_pages.verdict(advice, None)["need"]) == (
        ended != "most_streams"
    )  # rounds that decide nothing are not offered


def test_the_length_of_playback_limits_what_it_shows(snapshot):
    own = declared.caveats("http_streams")
    [said] = caveats.of_family(own, {"viewers.film_seconds": 2.0, "viewers.buffer_seconds": 0.2})
    snapshot(said)
    assert caveats.of_family(own, {"device.kind": "link"}) == []


def test_few_frames_are_a_limit_of_what_they_tell(snapshot):
    own = declared.caveats("live_video")
    [said] = caveats.of_family(own, {"trial.seconds": 5.8, "trial.stage_seconds": 0.8, "format.rate": 30})
    snapshot(said)
    assert caveats.of_family(own, {"trial.seconds": 60, "format.rate": 25}) == []
    assert caveats.of_family(own, {"trial.seconds": 1.0}) == []


def test_a_caveat_that_a_family_declares_is_a_note_of_its_groups(lab):
    exp = configured("concurrent_streams", "ext4", "25-mbit")
    exp = exp.model_copy(update={"factors": exp.factors | {"depth": {"metres": 3}}})
    lab.repeated(exp, {"streams_sustained_count": [8] * 3})
    caveat = Caveat(text="Measured {metres:g} m below.", values={"metres": "depth.metres"})
    own = declared.families()["concurrent_streams"].model_copy(update={"caveats": [caveat]})
    families = {**declared.families(), "concurrent_streams": own}
    database.build(lab.records, lab.root / "x.duckdb", families=families)
    [group] = findings.compute(lab.root / "x.duckdb", findings.load(), 0.2).groups
    assert "Measured 3 m below." in group.notes


def test_one_lower_bound_alone_is_said_to_be_at_least_that(lab, snapshot):
    _streams(lab, "ext4", [64] * 3, "most_streams")
    _streams(lab, "xfs", [10] * 3)
    snapshot(lab.table("streams_sustained_count").statement)


def test_short_latencies_are_ranked_since_they_are_drawn_from_many(lab):
    for subject, seconds in (("ext4", 0.001), ("xfs", 0.003)):
        exp = configured("storage_profile", subject)
        lab.repeated(exp, {"rnd4k_q1t1_read_latency_p99_seconds": [seconds, seconds * 1.01, seconds * 0.99]})
    table = lab.table("rnd4k_q1t1_read_latency_p99_seconds")
    assert table.ranked and [c.configuration for c in table.cells] == ["ext4", "xfs"]


def test_a_subject_without_a_check_is_compared_and_left_out_of_the_advice(lab, snapshot):
    for subject, seconds in (("ext4", 1.0), ("xfs", 1.5), ("nilfs2", 1.2)):
        values = {"copy_seconds": [seconds] * 3, "check_seconds": [seconds] * 3}
        lab.measured(subject, values if subject != "nilfs2" else {"copy_seconds": [seconds] * 3})
    group = lab.group()
    assert len(group.metrics[0].cells) == 3 and set(group.recommendation.scores) == {"ext4", "xfs"}
    snapshot(group.notes)


def test_an_emulated_machine_is_said_to_be_one(lab):
    lab.repeated(in_machine(configured("filesystem_lifecycle", "ext4", "picture"), "vm"), {"copy_seconds": [1.0] * 3})
    lab.measured("ext4", {"copy_seconds": [1.0] * 3})
    emulated = {g.testbed: any("emulated machine" in note for note in g.notes) for g in lab.findings().groups}
    assert emulated == {"vm": True, "loop": False}


def test_noise_without_a_step_of_its_name_marks_the_whole_repetition(lab):
    exp = configured("storage_profile", "ext4")
    gate = factory.record(exp).validity[1]
    lab.repeated(
        exp,
        {"rnd4k_q1t1_read_latency_p99_seconds": [0.1, 0.1]},
        change=lambda record: {"validity": [gate.model_copy(update={"step": "profile", "ok": record.repetition != 2})]},
    )
    assert lab.group().metrics[0].cells[0].noisy == [False, True]


def test_one_alone_answers_no_further_question(lab):
    """Who has one server alone compared no filesystems: no page is made that compares nothing."""
    from spindlemark.analysis.findings import samples
    from spindlemark.config import questions

    asked = dict(questions.load())
    own = asked["concurrent_streams"]
    further = own.questions["filesystem"].model_copy(update={"compare": ["rate"], "title": "Which rate?"})
    asked["concurrent_streams"] = own.model_copy(update={"by": [], "questions": own.questions | {"rate": further}})
    for subject in ("ext4", "xfs"):
        _streams(lab, subject, [10, 10, 11])
    lab.findings()
    found = samples.read(lab.root / "x.duckdb", asked)
    assert [(group.question, len(group.configurations)) for group in found] == [("filesystem", 2)]
