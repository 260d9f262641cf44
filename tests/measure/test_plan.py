"""The plan: what is asked for, what goes on from before, and what there is to publish without one."""

import json
import os

import pytest

from spindlemark import config
from spindlemark.core import paths
from spindlemark.core.errors import UserError
from spindlemark.measure import pending, plan
from spindlemark.measure.request import request_of

LOOP = plan.Request(testbed="loop", family="filesystem_lifecycle")


@pytest.fixture(scope="module")
def made():
    return plan.make(config.load(), LOOP, paths.ROOT / "nowhere")


def test_identities_hold_the_machine(made):
    _, specs = made
    assert all(spec.experiment.fingerprint["host"] for spec in specs)


def test_a_testbed_with_results_from_before_goes_on_without_the_machine(made, tmp_path):
    _, specs = made
    before = plan._without_host(specs[3])
    assert before.identity != specs[3].identity
    folder = (tmp_path / paths.spec_path(*plan._place(before))).parent
    folder.mkdir(parents=True)
    assert [s.identity for s in plan.make(config.load(), LOOP, tmp_path)[1]] == [s.identity for s in specs]
    (folder / "rep-1.json").touch()
    planned, found = plan.make(config.load(), LOOP, tmp_path)
    assert before.identity in {spec.identity for spec in found}
    assert all("host" not in spec.experiment.fingerprint for spec in found), "what is compared has one condition"
    assert {e.identity for e in planned.experiments} == {s.identity for s in found}


def test_results_of_other_testbeds_stay_in_the_plan(made, tmp_path):
    """Who measures a second disk still sees the first one on the site."""
    request = plan.Request(testbed="ram", family="aaf_scale")
    assert {e.testbed for e in plan.make(config.load(), request, tmp_path)[0].experiments} == {"ram"}
    measured = made[1][0]
    folder = (tmp_path / paths.spec_path(*plan._place(measured))).parent
    folder.mkdir(parents=True)
    (folder / "rep-1.json").touch()
    planned, specs = plan.make(config.load(), request, tmp_path)
    others = [e for e in planned.experiments if e.testbed != "ram"]
    assert [e.identity for e in others] == [measured.identity]
    assert not others[0].chosen, "only the requested testbed is measured"
    assert [e.identity for e in planned.experiments] == [s.identity for s in specs]


def test_a_disk_that_was_measured_by_name_stays_in_the_plan_and_is_not_measured_again(tmp_path):
    _, own = plan.make(config.load(), plan.Request(testbed="nvme", family="filesystem_lifecycle"), tmp_path)
    folder = (tmp_path / paths.spec_path(*plan._place(own[0]))).parent
    folder.mkdir(parents=True)
    (folder / "rep-1.json").touch()
    planned, _ = plan.make(config.load(), plan.Request(profile="quick"), tmp_path)
    assert [(e.identity, e.chosen) for e in planned.experiments if e.testbed == "nvme"] == [(own[0].identity, False)]


def test_only_the_long_experiments_of_a_family_are_repeated_less_often(tmp_path):
    request = plan.Request(profile="standard", testbed="ram", family="aaf_scale")
    planned, _ = plan.make(config.load(), request, tmp_path)
    wanted = {int(e.experiment.split("--")[3].split("-")[0]): e.repetitions for e in planned.experiments if e.chosen}
    assert {count for count, repetitions in wanted.items() if repetitions == 1} == {2500, 4000, 6300, 10000, 16000}
    assert set(wanted.values()) == {1, 2}


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"testbed": 7}, "testbed"),
        ({"only": 0}, "only"),
        ({"family": True}, "family"),
        ({"nonsense": "x"}, "nonsense"),
        ({"repetitions": 0}, "repetitions"),
        ({"repetitions": "many"}, "repetitions"),
        ({"more": "/etc/hostname"}, "more"),
        ({"run": "../x"}, "run"),
        ({"seed": "many"}, "seed"),
        ({"seed": -1}, "seed"),
    ],
)
def test_what_is_no_request_is_told(settings, named):
    with pytest.raises(UserError, match=f"--config: .*{named}"):
        request_of(settings)


def test_text_stays_text():
    request = request_of({"testbed": "007", "only": "0", "repetitions": 3, "measure": "true"})
    assert (request.testbed, request.only, request.repetitions) == ("007", "0", 3)


