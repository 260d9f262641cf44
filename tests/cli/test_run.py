"""How a run shares its time."""

import pytest
from rich.console import Console

import factory
from spindlemark.cli import budget, run
from spindlemark.config import Stability
from spindlemark.core.record import Spec, join_parts
from spindlemark.measure import pending
from spindlemark.measure.pending import Job
from spindlemark.measure.plan import Plan, Planned, Request


@pytest.fixture
def clock(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(budget.time, "monotonic", lambda: now[0])
    return now


def test_only_time_of_measuring_passes(clock):
    left = budget.Budget(60)
    for seconds, measuring in ((5, False), (7, True), (10, True), (3, True), (20, False), (9, True), (2, True)):
        clock[0] += seconds
        left.update(measuring)
    assert left.left == 60 - 10 - 3 - 2


@pytest.fixture
def going(monkeypatch):
    """A run of two kinds of testbeds whose calls note what they were asked for, and take as long as `takes` says."""
    e = {"loop": factory.experiment(), "vm": factory.experiment(testbed="vm")}
    planned = [
        Planned(
            experiment=x.experiment,
            workload=join_parts(x.workload),
            family=x.family,
            testbed=x.testbed,
            kind=kind,
            identity=x.identity(),
            spec=f"{kind}/spec.json",
            repetitions=3,
            records=[],
        )
        for kind, x in e.items()
    ]
    plan = Plan(
        profile="quick", seed=1, stability=Stability(relative_width=0.1, most_repetitions=5), experiments=planned
    )
    specs = {x.identity(): Spec(identity=x.identity(), experiment=x) for x in e.values()}
    monkeypatch.setattr(
        pending, "seconds_of", lambda jobs, _: sum({"loop": 30, "vm": 10}[j.experiment.kind] for j in jobs)
    )
    going = run._Run(Request(), Console(quiet=True), plan, specs, budget.Budget(60))
    calls, takes = [], {"loop": 1.0, "vm": 1.0}

    def measured(jobs, looks, seconds):
        kind = jobs[0].experiment.kind
        calls.append((kind, seconds))
        needed = takes[kind] * sum({"loop": 30, "vm": 10}[j.experiment.kind] for j in jobs)
        going.budget.left -= min(seconds, needed)
        return needed > seconds

    monkeypatch.setattr(going, "_measured", measured)
    return going, [Job(p, n, n) for p in planned for n in (1, 2, 3)], calls, takes


def test_each_kind_of_testbed_has_its_share_of_a_short_time(going):
    going, jobs, calls, _ = going
    going.declared(jobs)
    assert calls == [("loop", 45.0), ("vm", 15.0)], "90 s and 30 s of measuring in 60 s"


def test_what_one_kind_leaves_the_other_has_and_what_was_cut_off_comes_last(going):
    going, jobs, calls, takes = going
    takes["vm"] = 0.1
    going.declared(jobs)
    assert calls == [("loop", 45.0), ("vm", 15.0), ("loop", 12.0)]


def test_long_blocks_are_measured_one_by_one_and_what_is_known_is_shown(going, monkeypatch, tmp_path):
    going, jobs, calls, _ = going
    shown = []
    monkeypatch.setattr(run, "WORTH_SHOWING", 30)
    monkeypatch.setattr(run.paths, "ROOT", tmp_path)
    monkeypatch.setattr(run, "FINDINGS", tmp_path / "findings.json")
    for job in jobs[:2]:  # of the third round there is no record
        (tmp_path / job.record).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / job.record).touch()
    monkeypatch.setattr(run.workflow_call, "publish", lambda *_: None)
    monkeypatch.setattr(run.findings_files, "read", lambda _: None)
    monkeypatch.setattr(run.standings, "show", lambda _, found, block, of, left: shown.append((block, of, left)))
    going.budget.left = 1000
    going.declared([job for job in jobs if job.experiment.kind == "loop"])
    assert [kind for kind, _ in calls] == ["loop"] * 3
    assert shown == [(1, 3, 60), (2, 3, 30)]
