"""What is missing, in which order, and why."""

from itertools import pairwise
from pathlib import Path

import pytest

import factory
from spindlemark.config import Stability
from spindlemark.core.errors import UserError
from spindlemark.core.paths import record_path, spec_path
from spindlemark.core.record import Spec, join_parts, read_record
from spindlemark.measure import pending
from spindlemark.measure.plan import Plan, Planned


def planned(experiment, repetitions=3, kind="loop", controls=()):
    spec = spec_path(experiment.testbed, experiment.family, experiment.experiment, experiment.identity())
    return Planned(
        experiment=experiment.experiment,
        workload=join_parts(experiment.workload),
        family=experiment.family,
        testbed=experiment.testbed,
        kind=kind,
        identity=experiment.identity(),
        controls=[[other.identity() for other in controls]] if controls else [],
        spec=str(spec),
        repetitions=repetitions,
        records=[str(record_path(spec, n)) for n in range(1, repetitions + 1)],
    )


def plan(*experiments, repetitions=3, seed=1):
    return Plan(
        profile="quick",
        seed=seed,
        stability=Stability(relative_width=0.1, most_repetitions=5),
        experiments=[planned(e, repetitions) for e in experiments],
    )


@pytest.fixture
def experiments():
    return [factory.experiment(fs, lib) for fs in factory.SPEED for lib in factory.LIBRARIES]


def test_everything_is_missing_at_first_and_nothing_at_last(tmp_path, experiments):
    wanted = plan(*experiments)
    assert len(pending.missing(wanted, tmp_path)) == 60
    factory.write_all(tmp_path, 3)
    assert pending.missing(wanted, tmp_path) == []


def test_more_repetitions_want_only_the_new_ones(tmp_path, experiments):
    factory.write_all(tmp_path, 3)
    jobs = pending.missing(plan(*experiments, repetitions=5), tmp_path)
    assert len(jobs) == 40
    assert {(job.repetition, job.round) for job in jobs} == {(4, 1), (5, 2)}


def test_order_interleaves_repetitions_and_follows_the_seed(tmp_path, experiments):
    jobs = pending.missing(plan(*experiments), tmp_path)
    assert [job.repetition for job in jobs] == [job.round for job in jobs] == [1] * 20 + [2] * 20 + [3] * 20
    first, second = ([e.experiment for e, _, r in jobs if r == k] for k in (1, 2))
    assert first != second and sorted(first) == sorted(second)
    workloads = [name.partition("--")[2] for name in first]
    assert [w for w, before in zip(workloads, [None, *workloads], strict=False) if w != before] == list(
        dict.fromkeys(workloads)
    )
    assert jobs == pending.missing(plan(*experiments), tmp_path)
    assert jobs != pending.missing(plan(*experiments, seed=2), tmp_path)


def test_each_session_has_an_order_of_its_own(tmp_path, experiments, monkeypatch):
    """Else the place of a configuration in a block would be the same in all sessions, and its effect a part of the result."""
    monkeypatch.setattr(
        pending.private_files, "file", None
    )  # only root can open state of the machine; anybody can plan
    firsts = set()
    for boot in map(str, range(20)):
        monkeypatch.setattr(pending.private_files, "boot", lambda boot=boot: boot)
        jobs = pending.missing(plan(*experiments), tmp_path)
        assert jobs == pending.missing(plan(*experiments), tmp_path)
        firsts.add(jobs[0].experiment.experiment)
    assert len(firsts) > 5


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_each_configuration_is_once_in_each_place(tmp_path, experiments, count):
    """A place has an effect, as that of the first after a new library: blocks must give it to all in turn."""
    some = [e for e in experiments if e.workload == experiments[0].workload][:count]
    assert len(some) == count
    jobs = pending.missing(plan(*some, repetitions=count), tmp_path)
    blocks = [[job.experiment.experiment for job in jobs if job.round == n] for n in range(1, count + 1)]
    assert all(len(set(place)) == count for place in zip(*blocks, strict=True))
    after = [pair for block in blocks for pair in pairwise(block)]
    assert count % 2 or len(set(after)) == len(after) == count * (count - 1)


