"""What is missing, in which order, and why."""

import factory
import pytest

from spindlemark import pending
from spindlemark.declare import Stability
from spindlemark.paths import record_path, spec_path
from spindlemark.plan import Plan, Planned
from spindlemark.record import Spec


def planned(experiment, repetitions=3):
    spec = spec_path(experiment.testbed, experiment.family, experiment.experiment, experiment.identity())
    return Planned(experiment=experiment.experiment, family=experiment.family, testbed=experiment.testbed, kind="loop",
                   identity=experiment.identity(),
                   spec=str(spec), repetitions=repetitions,
                   records=[str(record_path(spec, n)) for n in range(1, repetitions + 1)])


def plan(*experiments, repetitions=3, seed=1):
    return Plan(profile="quick", seed=seed, stability=Stability(relative_width=0.1, most_repetitions=5),
                experiments=[planned(e, repetitions) for e in experiments])


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
    assert {n for _, n in jobs} == {4, 5}


def test_order_interleaves_repetitions_and_follows_the_seed(tmp_path, experiments):
    jobs = pending.missing(plan(*experiments), tmp_path)
    assert [n for _, n in jobs] == [1] * 20 + [2] * 20 + [3] * 20
    first, second = ([e.experiment for e, n in jobs if n == k] for k in (1, 2))
    assert first != second and sorted(first) == sorted(second)
    workloads = [name.partition("--")[2] for name in first]
    assert [w for w, before in zip(workloads, [None, *workloads], strict=False) if w != before] == list(dict.fromkeys(workloads))
    assert jobs == pending.missing(plan(*experiments), tmp_path)
    assert jobs != pending.missing(plan(*experiments, seed=2), tmp_path)


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
