"""What a call of Snakemake reports: events of jobs, user errors and the traceback of what broke."""

import signal
import subprocess
import sys
import time

import pytest

from spindlemark.cli import snakemake_process
from spindlemark.core import events
from spindlemark.core.errors import UserError, WorkflowError
from spindlemark.measure.pending import Provenance


@pytest.fixture
def workflow(tmp_path, monkeypatch):
    """A call that reads its events from `tmp_path` and never starts."""
    made = snakemake_process.Engine({}, ["measured"])
    made.log = tmp_path / "log"
    made.log.write_text("\n".join(map(str, range(99))))
    monkeypatch.setattr(made, "_reader", events.Reader(tmp_path / "events.jsonl"))
    monkeypatch.setenv(events.VARIABLE, str(tmp_path / "events.jsonl"))
    return made


def ended(workflow, code):
    workflow._process = subprocess.Popen([sys.executable, "-c", f"raise SystemExit({code})"])
    return workflow


def test_the_traceback_is_reported_whatever_other_jobs_print_after_it(workflow):
    events.emit(
        "defect", traceback="Traceback (most recent call last):\n  File x\nZeroDivisionError: division by zero\n"
    )
    events.emit("job_info", rule_name="pages")
    with pytest.raises(WorkflowError, match=r"(?s)exit code 1.*Traceback.*division by zero$"):
        ended(workflow, 1).wait()


def test_without_one_the_last_lines_of_the_log_are(workflow):
    workflow.news()
    assert workflow.failure_log().splitlines() == [str(n) for n in range(74, 99)]


def test_what_the_user_can_fix_is_raised_with_its_remedy(workflow):
    for _ in range(2):  # said by the job and its second try
        events.emit("user_error", problem="config/x.yaml: wrong", remedy="change it")
    with pytest.raises(UserError, match="wrong") as raised:
        ended(workflow, 1).wait()
    assert raised.value.remedy == "change it" and len(workflow.user_errors()) == 1


def test_a_damaged_or_unfinished_line_is_left_out(tmp_path):
    file = tmp_path / "events.jsonl"
    file.write_bytes(b'{"event": "one"}\n{"event\n[]\n{"event": "tw')
    reader = events.Reader(file)
    assert [each["event"] for each in reader.new()] == ["one"]
    with file.open("a") as opened:
        opened.write('o"}\n')
    assert [each["event"] for each in reader.new()] == ["two"] and list(reader.new()) == []


def test_snakemake_finds_the_logger_plugin_and_writes_its_events(tmp_path):
    (tmp_path / "Snakefile").write_text('rule first:\n    output: "{n}.txt"\n    shell: "touch {output}"\n')
    words = ["-m", "snakemake", "7.txt", "--cores", "1", "--logger", "spindlemark"]
    subprocess.run(
        [sys.executable, "-P", *words, "--logger-spindlemark-file", "e.jsonl"], cwd=tmp_path, check=True, timeout=120
    )
    seen = list(events.Reader(tmp_path / "e.jsonl").new())
    (info,) = [each for each in seen if each["event"] == "job_info"]
    assert (info["rule_name"], info["wildcards"]) == ("first", {"n": "7"}) and "7.txt" in info["reason"]
    assert [each["event"] for each in seen if each["event"].startswith("job_")] == [
        "job_started",
        "job_info",
        "job_finished",
    ]


@pytest.fixture
def apart(workflow, tmp_path, monkeypatch):
    """The call in a project of its own, with other programs instead of Snakemake."""
    for name in ("ROOT", "BUILD", "SITE"):
        monkeypatch.setattr(snakemake_process, name, tmp_path)
    monkeypatch.setattr(workflow, "_temporary", tmp_path / "runs" / workflow.name / "tmp")
    return workflow


@pytest.mark.parametrize("provenance", [None, Provenance(run="x", interim_analyses=0, blocks={})])
def test_what_a_killed_snakemake_leaves_is_in_the_folder_of_its_run(apart, tmp_path, provenance):
    apart._argv = [sys.executable, "-c", "import os, tempfile; tempfile.mkdtemp(); os.kill(os.getpid(), 9)"]
    apart._provenance = provenance
    apart.start()
    with pytest.raises(WorkflowError):
        apart.wait()
    assert len(list((tmp_path / "runs").glob("*/tmp/*"))) == 1
    apart.remove_temporary()
    assert (tmp_path / "runs").exists() == bool(provenance), "a job that outlives Snakemake may use it"


@pytest.mark.parametrize("sign", [signal.SIGHUP, signal.SIGKILL])
def test_a_killed_snakemake_leaves_no_lock(apart, tmp_path, sign):
    locked = "import os, pathlib, signal; p = pathlib.Path('.snakemake/locks'); p.mkdir(parents=True); (p / '0.lock').touch()"
    deadly = "signal.signal(signal.SIGHUP, signal.SIG_DFL)"  # below nohup it is ignored
    apart._argv = [sys.executable, "-c", f"{locked}; {deadly}; os.kill(os.getpid(), {int(sign)})"]
    apart.start()
    with pytest.raises(WorkflowError):
        apart.wait()
    assert list((tmp_path / ".snakemake/locks").iterdir()) == []


def test_it_can_be_stopped_where_a_script_runs_us_in_its_background(apart):
    """There SIGINT is ignored, by what we start too."""
    apart._argv = [sys.executable, "-c", "import time; print('up', flush=True); time.sleep(600)"]
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        apart.start()
    finally:
        signal.signal(signal.SIGINT, before)
    give_up = time.monotonic() + 60
    while "up" not in apart.log.read_text():
        assert time.monotonic() < give_up
        time.sleep(0.01)
    apart.interrupt()
    assert apart._process.returncode == -signal.SIGINT
