"""What the queries behind findings count as one workload, one subject and one set of conditions."""

import json
from datetime import timedelta

import pytest

import factory
from factory_families import configured, served
from spindlemark.analysis import database
from spindlemark.analysis.findings import findings_files
from spindlemark.analysis.findings.samples import read
from spindlemark.config import Questions, questions
from spindlemark.core.errors import UserError
from spindlemark.core.paths import RELEASES
from spindlemark.core.record import join_parts

QUESTIONS = questions.load()

RECORD = factory.record(factory.experiment())
LACKING = [m for m in RECORD.measurements if m.metric != "copy_seconds"]


@pytest.fixture
def groups(built, tmp_path):
    """Build a database of records and return its groups: slug -> subjects."""

    def build(records):
        built(records)
        return {
            group.group: [s.name for s in group.configurations]
            for group in read(tmp_path / "x.duckdb", QUESTIONS)
            if group.baseline is None
        }

    return build


def test_a_named_scheduler_is_compared_with_the_testbeds_own(store, groups):
    subjects = ["ext4", "ext4+m0@bfq", "ext4@kyber"]
    assert groups([store(configured("aging", s)) for s in subjects]) == {"loop--aging": subjects}


def test_subjects_under_another_default_scheduler_are_not_mixed(store, groups):
    def under(subject, default, scheduler):
        exp = configured("aging", subject)
        return exp.model_copy(
            update={
                "factors": exp.factors | {"scheduler": scheduler},
                "fingerprint": exp.fingerprint | {"default_scheduler": default},
            }
        )

    found = groups(
        [
            store(under("ext4", "none", "none")),
            store(under("xfs", "mq-deadline", "mq-deadline"), 2),
            store(under("btrfs@bfq", "mq-deadline", "bfq")),
        ]
    )
    assert sorted(found.values()) == [["btrfs@bfq", "xfs"], ["ext4"]]


def test_a_named_scheduler_alone_has_a_group(store, groups):
    assert groups([store(configured("aging", "ext4@bfq"))]) == {"loop--aging": ["ext4@bfq"]}


def test_factors_of_the_family_separate_groups_and_settings_do_not(store, groups):
    def at(subject, length):
        exp = configured("aging", subject)
        return exp.model_copy(update={"factors": exp.factors | {"recording": {"hours": length}}})

    found = groups([store(at("ext4", 1)), store(at("ext4+fallocate", 1)), store(at("xfs", 2))])
    assert sorted(found.values()) == [["ext4", "ext4+fallocate"], ["xfs"]]


def test_a_metric_that_a_record_says_is_absent_is_not_missing(store, built):
    explained = {"measurements": LACKING, "environment": {"absent.copy_seconds": "ended too soon"}}
    built([store(), store(repetition=2, **explained)])
    with pytest.raises(UserError, match="missing=check_seconds"):
        fewer = [m for m in LACKING if m.metric != "check_seconds"]
        built([store(), store(repetition=2, **explained | {"measurements": fewer})])


def test_a_filesystem_without_a_check_lacks_nothing(store, built):
    query = built([store(factory.experiment("nilfs2"), n) for n in (1, 2)] + [store()])
    assert query("select count(*) from measurement where metric = 'check_seconds'") == [(1,)]


def test_a_record_without_any_metric_is_refused_whatever_it_explains(store, built):
    with pytest.raises(UserError, match="missing_metric"):
        built([store(measurements=[], environment={"absent.copy_seconds": "ended too soon"})])


def kernel(testbed, release):
    """The same experiment on another kernel, which lies on a testbed of its own."""
    exp = configured("filesystem_lifecycle", "ext4", "picture", testbed)
    machine = exp.fingerprint["machine"] | {"kernel_package": f"{release}-1"}
    return exp.model_copy(update={"fingerprint": exp.fingerprint | {"kernel": release, "machine": machine}})


@pytest.fixture
def asked(built, tmp_path):
    """Build a database of records and ask the committed questions, or others; returns every group."""

    def build(records, declared=QUESTIONS):
        built(records)
        return read(tmp_path / "x.duckdb", declared)

    return build


def contrasts(groups, question):
    return {
        group.group: (group.baseline, [s.name for s in group.configurations], join_parts(group.shared), group.library)
        for group in groups
        if group.question == question
    }


