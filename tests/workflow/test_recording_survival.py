"""The family `recording_survival`: its programs, and repetitions on a real loop device."""

import json

import pytest

from families_bed import measured, planned, values
from spindlemark.core.errors import ProfileError, UserError
from spindlemark.families import registry as families
from spindlemark.families.recording_survival import playable_program, record_program
from spindlemark.families.recording_survival.family import SEED
from spindlemark.families.shared.crash import content, cut_program
from spindlemark.testbeds import write_log

SCALE = {"seconds": 4, "earliest_seconds": 3, "cuts": 1}
AMOUNT = {"image_size": "320 MiB", "scale": SCALE}


def test_the_factors_are_resolved():
    chosen = {"sync": "fsync-1-s", "rate": "50-mbit"}
    assert families.factors("recording_survival", chosen, SCALE, 1 << 30) == {
        "sync": {"name": "fsync-1-s", "every": 1.0},
        "rate": {"name": "50-mbit", "bytes_per_second": 6_250_000},
        "recording": {"recorders": 4, "bytes": 25_000_000, "seconds": 4.0},
        "cuts": {"count": 1, "earliest_seconds": 2.0},
        "seed": SEED,
    }
    with pytest.raises(UserError, match="there is no 'sometimes'"):
        families.factors("recording_survival", {"sync": "sometimes", "rate": "50-mbit"}, SCALE, 1 << 30)
    with pytest.raises(ProfileError, match="all recordings needs 100000000 bytes"):
        families.factors("recording_survival", chosen, SCALE, 1 << 26)


def task(tmp_path, **more):
    folder = tmp_path / "recordings"
    folder.mkdir()
    (tmp_path / "log").write_bytes(b"seven..")
    given = {"folder": str(folder), "recorders": 2, "rate": 4 * content.PIECE, "seconds": 1.1, "seed": 3}
    return given | {"log": str(tmp_path / "log"), "noted": str(tmp_path / "noted")} | more


@pytest.mark.parametrize("sync", ["none", 0.5, "dsync"])
def test_recorders_write_in_real_time_and_note_what_is_synced(tmp_path, sync):
    given = task(tmp_path, sync=sync)
    late = record_program.main(given)["late"]
    size = int(4.4 * content.PIECE)
    assert [file.stat().st_size for file in sorted((tmp_path / "recordings").iterdir())] == [size, size]
    noted = json.loads((tmp_path / "noted").read_text())
    assert {end for _, end, _ in noted} == {7} and 0 < late < 10
    assert noted[0][0] < 0 and noted[-1][0] > 0.8, "the recordings last 1.1 s"
    assert [sum(note[2]) for note in noted] == sorted(sum(note[2]) for note in noted)
    assert (noted[-1][2] != [0, 0]) == (sync != "none")


def test_a_recording_is_played_up_to_its_first_wrong_byte(tmp_path):
    given = task(tmp_path, sync="none") | {"bytes": int(4.4 * content.PIECE)}
    record_program.main(given)
    first, second = sorted((tmp_path / "recordings").iterdir())
    assert playable_program.main(given) == [given["bytes"]] * 2
    with first.open("r+b") as file:
        file.seek(content.PIECE + 3 * 4096 + 5)
        file.write(b"\0\0\0\0\0\0\0\0")
    second.write_bytes(second.read_bytes()[: content.PIECE + 100])
    assert playable_program.main(given) == [content.PIECE + 3 * 4096, content.PIECE + 100]
    second.unlink()
    assert playable_program.main(given)[1] == 0


def test_a_volatile_cache_keeps_all_before_its_last_flush_and_a_part_of_the_rest(tmp_path):
    log, device = tmp_path / "log", tmp_path / "device"
    with log.open("wb") as file:
        for n in range(40):
            write_log.append(file.fileno(), n, b"a")
        write_log.append(file.fileno())
        for n in range(40, 80):
            write_log.append(file.fileno(), n, b"b")
    device.write_bytes(bytes(80))
    done = cut_program.main(log, log.stat().st_size, tmp_path / "image", device, seed=1)
    kept = device.read_bytes()
    assert kept[:40] == b"a" * 40 and set(kept[40:]) == {0, ord("b")} and done["writes"] == 40 + kept.count(b"b")
    (tmp_path / "image").unlink()
    device.write_bytes(bytes(80))
    cut_program.main(log, log.stat().st_size, tmp_path / "image", device, seed=2)
    assert device.read_bytes() != kept


@pytest.mark.parametrize("filesystem", ["ext4", "xfs", "btrfs"])
def test_what_was_synced_survives_and_what_was_only_written_does_not(bed, filesystem):
    lost = {}
    for sync in ("none", "dsync"):
        record = measured(bed, planned(bed, "recording_survival", filesystem, AMOUNT, sync=sync, rate="50-mbit"))
        assert (record.status, record.reason) == ("ok", None)
        found = values(record)
        assert found.keys() == families.metrics("recording_survival").keys()
        assert found["recording_synced_lost_bytes"] == 0 and found["recording_clean_ratio"] == 1
        assert (
            found["recording_written_ratio"] >= 1
            and found["recording_mean_lost_seconds"] <= found["recording_lost_seconds"]
        )
        assert [cut["volatile_cache"] for cut in record.attachments["cuts"]] == [False, True]
        lost[sync] = found["recording_lost_seconds"]
    if lost["none"] <= 2:
        pytest.skip("another process synced all filesystems during the recording")
    # The kernel writes data that is 30 s old, and this is not.
    assert lost["dsync"] < lost["none"] - 1
