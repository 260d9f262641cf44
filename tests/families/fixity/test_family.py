"""The family `fixity` on a real loop device: its numbers, and the damaged file that it finds and replaces."""

import hashlib

import pytest

from families_bed import held, measured, planned, values
from spindlemark.core.errors import UserError
from spindlemark.core.process import programs
from spindlemark.families import registry as families
from spindlemark.families.fixity import family
from spindlemark.families.fixity.algorithm_factor import ALGORITHMS

AMOUNT = {"image_size": "320 MiB"}
RECOVERY = {"recovery_create_bytes_per_second", "recovery_cpu_seconds", "recovery_ratio"}


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_damaged_file_is_found_and_replaced(bed, algorithm):
    tool, package = ALGORITHMS[algorithm]
    if programs.find(tool) is None:
        pytest.skip(f"{tool} is not installed: the package {package} brings it")
    record = measured(
        bed, planned(bed, "fixity", "ext4", AMOUNT, library="sound", algorithm=algorithm, repair="second-copy")
    )
    assert (record.status, record.reason) == ("ok", None)
    found = values(record)
    assert found.keys() == families.metrics("fixity").keys() - RECOVERY
    total = record.experiment.factors["library"]["total"]
    assert found["verify_bytes_per_second"] == pytest.approx(total / found["verify_seconds"])
    (verify,) = (command for command in record.commands if command.step == "verify")
    assert found["verify_cpu_seconds"] == pytest.approx(1e9 * (verify.user_seconds + verify.system_seconds) / total)
    (find,) = (command for command in record.commands if command.step == "find")
    assert find.exit_code == 1 and find.stdout.count(": FAILED") == 1
    assert held(record, "content") == [True] and held(record, "cold_proof") == [True, True]


def test_a_damaged_file_is_repaired_from_its_recovery_records(bed):
    if programs.find("par2") is None:
        pytest.skip("par2 is not installed: the package par2 brings it")
    record = measured(bed, planned(bed, "fixity", "ext4", AMOUNT, library="sound", algorithm="md5", repair="par2"))
    assert (record.status, record.reason) == ("ok", None)
    found = values(record)
    assert found.keys() == families.metrics("fixity").keys()
    assert 0.05 <= found["recovery_ratio"] < 0.2 and found["recovery_cpu_seconds"] > 0
    repair, _, checked = (command for command in record.commands if command.step == "repair")
    assert repair.argv[:2] == ["par2", "repair"] and "Repair complete" in repair.stdout
    assert checked.exit_code == 0, "the checksum of the manifest"


def test_one_bit_is_flipped(tmp_path):
    file = tmp_path / "file"
    file.write_bytes(bytes(1000))
    family._flip(file, 3)
    assert sorted(file.read_bytes())[-2:] == [0, 1] and file.stat().st_size == 1000
    assert hashlib.md5(file.read_bytes()).digest() != hashlib.md5(bytes(1000)).digest()


def test_an_unknown_algorithm_is_refused(bed):
    with pytest.raises(UserError, match="no algorithm is called 'crc32'"):
        planned(bed, "fixity", "ext4", AMOUNT, library="sound", algorithm="crc32", repair="second-copy")


def test_an_unknown_repair_is_refused(bed):
    with pytest.raises(UserError, match="no repair is called 'hope'"):
        planned(bed, "fixity", "ext4", AMOUNT, library="sound", algorithm="md5", repair="hope")
