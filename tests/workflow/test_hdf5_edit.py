"""Edits of HDF5 files measured and crashed on real devices, and what becomes of it when a witness says no."""

import shutil
from types import SimpleNamespace

import h5py
import pytest

from families_bed import held, measured, planned, values
from spindlemark.core.errors import UserError
from spindlemark.core.outcome import Invalid
from spindlemark.core.process.command import execute
from spindlemark.families import registry as families
from spindlemark.families.hdf5_edit.crash import crash_test, kill
from spindlemark.families.hdf5_edit.crash.kill import Crash, Point
from spindlemark.families.hdf5_edit.crash.recovery_states import Found
from spindlemark.families.hdf5_edit.editor import sample, verification

AMOUNT = {"image_size": "320 MiB", "scale": {"size": 0.05}}
FACTORS = {
    "task": "edit",
    "level": "yes",
    "backup": "aside",
    "sync": "sync",
    "size": "15-mb",
    "commands": "1",
    "libver": "earliest",
}


def spec(bed, filesystem="ext4+noinit", amount=AMOUNT, **changes):
    return planned(bed, "hdf5_edit", filesystem, amount, **(FACTORS | changes))


@pytest.mark.parametrize(
    ("level", "backup", "sync", "killed", "cut"),
    [
        ("no", "none", "sync", True, True),
        ("yes", "aside", "sync", False, False),
        ("yes", "copy", "no-sync", False, True),
    ],
)
def test_an_edit_is_killed_and_loses_power_at_every_point(bed, level, backup, sync, killed, cut):
    """`killed`, `cut`: whether anything is lost in that kind of crash; without a sync power takes what a kill leaves."""
    record = measured(bed, spec(bed, task="crash", level=level, backup=backup, sync=sync))
    assert (record.status, record.reason) == ("ok", None)
    found, kills, cuts = values(record), record.attachments["kills"], record.attachments["cuts"]
    assert found.keys() == set(families.metrics("hdf5_edit"))
    assert (found["kill_lost_ratio"] > 0, found["power_lost_ratio"] > 0) == (killed, cut) and found[
        "power_unmountable_ratio"
    ] == 0
    for kind in ("kill", "power", "power_reordered"):
        assert found[f"{kind}_saved_ratio"] == pytest.approx(1 - found[f"{kind}_lost_ratio"])
    assert len(kills) == found["kill_points_count"] and {"before", "after"} <= {kill["state"] for kill in kills}
    in_order = [one for one in cuts if not one["also"]]
    assert (in_order[0]["state"], in_order[-1]["state"]) == ("before", "after")
    assert len(cuts) == found["power_points_count"] + found["power_reordered_points_count"]
    if backup == "copy":
        assert found["kill_rule_lost_ratio"] > 0 and sum(kill["call"] == "write" for kill in kills) >= 3, (
            "a half of a backup was killed"
        )
    if backup == "aside":
        size = record.experiment.factors["size"]["bytes"]
        assert found["edit_device_written_bytes"] >= size and found["edit_largest_bytes"] >= 0.9 * size
    told = " ".join(gate.detail for gate in record.validity if gate.ok)
    assert all(
        word in told
        for word in (
            "h5dump -A",
            "h5diff",
            "h5stat",
            "h5repack",
            "h5clear",
            "signal 9",
            "synced",
            "all recorded writes",
            "last replayed state",
        )
    )
    assert {"h5py", "hdf5-tools", "strace"} <= record.experiment.fingerprint["tools"].keys()
    assert [path for path in bed.memory.rglob("*") if path.is_file()] == []


def test_one_writer_and_many_readers_is_no_protection_from_crashes(bed):
    """A kill leaves the file marked as open, which h5clear mends; and some writes are lost, as it only orders what readers see."""
    chosen = {"level": "swmr", "backup": "none", "libver": "latest", "commands": "2"}
    record = measured(bed, spec(bed, task="crash", **chosen))
    assert (record.status, record.reason) == ("ok", None)
    found, kills = values(record), record.attachments["kills"]
    assert found["kill_mended_ratio"] > 0 < found["kill_lost_ratio"] and found["power_lost_ratio"] > 0
    assert {kill["acknowledged"] for kill in kills} == {0, 1, 2}, "each command is confirmed when it is flushed"
    assert record.environment["memory.limit_bytes"] == 1 << 30


