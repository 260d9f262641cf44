"""Records are complete or absent, and never replaced; the lock keeps the second out; families are found by name."""

import json
from datetime import UTC, datetime

import pytest

from factory import experiment
from spindlemark.core import record, record_store, running
from spindlemark.core.errors import UserError
from spindlemark.core.outcome import Failed, Invalid, Unsupported
from spindlemark.families import registry as families
from spindlemark.harness import repetition


def test_a_record_is_written_once(tmp_path):
    path = tmp_path / "rep-1.json"
    record_store.write_once(path, "first")
    with pytest.raises(UserError, match="never overwritten"):
        record_store.write_once(path, "second")
    assert [p.name for p in tmp_path.iterdir()] == ["rep-1.json"] and path.read_text() == "first"


def test_a_crash_while_writing_leaves_what_the_next_start_removes(tmp_path, monkeypatch):
    monkeypatch.setattr(record_store.os, "fsync", lambda _: (_ for _ in ()).throw(OSError("power failed")))
    with pytest.raises(OSError, match="power failed"):
        record_store.write_once(tmp_path / "rep-1.json", "half")
    assert not (tmp_path / "rep-1.json").exists()
    (tmp_path / "spec.json").touch()
    record_store.remove_partials([tmp_path])
    assert [p.name for p in tmp_path.iterdir()] == ["spec.json"]


def test_running_says_what_and_where(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "_place", tmp_path / "running.json")
    exp = experiment("xfs", "sound")
    running.write(record.Spec(identity=exp.identity(), experiment=exp), 3, "copy", datetime.now(UTC))
    said = json.loads((tmp_path / "running.json").read_text())
    assert (said["experiment"], said["repetition"], said["step"]) == ("xfs--sound", 3, "copy")
    assert [str(f).endswith(f"xfs--sound/{exp.identity()}") for f in running.crashed_folders()] == [True]
    running.remove()
    assert list(tmp_path.iterdir()) == [] == list(running.crashed_folders())


UNITS = {
    "seconds": "s",
    "bytes": "B",
    "count": "1",
    "ratio": "1",
    "share": "1",
    "second": "/s",
    "mb": "1",
    "levels": "levels",
    "db": "dB",
    "score": "points",
}


def test_every_family_says_what_it_measures():
    assert "filesystem_lifecycle" in families.names()
    for name in families.names():
        assert families.method(name) >= 1
        for metric, known in families.metrics(name).items():
            assert known.unit.endswith(UNITS[metric.split("_")[-1]]) and known.description
    with pytest.raises(UserError, match="no family"):
        families.get("nonesuch")


@pytest.fixture
def opened(tmp_path):
    exp = experiment()
    spec = record.Spec(identity=exp.identity(), experiment=exp)
    return repetition.Repetition(spec, 1, None, None, families.metrics(exp.family))


def test_a_command_that_ends_badly_is_a_failed_subject(opened):
    with pytest.raises(Failed, match="exit code 1: no space"):
        opened.run(["sh", "-c", "echo no space >&2; exit 1"])
    assert opened.commands[0].exit_code == 1
    assert opened.run(["sh", "-c", "exit 1"], accept=(0, 1)).exit_code == 1


def test_gates_and_needs(opened):
    opened.require("clock", True, 0.0, 0.1, "1", "drift", whole=True)
    with pytest.raises(Invalid, match="cold_proof does not hold"):
        opened.require("cold_proof", False, 1, 2, "B", "written")
    gates = [(g.gate, g.step, g.ok) for g in opened.validity]
    assert gates == [("clock", None, True), ("cold_proof", "prepare", False)]
    with pytest.raises(Unsupported, match="nonesuch-progs"):
        opened.need_tools(["sh", "mkfs.nonesuch"], "nonesuch-progs")
    with pytest.raises(Unsupported, match="nosuchfs"):
        opened.need_filesystem("nosuchfs")
    opened.need_filesystem("proc")


def test_a_metric_takes_its_unit_from_the_family(opened):
    opened.measure("copy_seconds", 1.5)
    assert (opened.measurements[0].unit, opened.measurements[0].better) == ("s", "lower")
    with pytest.raises(KeyError):
        opened.measure("copy_minutes", 1)