def test_a_later_run_of_a_session_goes_on_with_other_places(tmp_path, experiments):
    some = [e for e in experiments if e.workload == experiments[0].workload]
    first = pending.missing(plan(*some, repetitions=2), tmp_path)
    factory.write_all(tmp_path, 2)
    later = pending.missing(plan(*some, repetitions=4), tmp_path)
    blocks = [[j.experiment.experiment for j in run if j.round == n] for run in (first, later) for n in (1, 2)]
    assert [len(block) for block in blocks] == [len(some)] * 4
    assert all(len(set(place)) == min(4, len(some)) for place in zip(*blocks, strict=True))


def test_extra_records_count_as_existing_but_partial_files_do_not(tmp_path, experiments):
    paths = factory.write(tmp_path, experiments[0], 4)
    (paths[0].parent / "rep-9.json.123.partial").write_text("half")
    assert len(pending.existing_records(plan(experiments[0]), tmp_path)) == 4


def test_reasons(tmp_path):
    old = factory.experiment()
    spec = Spec(identity=old.identity(), experiment=old)
    assert pending.reason(spec, tmp_path) == "new"
    factory.write(tmp_path, old, 1)
    assert pending.reason(spec, tmp_path) == "more repetitions wanted"
    kernel = factory.experiment(fingerprint=old.fingerprint | {"kernel": "7.1.0"})
    told = pending.reason(Spec(identity=kernel.identity(), experiment=kernel), tmp_path)
    assert told == "changed: fingerprint.kernel: 6.18.0-test -> 7.1.0"


def test_time_is_what_it_took_before(tmp_path, experiments):
    wanted = plan(experiments[0], repetitions=5)
    specs = {e.identity(): Spec(identity=e.identity(), experiment=e) for e in experiments}
    guess = pending.seconds_of(pending.missing(wanted, tmp_path), specs, tmp_path)
    assert guess > 0
    factory.write(tmp_path, experiments[0], 3)
    assert pending.seconds_of(pending.missing(wanted, tmp_path), specs, tmp_path) == pytest.approx(2 * 5.0)


def test_a_new_kernel_takes_as_long_as_the_one_before_and_other_factors_do_not_count(tmp_path, experiments):
    now = experiments[0]
    spec = Spec(identity=now.identity(), experiment=now)
    guess = pending.seconds(planned(now), spec, tmp_path)
    assert guess != 5.0
    factory.write(tmp_path, now.model_copy(update={"factors": now.factors | {"copies": 2}}), 1)
    assert pending.seconds(planned(now), spec, tmp_path) == guess
    earlier = now.model_copy(update={"fingerprint": now.fingerprint | {"kernel": "6.1.0"}})
    factory.write(tmp_path, earlier, 2)
    assert pending.seconds(planned(now), spec, tmp_path) == pytest.approx(5.0)


def test_one_kind_of_testbed_comes_after_the_other_and_each_in_rounds(tmp_path):
    bare, inside = factory.experiment(), factory.experiment(testbed="vm")
    both = plan().model_copy(update={"experiments": [planned(inside, kind="vm"), planned(bare)]})
    jobs = pending.missing(both, tmp_path)
    assert [(job.experiment.kind, job.round) for job in jobs] == [(k, n) for k in ("loop", "vm") for n in (1, 2, 3)]


def test_what_comes_later_is_measured_in_rounds_with_one_that_stands_for_the_others(tmp_path, experiments):
    """Rounds of its own would tell nothing: subjects that share none are not compared."""
    default, other, late = (factory.experiment(fs) for fs in ("ext4", "xfs", "btrfs"))
    later = plan().model_copy(
        update={
            "experiments": [
                planned(default, controls=[other, late]),
                planned(other, controls=[default, late]),
                planned(late, controls=[default, other]),
            ]
        }
    )
    assert {job.repetition for job in pending.missing(later, tmp_path)} == {1, 2, 3}, (
        "all come at once: none stands for others"
    )
    factory.write(tmp_path, default, 3)
    factory.write(tmp_path, other, 3)
    jobs = {(job.experiment.experiment, job.repetition, job.round) for job in pending.missing(later, tmp_path)}
    assert jobs == {(late.experiment, n, n) for n in (1, 2, 3)} | {(default.experiment, n, n - 3) for n in (4, 5)}, (
        "up to the most repetitions, 5 here"
    )
    factory.write(tmp_path, late, 3)
    assert pending.missing(later, tmp_path) == []


