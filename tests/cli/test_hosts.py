"""Testbeds of other hosts: what home plans of them, and what it takes from them."""

import io
import signal
import subprocess

import pytest
from rich.console import Console

import factory
from spindlemark import config
from spindlemark.cli.hosts import import_results, visit
from spindlemark.cli.terminal import plan_table
from spindlemark.core import paths
from spindlemark.core.errors import UserError
from spindlemark.core.record import Spec, join_parts
from spindlemark.harness import environment
from spindlemark.measure import experiments, pending, plan
from spindlemark.testbeds import hosts

NAME = "tb1-loop"


@pytest.fixture
def registry(tmp_path, monkeypatch):
    """The project's declarations, of one experiment, with a testbed of host tb1; folders of their own for all that is written."""
    for module, name in ((hosts, "PLANS"), (import_results, "PLANS"), (visit, "PLANS")):
        monkeypatch.setattr(module, name, tmp_path / "hosts")
    monkeypatch.setattr(hosts, "NOTE", tmp_path / "copy.json")
    monkeypatch.setattr(paths, "RAW", tmp_path / "data/raw")
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    loaded = config.load()
    there = loaded.testbeds["loop"].model_copy(update={"host": config.Host(name="tb1", folder="/srv/bench")})
    one = config.Experiments(
        description="one", sets=[config.Set(factors={"filesystem": ["ext4"], "library": ["picture"]})]
    )
    return loaded.model_copy(
        update={"testbeds": loaded.testbeds | {NAME: there}, "experiments": {"filesystem_lifecycle": one}}
    )


def brought(tmp_path, machine="there", repetition=1, change=lambda text: text):
    """A record with its spec as they came from the host, and the plan; the record's place below data/raw."""
    made = factory.experiment(testbed=NAME)
    made = made.model_copy(update={"fingerprint": made.fingerprint | {"host": machine}})
    spec = paths.spec_path(NAME, made.family, made.experiment, made.identity())
    folder, inside = tmp_path / "hosts" / NAME, spec.parent.relative_to("data/raw")
    (folder / "raw" / inside.relative_to(NAME)).mkdir(parents=True, exist_ok=True)
    (folder / "raw" / inside.relative_to(NAME) / "spec.json").write_text(
        Spec(identity=made.identity(), experiment=made).model_dump_json()
    )
    text = change(factory.record(made, repetition).model_dump_json())
    (folder / "raw" / inside.relative_to(NAME) / f"rep-{repetition}.json").write_text(text)
    planned = plan.Planned(
        experiment=made.experiment,
        workload=join_parts(made.workload),
        family=made.family,
        testbed=NAME,
        kind="loop",
        identity=made.identity(),
        spec=str(spec),
        repetitions=1,
        records=[str(paths.record_path(spec, 1))],
    )
    here = planned.model_copy(update={"testbed": "loop"})
    stability = config.load().profiles["quick"].stability
    (folder / "plan.json").write_text(
        plan.Plan(profile="quick", seed=1, stability=stability, experiments=[planned, here]).model_dump_json()
    )
    return paths.RAW / inside / f"rep-{repetition}.json"


def test_what_a_host_planned_is_part_of_the_plan_and_measured_nowhere_else(registry, tmp_path):
    assert hosts.others(registry) == {"tb1": [NAME]} and hosts.others(registry, "loop") == {}
    record = brought(tmp_path)
    assert import_results.take(NAME) == 1 and record.exists() and import_results.take(NAME) == 0
    made, specs = plan.make(registry, plan.Request(), tmp_path)
    theirs = [each for each in made.experiments if each.testbed == NAME]
    assert len(theirs) == 1 and not theirs[0].chosen and len(specs) == len(made.experiments)
    assert NAME not in {job.experiment.testbed for job in pending.missing(made, tmp_path)}
    assert [path for path in pending.existing_records(made, tmp_path) if NAME in path]
    assert [each.testbed for each in plan.found(registry).experiments].count(NAME) == 1