def lifecycle(subject, library="picture"):
    return configured("filesystem_lifecycle", subject, library)


def test_a_setting_is_asked_against_the_default_of_its_own_filesystem(store, asked):
    found = asked([store(lifecycle(s)) for s in ("ext4", "ext4+m0", "ext4+m0@bfq", "xfs", "btrfs+compress")])
    assert contrasts(found, "setting") == {
        "loop--setting--ext4--picture": ("ext4", ["ext4", "ext4+m0"], "picture", "picture")
    }


def test_a_scheduler_is_asked_against_what_most_experiments_have(store, asked):
    found = asked([store(lifecycle(s)) for s in ("ext4", "xfs", "ext4@bfq", "xfs@bfq", "btrfs@kyber", "ext3")])
    assert contrasts(found, "scheduler") == {
        "loop--scheduler--ext4--picture": ("ext4", ["ext4", "ext4@bfq"], "picture", "picture"),
        "loop--scheduler--xfs--picture": ("xfs", ["xfs", "xfs@bfq"], "picture", "picture"),
    }


def test_only_defaults_are_chosen_from_where_settings_are_questions_of_their_own(store, asked):
    main = asked([store(lifecycle(s)) for s in ("ext4", "ext4+m0", "ext4@bfq", "xfs", "btrfs")])[0]
    assert main.group == "loop--picture" and main.question == "filesystem"
    assert [s.name for s in main.configurations if s.candidate] == ["btrfs", "ext4", "xfs"]
    assert [s.name for s in main.configurations if not s.candidate] == ["ext4+m0", "ext4@bfq"]


def test_each_kernel_is_asked_against_the_next_older_one(store, asked):
    kernels = [kernel("vm", "6.1.0-50"), kernel("vm-6.12", "6.12.9"), kernel("vm-6.6", "6.6.30")]
    found = [g for g in asked([store(exp) for exp in kernels]) if g.question == "kernel"]
    assert [
        (g.testbed, g.baseline, [s.name for s in g.configurations], join_parts(g.shared), g.library) for g in found
    ] == [
        ("vm-6.12", "6.6.30", ["6.12.9", "6.6.30"], "ext4--picture", "picture"),
        ("vm-6.6", "6.1.0-50", ["6.1.0-50", "6.6.30"], "ext4--picture", "picture"),
    ]
    assert found[0].sides == {"6.12.9": "vm-6.12", "6.6.30": "vm-6.6"}


def test_one_identity_answers_several_questions_of_any_factor(store, asked):
    exps = [configured("file_creation", s, f"one--{cache}") for s in ("ext4", "xfs") for cache in ("direct", "cached")]
    exps = [e.model_copy(update={"factors": e.factors | {"cache": e.workload[1].value, "layout": "one"}}) for e in exps]
    exps = [
        e.model_copy(update={"factors": {k: v for k, v in e.factors.items() if not k.startswith("part")}}) for e in exps
    ]
    found = asked([store(exp) for exp in exps])
    assert [g.group for g in found if g.baseline is None] == [
        "loop--file_creation--one-cached",
        "loop--file_creation--one-direct",
    ]
    assert contrasts(found, "cache") == {
        f"loop--file_creation--cache--{fs}--one--direct": (
            "direct I/O",
            ["direct I/O", "page cache I/O"],
            f"{fs}--one",
            "one",
        )
        for fs in ("ext4", "xfs")
    }


def test_a_family_without_a_filesystem_is_asked_as_it_declares(store, asked):
    declared = Questions.model_validate(
        {
            "area": "serve",
            "title": "Serving",
            "ask": "Which server?",
            "by": ["library"],
            "tasks": {},
            "weights": {},
            "questions": {
                "server": {"title": "Which server?", "compare": ["server"]},
                "mtu": {
                    "title": "What do larger packets gain?",
                    "compare": ["link.mtu"],
                    "against": {"link.mtu": "1500"},
                },
            },
        }
    )
    records = [store(served(server)) for server in ("nginx", "samba")]
    records.append(store(served("nginx", mtu=9000, experiment="nginx--picture--mtu-9000")))
    found = asked(records, {"serving": declared})
    assert [(g.group, g.library, [s.name for s in g.configurations]) for g in found if g.baseline is None] == [
        ("loop--serving--picture", "picture", ["nginx", "samba"]),
        ("loop--serving--picture-mtu-9000", "picture--mtu-9000", ["nginx"]),
    ]
    assert contrasts(found, "mtu") == {
        "loop--serving--mtu--nginx--picture": ("1500", ["1500", "mtu-9000"], "nginx--picture", "picture")
    }
    assert found[0].library_factors == {"files": 5} and "link.mtu" in found[0].conditions


