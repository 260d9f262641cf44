"""What the screen says of the time that is left."""

import io
import os
import re
import subprocess
import time

import pytest
from rich.console import Console

import factory
from spindlemark.cli import progress, snakemake_process
from spindlemark.cli.terminal import disk_consent
from spindlemark.core import events, paths
from spindlemark.core.errors import UserError
from spindlemark.core.record import Spec, join_parts
from spindlemark.measure.pending import Job
from spindlemark.measure.plan import Planned, Request


@pytest.fixture
def jobs(tmp_path, monkeypatch):
    """Four repetitions of one experiment, whose records go below `tmp_path`."""
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    e = factory.experiment()
    planned = Planned(
        experiment=e.experiment,
        workload=join_parts(e.workload),
        family=e.family,
        testbed=e.testbed,
        kind="loop",
        identity=e.identity(),
        spec="spec.json",
        repetitions=4,
        records=[],
    )
    return [Job(planned, n) for n in range(1, 5)]


def clock(monkeypatch, seconds):
    monkeypatch.setattr(progress.time, "monotonic", lambda: 1000.0 + seconds)


def test_what_comes_before_the_first_repetition_is_not_its_time(jobs, tmp_path, monkeypatch):
    watch = progress.Watch(jobs, 40.0)
    clock(monkeypatch, 100)
    assert watch.remaining() == 40.0
    watch.begin()
    clock(monkeypatch, 105)
    assert watch.remaining() == 35.0
    (tmp_path / "rep-1.json").touch()
    watch.poll()
    assert (watch.done, watch.remaining()) == (1, 15.0)


def test_every_rule_that_a_command_starts_is_told_in_words():
    text = "".join(file.read_text() for file in (paths.PROJECT / "rules").glob("*.smk"))
    rules = re.findall(r"^rule (\w+):\n(.*?)(?=^\S|\Z)", text, re.MULTILINE | re.DOTALL)
    programs = {name for name, body in rules if "shell:" in body}
    assert {"plan", "trial", "pages"} <= programs
    assert programs - progress._ACTIVITIES.keys() == {"host"}, "which people start by Snakemake"


def test_what_is_skipped_is_not_waited_for(jobs):
    watch = progress.Watch(jobs, 40.0)
    watch.drop({"another"})
    assert watch.total == 4
    watch.drop({"loop"})
    assert (watch.total, watch.done, watch.remaining()) == (0, 0, 0.0)


def test_waiting_for_another_project_is_told_and_is_no_measuring(tmp_path, monkeypatch):
    monkeypatch.setattr(progress.noted, "_place", tmp_path / "running.json")
    workflow = snakemake_process.Engine({}, ["measured"])
    file = tmp_path / "events.jsonl"
    monkeypatch.setattr(workflow, "_reader", events.Reader(file))
    events.append(file, {"event": "job_info", "rule_name": "measure_aging"})
    workflow.news()
    assert not progress.waiting(workflow) and progress.current_activity(workflow) == "measuring"
    events.append(file, {"event": "waiting", "holder": "process 7"})
    workflow.news()
    assert progress.waiting(workflow) and "another measurement on this machine" in progress.current_activity(workflow)
    experiment = factory.experiment()
    progress.noted.write(Spec(identity=experiment.identity(), experiment=experiment), 1, "copy", factory.START)
    assert not progress.waiting(workflow), "its turn has come"


def test_the_step_of_a_crashed_process_is_not_shown(tmp_path, monkeypatch):
    monkeypatch.setattr(progress.noted, "_place", tmp_path / "running.json")
    workflow = snakemake_process.Engine({}, ["measured"])
    monkeypatch.setattr(workflow, "_rule", "trial")
    experiment = factory.experiment()
    progress.noted.write(Spec(identity=experiment.identity(), experiment=experiment), 1, "copy", factory.START)
    assert progress.current_activity(workflow) == "trying the testbeds: copy"
    ended = subprocess.Popen(["true"])
    ended.wait()
    text = (tmp_path / "running.json").read_text()
    (tmp_path / "running.json").write_text(text.replace(f'"pid":{os.getpid()}', f'"pid":{ended.pid}'))
    assert progress.current_activity(workflow) == "trying the testbeds"


def test_planning_that_fetches_kernels_is_not_silent(monkeypatch):
    """It comes first in a run, and lasts a minute where the kernels of virtual machines are fetched."""

    def slow(*_):
        give_up = time.monotonic() + 30
        while "planning" not in said.getvalue() and time.monotonic() < give_up:
            time.sleep(0.01)
        raise UserError("nothing is planned", "")

    said = io.StringIO()
    monkeypatch.setattr(progress, "SILENCE_SECONDS", 0.02)
    monkeypatch.setattr(disk_consent.planning, "make", slow)
    with pytest.raises(UserError, match="nothing is planned"):
        disk_consent.require_consent(Console(file=said), Request(), None)
    assert "missing kernels of virtual machines are fetched" in " ".join(said.getvalue().split())
