"""Notes, plans and folders of our own that were damaged or replaced: told by name with a remedy that loses nothing, or left alone."""

import os
import subprocess
import sys

import pytest

import factory
from damaging import DEEP, planned
from spindlemark.core import atomic_write, paths, running
from spindlemark.core.errors import UserError
from spindlemark.core.record import Spec
from spindlemark.measure import pending, plan

RUNNING = [
    "",
    "[]",
    "1",
    "null",
    "{}",
    '{"folder": 1}',
    '{"folder": "/etc"}',
    '{"folder": "../../.."}',
    DEEP,
    "\x1b[2J",
    '{"experiment": "[/x]", "repetition": 1, "step": "[/x]"}',
]


@pytest.mark.parametrize("text", RUNNING)
def test_a_damaged_note_of_what_is_running_tells_nothing(tmp_path, monkeypatch, text):
    monkeypatch.setattr(running, "_place", tmp_path / "running.json")
    monkeypatch.setattr(paths, "RUNNING", tmp_path / "running.json")
    (tmp_path / "running.json").write_text(text)
    assert list(running.crashed_folders()) == []
    assert running.read() is None
    running.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_fifo_as_note_of_what_is_running_does_not_hang(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "_place", tmp_path / "running.json")
    monkeypatch.setattr(paths, "RUNNING", tmp_path / "running.json")
    os.mkfifo(tmp_path / "running.json")
    assert running.read() is None


def test_a_folder_in_the_place_of_a_file_that_is_written_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "_place", tmp_path / "running.json")
    (tmp_path / "running.json").mkdir()
    with pytest.raises(UserError, match="running.json: cannot be removed"):
        running.remove()
    with pytest.raises(UserError, match="running.json: cannot be written"):
        atomic_write.write(tmp_path / "running.json", "x")
    assert [path.name for path in tmp_path.iterdir()] == ["running.json"]


@pytest.mark.parametrize("kind", ["a folder", "a FIFO", "a link to itself", "a link elsewhere"])
@pytest.mark.parametrize("place", ["data/build/run.lock", ".snakemake", "data/build/site", "data/build/logs"])
def test_something_else_in_the_place_of_a_file_or_folder_is_told(tmp_path, place, kind):
    lock, is_file = tmp_path / place, place.endswith(".lock")
    if kind in ("a folder", "a link elsewhere") and not is_file:
        pytest.skip("a folder is what belongs there, and whoever links it elsewhere may do so")
    lock.parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / "elsewhere").write_text("kept")
    {
        "a folder": lock.mkdir,
        "a FIFO": lambda: os.mkfifo(lock),
        "a link to itself": lambda: lock.symlink_to(lock.name),
        "a link elsewhere": lambda: lock.symlink_to(tmp_path / "elsewhere"),
    }[kind]()
    done = subprocess.run(
        [sys.executable, "-P", "-m", "spindlemark", "site"],
        env=os.environ | {"SPINDLEMARK_ROOT": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2 and f"error: {place}: " in done.stderr and "move it away" in done.stderr, done.stderr
    assert "Traceback" not in done.stderr
    assert (tmp_path / "elsewhere").read_text() == "kept"


@pytest.mark.parametrize(
    "text", ["{}", "[]", "null", '{"experiments": 1}', '{"experiments": [{"spec": 1}]}', DEEP, "\0"]
)
def test_a_damaged_plan_is_told_once_and_written_anew_by_the_next(tmp_path, text):
    path = tmp_path / "plan.json"
    path.write_text(text)
    with pytest.raises(UserError, match="plan.json") as raised:
        plan.read(path)
    assert "\n" not in raised.value.problem and len(str(raised.value)) < 600
    path.rename(tmp_path / "away")
    plan.write_if_changed(path, planned(factory.experiment()).model_dump_json())
    assert plan.read(path).experiments


def test_a_plan_that_is_no_text_is_replaced(tmp_path):
    (tmp_path / "plan.json").write_bytes(b"\xff\xfe\0")
    plan.write_if_changed(tmp_path / "plan.json", "{}\n")
    assert (tmp_path / "plan.json").read_text() == "{}\n"


def test_a_damaged_old_spec_is_told_where_the_plan_explains_a_change(tmp_path):
    spec = factory.write(tmp_path, factory.experiment(), 1)[0].parent / "spec.json"
    spec.write_text('{"experiment": 1}')
    new = factory.experiment(method=2)
    with pytest.raises(UserError, match=str(spec)):
        pending.reason(Spec(identity=new.identity(), experiment=new), tmp_path)