def test_what_a_filesystem_cannot_is_unsupported_and_an_onion_is_exported(bed):
    record = measured(bed, spec(bed, backup="reflink"))
    assert record.status == "unsupported" and "this filesystem shares no blocks between files" in record.reason
    record = measured(bed, spec(bed, backup="onion", filesystem="xfs"))
    assert (record.status, held(record, "completeness")) == ("ok", [True])


class Asked:
    """What witnesses need of a session: the tools are real."""

    def run(self, argv, limit, accept=(0,)):
        done = execute(argv, limit)
        assert done.exit_code in accept, done
        return done

    def require(self, gate, ok, observed, bound, unit, detail):
        if not ok:
            raise Invalid(detail)


def test_as_many_edits_have_to_die_as_there_are_points(tmp_path, monkeypatch):
    died, lived = (
        Crash(Point("write", 1), ended, 0, Found("before", "kept", rule_loses=False)) for ended in (kill.KILLED, 0)
    )
    for crashes in ([], [died, lived]):
        monkeypatch.setattr(kill, "points", lambda *_, crashes=crashes: crashes)
        monkeypatch.setattr(kill, "crash", lambda editing, edit, point, known: point)
        with pytest.raises(Invalid, match="died of signal 9"):
            crash_test._kill(SimpleNamespace(repetition=Asked(), memory=tmp_path), None, None, None)


def test_each_witness_sees_what_it_can(tmp_path):
    before, after = tmp_path / "before.h5", tmp_path / "after.h5"
    sample.write(before, 2 * sample.CHUNK_BYTES, 1, "earliest")

    def ask(created=(), change=lambda file: None):
        shutil.copyfile(before, after)
        with h5py.File(after, "r+") as file:
            change(file)
        verification.ask(Asked(), before, after, created, tmp_path, 30)

    ask(), ask(["one"], lambda file: file.attrs.update(one=1))
    with pytest.raises(Invalid, match="h5dump -A"):
        ask(["absent"])
    with pytest.raises(Invalid, match="h5diff"):
        ask((), lambda file: file["All_Data/Granule_0/Radiance"].__setitem__((0, 0), 1))
    with pytest.raises(Invalid, match="h5diff"):
        ask((), lambda file: file["All_Data/Granule_0"].attrs.update(N_Granule_ID=7))
    with pytest.raises(Invalid, match="repacked"):
        ask((), lambda file: file.__delitem__("All_Data/Granule_0"))
    after.write_bytes(before.read_bytes()[:-100])
    with pytest.raises(Invalid, match="h5stat"):
        verification.ask(Asked(), before, after, (), tmp_path, 30)


def test_what_cannot_be_planned_names_its_key(bed):
    for changes, amount, match in (
        ({"level": "maybe"}, AMOUNT, "level: there is no 'maybe'"),
        ({"colour": "red"}, AMOUNT, "colour: the family has no such"),
        ({"level": "no"}, AMOUNT, "level no cannot use backup 'aside'"),
        ({"backup": "none"}, AMOUNT, "level yes cannot use backup"),
        ({"level": "swmr", "backup": "none"}, AMOUNT, "level swmr cannot use the oldest file format"),
        ({"size": "2200-mb"}, AMOUNT | {"scale": {"size": 1}}, "does not fit"),
        ({}, {"scale": {"size": 0}}, "scale.size"),
    ):
        with pytest.raises(UserError, match=match):
            spec(bed, amount=amount, **changes)


def test_the_commands_are_the_source_s():
    assert sample.names(9) == ["newattrI32BE", "newattrF64LE", *(f"newattr{n}" for n in range(1, 8))]
    assert len(sample.names(27)) == len(set(sample.commands(27))) == 27 and sample.names(1) == ["newattrI32BE"]