def test_home_neither_plans_nor_measures_for_a_host(registry):
    with pytest.raises(UserError, match="testbed tb1-loop is on host tb1") as refused:
        plan.make(registry, plan.Request(testbed=NAME))
    assert "snakemake" in refused.value.remedy
    assert NAME not in {spec.experiment.testbed for spec in experiments.specs(registry, "quick")}


def test_the_plan_for_people_says_who_knows_what_is_missing_there(registry, tmp_path, monkeypatch, snapshot):
    brought(tmp_path)
    import_results.take(NAME)
    monkeypatch.setattr(config, "load", lambda: registry)
    said = io.StringIO()
    plan_table.plan(Console(file=said, width=200), plan.Request())
    lines = said.getvalue().splitlines()
    assert any("on testbed loop: 1 experiments;" in line for line in lines), (
        "what is missing here depends on this clone"
    )
    snapshot([line for line in lines if "On host tb1" in line])


def test_the_host_s_copy_is_where_it_is_planned(registry):
    hosts.NOTE.write_text(hosts.Copy(host="tb1", commit="a" * 40, changed=True).model_dump_json())
    assert hosts.others(registry) == {}
    assert {spec.experiment.testbed for spec in experiments.specs(registry, "quick", NAME)} == {NAME}
    assert environment.lasting()["project.commit"] == "a" * 40, "a copy has no repository to ask"


@pytest.mark.parametrize("wrong", ["another machine", "changed", "another place", "link", "nonsense", "plan"])
def test_what_does_not_fit_is_refused_whole(registry, tmp_path, wrong):
    kept = brought(tmp_path)
    import_results.take(NAME)
    before = kept.read_bytes()
    new = brought(tmp_path, "elsewhere" if wrong == "another machine" else "there", 2)
    file = tmp_path / "hosts" / NAME / "raw" / new.relative_to(paths.RAW / NAME)
    if wrong == "changed":
        file.with_name("rep-1.json").write_bytes(before.replace(b'"repetition":1,', b'"repetition": 1,'))
    elif wrong == "another place":
        file.parent.rename(file.parent.with_name("0" * 12))
    elif wrong == "link":
        file.with_name("rep-3.json").symlink_to("/etc/passwd")
    elif wrong == "nonsense":
        file.write_text("{}")
    elif wrong == "plan":
        said = tmp_path / "hosts" / NAME / "plan.json"
        said.write_text(said.read_text().replace("/spec.json", "/../../../spec.json"))
    with pytest.raises(UserError) as refused:
        import_results.take(NAME)
    assert refused.value.remedy and not new.exists() and kept.read_bytes() == before


def test_a_job_that_slurm_placed_on_another_node_measures_nothing(registry, monkeypatch):
    monkeypatch.setenv(visit.NODE, "tb9")
    with pytest.raises(UserError, match="on host tb1, and Slurm placed its job on tb9"):
        visit.Visit(NAME, registry.testbeds[NAME])


@pytest.mark.parametrize("folder", ["relative", "/with space", "/a;b", ""])
def test_a_folder_that_a_shell_could_misread_is_refused(folder):
    with pytest.raises(ValueError, match="folder"):
        config.Host(name="tb1", folder=folder)


@pytest.mark.parametrize("goes_on", [True, False])
def test_a_run_on_a_host_ends_with_who_asked_for_it_and_leaves_nothing_that_is_waited_for(tmp_path, goes_on):
    command = tmp_path / "spindlemark"
    command.write_text(f"#!/bin/sh\n{'exec sleep 600' if goes_on else 'exit 3'}\n")
    command.chmod(0o755)
    with subprocess.Popen(
        ["sh", "-ec", visit.RUN, "sh", tmp_path, "run"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        if goes_on:
            process.stdin.close()
        assert process.stdout.read() == b"" and process.wait(60) == (-signal.SIGTERM if goes_on else 3)
