"""The family `full_size_metadata`: one repetition on a real, sparse loop device in memory."""

import json
import subprocess
import sys

import pytest

from families_bed import held, measured, planned, values
from spindlemark.families import registry as families
from spindlemark.families.full_size_metadata import fill_program

SIZE, MEMORY = 8 << 30, 256 << 20
LIBRARY = {
    "name": "sound",
    "files": 20,
    "directories": 6,
    "smallest": 5000,
    "largest": 90_000,
    "total": 700_000,
    "shape": "beta",
    "content": "none",
    "seed": 1,
}


@pytest.fixture
def sparse(bed):
    """The bed, with a device that is larger than its memory."""
    declare(bed, MEMORY)
    return bed


def declare(bed, memory: int, size: int = SIZE):
    bed.write(
        "testbeds",
        bed.testbed,
        {
            "description": "For a test",
            "kind": "ram",
            "memory": str(bed.memory),
            "sparse_memory": memory,
            "image_size": size,
            "scheduler": "none",
            "source_directory": str(bed.memory),
            "busy_bound": 0.1,
        },
    )


def spec(bed, filesystem: str):
    return planned(bed, "full_size_metadata", filesystem, {}, library="sound")


@pytest.mark.parametrize("filesystem", ["ext4", "ext4+m0-inodes", "xfs", "btrfs+nodatacow"])
def test_a_library_is_measured_without_its_content(sparse, filesystem):
    record = measured(sparse, spec(sparse, filesystem))
    assert (record.status, record.reason) == ("ok", None)
    found, library = values(record), record.experiment.factors["library"]
    without = {"inodes_created_count"} if filesystem.startswith("btrfs") else set()
    assert found.keys() == families.metrics("full_size_metadata").keys() - without
    assert found["used_after_copy_bytes"] >= library["total"] and found["space_overhead_ratio"] > 1
    assert record.experiment.fingerprint["device"] == {
        "kind": "ram",
        "bytes": SIZE,
        "sparse": True,
        "backing": {"memory": True},
    }
    assert record.environment["backing.used_bytes"] < MEMORY < library["total"] + MEMORY, "the library takes no memory"
    assert held(record, "completeness") == [True, True] and held(record, "delivered") == held(record, "space") == [True]
    assert list(sparse.memory.iterdir()) == [], "no library was generated, and the image is gone"


def test_a_filesystem_with_checksums_is_not_checked_and_not_emptied(sparse):
    record = measured(sparse, spec(sparse, "btrfs"))
    assert record.status == "ok"
    lacking = families.metrics("full_size_metadata").keys() - values(record).keys() - {"inodes_created_count"}
    assert {"check_seconds", "delete_seconds", "check_cpu_seconds"} <= lacking and "format_seconds" not in lacking
    assert all("lacks the checksums of content" in record.environment[f"absent.{metric}"] for metric in lacking)
    assert not any(command.step in ("check", "delete") for command in record.commands)


def test_a_filesystem_that_cannot_allocate_is_unsupported_and_never_written_full(sparse):
    record = measured(sparse, spec(sparse, "ext3"))
    assert (record.status, "ext3 cannot allocate space" in record.reason) == ("unsupported", True)
    assert record.environment["backing.used_bytes"] < MEMORY


def test_a_device_without_enough_memory_is_no_result(bed):
    declare(bed, 16 << 20)
    file = spec(bed, "ext4")
    said = bed.call(file, 1, code=2)
    assert f"config/testbeds/{bed.testbed}.yaml: sparse_memory: the device has used all of its {16 << 20} bytes" in said
    assert "raise sparse_memory there" in said
    assert bed.leftovers() == [] and not list(file.parent.glob("rep-*.json"))


def test_a_library_that_the_device_cannot_hold_is_refused(bed):
    declare(bed, MEMORY, size=150 << 20)
    said = bed.call(spec(bed, "ext4"), 1, code=2)
    assert "library sound has" in said and "does not fit 95%" in said


def test_the_program_allocates_each_file_at_its_size(tmp_path):
    folder = tmp_path / "library"
    argv = [sys.executable, "-P", fill_program.__file__, str(folder), json.dumps(LIBRARY)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert len(files) == 20 and sum(path.stat().st_size for path in files) == 700_000
    assert sum(path.is_dir() for path in folder.rglob("*")) == 6
    assert all(path.stat().st_blocks * 512 >= path.stat().st_size for path in files)
    assert json.loads(done.stdout)["seconds"] > 0
    again = subprocess.run(argv, capture_output=True, text=True, timeout=120)
    assert (again.returncode, again.stderr) == (1, "File exists\n")