def test_a_family_without_questions_is_asked_what_its_slugs_begin_with(store, asked):
    records = [store(served(server, library)) for server in ("nginx", "samba") for library in ("picture", "sound")]
    assert [(g.group, g.question, [s.name for s in g.configurations]) for g in asked(records, {})] == [
        ("loop--serving--picture", "", ["nginx", "samba"]),
        ("loop--serving--sound", "", ["nginx", "samba"]),
    ]


def session(name, round_name="a.1", looks=0):
    return {"environment": {"session.id": name, "run.round": round_name, "run.looks": looks}}


def test_sessions_of_a_machine_are_one_group_and_the_newest_names_it(store, asked):
    earlier, later = factory.START, factory.START + timedelta(days=1)
    records = [
        store(lifecycle(s), n, **session(name), started_at=begun, finished_at=begun + timedelta(seconds=7))
        for s in ("ext4", "xfs")
        for n, name, begun in ((1, "mon", earlier), (2, "mon", earlier), (3, "tue", later))
    ]
    (group,) = asked(records)
    assert (group.group, group.session, [each.name for each in group.sessions]) == (
        "loop--picture",
        "tue",
        ["mon", "tue"],
    )
    assert [s.metrics["copy_seconds"].sessions for s in group.configurations] == [["mon", "mon", "tue"]] * 2
    assert group.configurations[0].seconds == 7


def test_sessions_on_other_machines_ask_alike_and_other_scales_do_not(store, asked):
    here, bigger = lifecycle("ext4"), lifecycle("ext4")
    there = here.model_copy(update={"fingerprint": here.fingerprint | {"kernel": "7.1", "machine": {"cpu": "Other"}}})
    bigger = bigger.model_copy(
        update={"factors": bigger.factors | {"library": bigger.factors["library"] | {"files": 99}}}
    )
    alike = [g.alike for g in asked([store(here), store(there), store(bigger)])]
    assert sorted(map(alike.count, alike)) == [1, 2, 2]


def test_samples_know_their_rounds_and_sessions(store, asked):
    copy = (
        asked(
            [store(lifecycle("ext4"), 1, **session("s", "r.1")), store(lifecycle("ext4"), 2, **session("s", "r.2", 1))]
        )[0]
        .configurations[0]
        .metrics["copy_seconds"]
    )
    assert (copy.rounds, copy.sessions, copy.repetitions) == (["s/r.1", "s/r.2"], ["s", "s"], [1, 2])


@pytest.mark.parametrize("version", ["2026.11", "2026.11.1"])
def test_the_groups_of_a_release_keep_their_names_and_subjects(version, tmp_path):
    release = RELEASES / version
    database.build_release(release, tmp_path / "x.duckdb")
    frozen = json.loads(findings_files.content(release))["groups"]
    found = [g for g in read(tmp_path / "x.duckdb", QUESTIONS) if g.baseline is None]
    assert [(g.group, g.library, [s.name for s in g.configurations]) for g in found] == sorted(
        (g["group"], g["library"], g["subjects"]) for g in frozen
    )


def test_a_repetition_that_took_a_quarter_more_processor_time_than_usual_is_marked(store, asked):
    """The same work on a host that is busy: nothing else tells the guest."""

    def spent(seconds):
        commands = [
            each.model_copy(update={"user_seconds": 0.1, "system_seconds": seconds if each.step == "copy" else 0.01})
            for each in RECORD.commands
        ]
        return {"commands": commands, "validity": [], **session("s", "r")}

    (group,) = asked([store(lifecycle("ext4"), n, **spent(s)) for n, s in enumerate((1.0, 1.1, 1.9, 1.05), start=1)])
    own = group.configurations[0].metrics
    assert own["copy_seconds"].noisy == [False, False, True, False]
    assert not any(own["used_after_copy_bytes"].noisy)