def test_the_file_of_the_declared_settings_is_a_request_too():
    """As `snakemake --configfile` gives it."""
    declared = config.read_yaml(paths.CONFIG / "config.yaml", dict)
    assert request_of(declared) == plan.Request(**declared)
    one, two = (plan.make(config.load(), request_of(declared | {"seed": seed}))[1] for seed in (1, 2))
    assert {spec.identity for spec in one} != {spec.identity for spec in two}, "libraries have other files"


def test_a_family_that_the_analysis_does_not_know_is_not_planned(monkeypatch):
    known = dict(plan.declared.families())
    known["aging"] = known["aging"].model_copy(update={"metrics": {}})
    monkeypatch.setattr(plan.declared, "families", lambda: known)
    with pytest.raises(UserError, match="families.json: .* family aging"):
        plan.make(config.load())


def test_only_0_is_not_everything():
    planned, _ = plan.make(config.load(), request_of({"testbed": "loop", "only": "0"}), paths.ROOT / "nowhere")
    assert {e.chosen for e in planned.experiments if "0" in e.experiment} == {True}
    assert {e.chosen for e in planned.experiments if "0" not in e.experiment} == {False}


def test_a_family_that_is_measured_alone_waits_to_be_asked_for():
    registry = config.load()
    quick = registry.profiles["quick"]
    amount = quick.families["aging"].model_copy(update={"alone_minutes": 4})
    registry.profiles["quick"] = quick.model_copy(update={"families": quick.families | {"aging": amount}})

    def chosen(**asked):
        return {
            e.family for e in plan.make(registry, plan.Request(profile="quick", **asked))[0].experiments if e.chosen
        }

    everything = {e.family for e in plan.make(registry, plan.Request(profile="quick"))[0].experiments}
    assert "aging" in everything, "it stays in the plan, and what was measured of it stays published"
    waiting = [
        e
        for e in plan.make(registry, plan.Request(profile="quick"), paths.ROOT / "nowhere")[0].experiments
        if e.family == "aging"
    ]
    assert waiting and not any(e.records for e in waiting), "a release waits for none of it"
    assert "aging" not in chosen() and "filesystem_lifecycle" in chosen()
    assert chosen(family="aging") == {"aging"}
    assert "aging" in chosen(testbed="sata-ssd"), "who names the testbed asks for all of it"
    assert registry.profiles["quick"].minutes("aging") == 4
    assert registry.profiles["quick"].minutes(None) == registry.profiles["quick"].minutes("filesystem_lifecycle") == 30


def test_without_a_plan_the_newest_results_are_found(made, tmp_path, monkeypatch):
    _, specs = made
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(paths, "RAW", tmp_path / "data/raw")
    monkeypatch.setattr(paths, "PLAN", tmp_path / "data/build/plan.json")
    assert plan.found(config.load()).experiments == []
    old, new = specs[0], plan._without_host(specs[0])
    for age, spec in enumerate((old, new, specs[1])):
        file = tmp_path / paths.spec_path(*plan._place(spec))
        file.parent.mkdir(parents=True)
        file.write_text(spec.model_dump_json())
        if spec is not specs[1]:  # a spec alone was never measured
            (file.parent / "rep-1.json").touch()
            os.utime(file.parent / "rep-1.json", (age, age))
    assert [e.identity for e in plan.found(config.load()).experiments] == [new.identity]


def test_everything_that_was_measured_replaces_a_plan_that_lacks_repetitions(made, tmp_path, monkeypatch):
    planned, specs = made
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(paths, "RAW", tmp_path / "data/raw")
    monkeypatch.setattr(paths, "PLAN", tmp_path / "data/build/plan.json")
    file = tmp_path / paths.spec_path(*plan._place(specs[0]))
    plan.write(planned, specs, tmp_path)
    (file.parent / "rep-1.json").touch()
    assert pending.missing(plan.read(paths.PLAN), everything=True, root=tmp_path)
    plan.write_everything(config.load())
    found = plan.read(paths.PLAN)
    assert [e.identity for e in found.experiments] == [specs[0].identity]
    assert found.profile == planned.profile
    assert not pending.missing(found, everything=True, root=tmp_path)


def test_the_settings_of_the_job_are_those_of_the_call(tmp_path):
    settings = {"testbed": "loop", "only": "{braces} 'and' \"quotes\""}
    assert request_of(json.loads(json.dumps(settings))).only == settings["only"]