def write(root, experiment, sessions, interim_analyses=0):
    """A record for each session, as measured after `interim_analyses`."""
    for path, session in zip(factory.write(root, experiment, len(sessions)), sessions, strict=True):
        record = read_record(path)
        environment = record.environment | {"session.id": session, "run.looks": interim_analyses}
        path.write_text(record.model_copy(update={"environment": environment}).model_dump_json())


def test_a_new_session_measures_all_declared_rounds_as_a_session_of_its_own(tmp_path):
    e = factory.experiment()
    write(tmp_path, e, ["old", "old", "old"])
    assert pending.missing(plan(e), tmp_path) == []
    jobs = pending.new_session(plan(e), "new", tmp_path)
    assert [(job.repetition, job.round) for job in jobs] == [(4, 1), (5, 2), (6, 3)]
    write(tmp_path, e, ["old", "old", "old", "new"])
    assert [job.repetition for job in pending.new_session(plan(e), "new", tmp_path)] == [5, 6], (
        "what was stopped goes on"
    )


def test_looks_are_those_of_the_session(tmp_path):
    first, second = factory.experiment(), factory.experiment("xfs")
    write(tmp_path, first, ["old", "old"], interim_analyses=7)
    write(tmp_path, second, ["new"], interim_analyses=2)
    assert pending.interim_analyses(plan(first, second), "new", tmp_path) == 2
    assert pending.interim_analyses(plan(first, second), "another", tmp_path) == 0
    assert pending.in_session(planned(first), "old", tmp_path) == 2


def test_what_is_published_includes_other_sessions_and_nothing_that_is_declared_otherwise(tmp_path):
    now = factory.experiment()
    earlier = factory.experiment(fingerprint=now.fingerprint | {"kernel": "6.1.0"})
    changed = factory.experiment(factors=now.factors | {"scheduler": "bfq"})
    older = factory.experiment(method=0)
    for each in (now, earlier, changed, older):
        factory.write(tmp_path, each, 1)
    found = pending.existing_records(plan(now), tmp_path)
    assert {path.split("/")[-2] for path in found} == {now.identity(), earlier.identity()}
    assert pending.missing(plan(now, repetitions=1), tmp_path) == []


def test_the_provenance_of_a_run_says_what_one_call_measures(tmp_path, monkeypatch):
    e = factory.experiment()
    monkeypatch.setattr(pending.paths, "ROOT", tmp_path)
    wanted = plan(e)
    jobs, provenance = pending.requested(wanted, tmp_path / "20260101T000000-1")
    assert (len(jobs), provenance.run, provenance.interim_analyses) == (3, "20260101T000000-1", 0), (
        "all that is missing"
    )
    file = tmp_path / "run" / pending.PROVENANCE
    file.parent.mkdir()
    spec = Path(planned(e).spec)
    chosen = pending.provenance_of([pending.Job(planned(e), 9, 4)], "r", 2)
    file.write_text(chosen.model_dump_json())
    jobs, provenance = pending.requested(wanted, file.parent)
    assert ([job.record for job in jobs], jobs[0].round, provenance.interim_analyses) == ([planned(e).record(9)], 4, 2)
    assert (provenance.block(spec, 9), provenance.block(tmp_path / spec, 9), provenance.block(spec, 1)) == (
        "r.4",
        "r.4",
        "",
    )
    gone = chosen.model_copy(update={"blocks": {**chosen.blocks, "data/raw/loop/f/x/gone/rep-1.json": 1}})
    file.write_text(gone.model_dump_json())
    with pytest.raises(UserError, match="1 of its experiments changed"):
        pending.requested(wanted, file.parent)  # nothing is left out in silence
    file.write_text("{}")
    with pytest.raises(UserError, match="provenance.json"):
        pending.requested(wanted, file.parent)
