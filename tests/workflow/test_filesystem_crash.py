"""The family `filesystem_crash`: its factors and programs, and one repetition on a real loop device."""

from collections import Counter

import pytest

from families_bed import held, measured, planned, values
from spindlemark.core.errors import ProfileError, UserError
from spindlemark.families import registry as families
from spindlemark.families.filesystem_crash import compare_program, family, fill_program
from spindlemark.families.shared.crash import content, cut_program
from spindlemark.testbeds import write_log

AMOUNT = {"image_size": "320 MiB", "scale": {"fill": "40 MB"}}


def test_the_factors_are_resolved():
    chosen = {"size": "50-mb", "sync": "plain"}
    assert families.factors("filesystem_crash", chosen, {"fill": 10**9}, 2 << 30) == {
        "size": {"name": "50-mb", "bytes": 50_000_000, "files": 20, "total": 1_000_000_000},
        "sync": "plain",
        "seed": family.SEED,
    }
    with pytest.raises(UserError, match="there is no 'sometimes'"):
        families.factors("filesystem_crash", {"size": "1-mb", "sync": "sometimes"}, {"fill": 10**9}, 2 << 30)
    with pytest.raises(ProfileError, match="the fill needs 1000000000 bytes"):
        families.factors("filesystem_crash", chosen, {"fill": 10**9}, 1 << 29)


def test_the_cut_is_in_the_second_half_and_the_same_for_all():
    given = {"seed": 1, "size": {"files": 1000}}
    cuts = [family.cut_after(given, number) for number in range(1, 50)]
    assert all(500 <= cut <= 900 for cut in cuts) and len(set(cuts)) > 40
    assert cuts == [family.cut_after(given, number) for number in range(1, 50)]
    assert family.cut_after({"seed": 1, "size": {"files": 2}}, 1) == 1


def test_the_log_is_noted_after_each_file_and_the_states_of_files_are_counted(tmp_path):
    log = tmp_path / "log"
    log.write_bytes(b"seven..")
    task = {"folder": str(tmp_path / "files"), "files": 6, "bytes": content.PIECE + 5, "seed": 3}
    assert fill_program.main(task | {"each": True, "log": str(log)}) == [7] * 6
    whole, *others = [tmp_path / "files" / content.path(number) for number in range(6)]
    assert whole.stat().st_size == content.PIECE + 5 and whole.read_bytes() != others[0].read_bytes()
    assert compare_program.main(task) == {"whole": 6, "missing": 0, "short": 0, "different": 0}
    others[0].unlink()
    others[1].write_bytes(others[1].read_bytes()[:-1])
    others[2].write_bytes(whole.read_bytes())
    others[3].write_bytes(bytes(content.PIECE + 5))
    assert compare_program.main(task) == {"whole": 2, "missing": 1, "short": 1, "different": 2}


def test_a_device_gets_the_writes_that_were_complete_and_zeros_elsewhere(tmp_path):
    log, device = tmp_path / "log", tmp_path / "device"
    with log.open("wb") as file:
        ends = []
        for offset, data in ((0, b"first"), (100, b"second"), (0, b""), (3, b"third")):
            write_log.append(file.fileno(), offset, data)
            ends.append(log.stat().st_size)
    device.write_bytes(b"x" * 200)
    done = cut_program.main(log, ends[3] - 1, tmp_path / "image", device)
    assert done == {"writes": 2, "bytes": 11, "copied": 200}
    assert device.read_bytes() == b"first" + bytes(95) + b"second" + bytes(94)
    (tmp_path / "image").unlink()
    assert cut_program.main(log, ends[3] - 1, tmp_path / "image", device)["copied"] == 0, "it has all that already"


@pytest.mark.parametrize("filesystem", ["ext4", "xfs", "btrfs"])
def test_synced_files_survive_a_power_cut(bed, filesystem):
    record = measured(bed, planned(bed, "filesystem_crash", filesystem, AMOUNT, size="1-mb", sync="each-file"))
    assert (record.status, record.reason) == ("ok", None)
    found = values(record)
    assert found.keys() == families.metrics("filesystem_crash").keys()
    assert found["crash_whole_share"] == 1 and found["crash_lost_bytes"] == 0
    assert (
        20 <= found["crash_finished_count"] <= 36 and record.environment["crash.whole"] == found["crash_finished_count"]
    )
    steps = Counter(command.step for command in record.commands)
    assert steps["crash_mount"] == steps["crash_list"] == steps["crash_check"] == 1
    assert found["crash_mount_seconds"] == pytest.approx(
        sum(command.seconds for command in record.commands if command.step in ("crash_mount", "crash_list"))
    )
    assert held(record, "completeness") == [True, True]


def test_files_that_were_only_closed_are_lost(bed):
    """The kernel writes them much later than these few files need."""
    record = measured(bed, planned(bed, "filesystem_crash", "ext4", AMOUNT, size="1-mb", sync="plain"))
    found = values(record)
    assert record.status == "ok" and found["crash_whole_share"] < 1
    lost = found["crash_finished_count"] - record.environment["crash.whole"]
    assert found["crash_lost_bytes"] == 1e6 * lost > 0
    assert record.environment["crash.writes"] > 0
