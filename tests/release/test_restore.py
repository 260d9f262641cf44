"""Restoring this machine's own records from a contribution: nothing is overwritten, and other machines are kept apart."""

import pytest

from spindlemark.core import host
from spindlemark.core.errors import UserError
from spindlemark.core.record import read_record, read_spec, records_in
from spindlemark.release.contributions import archive, checks, restored


@pytest.fixture
def given(tmp_path, good, monkeypatch):
    """A contribution that was read, of this machine."""
    file = tmp_path / "given.zip"
    file.write_bytes(good.bytes())
    found, records = checks.read(file)
    monkeypatch.setattr(host, "identity", lambda: found.about.machine.host or "0123456789ab")
    return found, records


def named(found):
    """The contribution with the host that `given` says this machine has."""
    machine = found.about.machine.model_copy(update={"host": host.identity()})
    return archive.Contribution(
        found.path, found.about.model_copy(update={"machine": machine}), found.lines, found.content
    )


def files(root):
    return sorted(path for folder in root.glob("*/*/*/*") for path in records_in(folder))


def test_records_are_restored_once(tmp_path, given):
    found, records = named(given[0]), given[1]
    assert restored.restore(found, records, tmp_path / "raw") == len(records) == 2
    assert [read_record(path).started_at for path in files(tmp_path / "raw")] == [r.started_at for r in records]
    assert [path.stat().st_mtime for path in files(tmp_path / "raw")] == [r.finished_at.timestamp() for r in records]
    assert restored.restore(found, records, tmp_path / "raw") == 0, "they are there already"


def test_specs_are_restored_too(tmp_path, given):
    """A plan of another kernel does not write them, and a release takes only what has one."""
    found, records = named(given[0]), given[1]
    restored.restore(found, records, tmp_path / "raw")
    specs = {path.parent: read_spec(path) for path in (tmp_path / "raw").glob("*/*/*/*/spec.json")}
    assert {folder.name: spec.identity for folder, spec in specs.items()} == {r.identity: r.identity for r in records}
    assert all(spec.experiment.identity() == spec.identity for spec in specs.values())
    one = next(iter(specs)) / "spec.json"
    one.unlink()
    assert restored.restore(found, records, tmp_path / "raw") == 0 and one.exists(), "an older restore wrote none"


def test_what_is_missing_is_restored_and_the_rest_stays(tmp_path, given):
    found, records = named(given[0]), given[1]
    restored.restore(found, records, tmp_path / "raw")
    first, second = files(tmp_path / "raw")
    before, content = first.stat().st_ino, second.read_bytes()
    second.unlink()
    assert restored.restore(found, records, tmp_path / "raw") == 1
    assert first.stat().st_ino == before and second.read_bytes() == content


def test_another_result_with_the_same_number_is_kept(tmp_path, given):
    found, records = named(given[0]), given[1]
    restored.restore(found, records, tmp_path / "raw")
    first, second = files(tmp_path / "raw")
    first.unlink()
    other = read_record(second).model_copy(update={"started_at": records[0].started_at.replace(year=2027)})
    second.write_text(archive.line(other) + "\n", encoding="utf-8")
    with pytest.raises(UserError, match="another result with the same number"):
        restored.restore(found, records, tmp_path / "raw")
    assert not first.exists(), "nothing was written"


def test_results_of_another_machine_are_refused(tmp_path, given, monkeypatch):
    found, records = named(given[0]), given[1]
    monkeypatch.setattr(host, "identity", lambda: "ffffffffffff")
    with pytest.raises(UserError, match="of another machine"):
        restored.restore(found, records, tmp_path / "raw")
    assert not (tmp_path / "raw").exists()
