"""A testbed that cannot work is skipped with its remedy; the others are measured and published."""

import json
import os
import subprocess
from pathlib import Path

import pytest
import yaml

from project import CELLS, Project, leftovers


@pytest.fixture
def beside(measured):
    """A project that is measured on `loop`, and asked for a second testbed too."""
    testbed = yaml.safe_load((measured.root / "config/testbeds/loop.yaml").read_text())

    def declare(name: str, **changes) -> Project:
        measured.write(f"config/testbeds/{name}.yaml", yaml.safe_dump(testbed | changes))
        sets = yaml.safe_load((measured.root / "config/experiments/filesystem_lifecycle.yaml").read_text())
        one = {"testbeds": [name], "factors": {"filesystem": ["ext4"], "library": ["picture"]}}
        sets["sets"].append(one)
        measured.write("config/experiments/filesystem_lifecycle.yaml", yaml.safe_dump(sets))
        return measured

    return declare


def test_what_cannot_work_is_told_before_anything_is_measured(beside):
    """/proc holds no images. The results that are missing on the other testbed are measured and published all the same."""
    project = beside("nowhere", directory="/proc/spindlemark")
    (project.root / "data/raw" / sorted(project.records())[0]).unlink()
    out = project.call("run", code=1)
    told, measured = out.index("Testbed nowhere is skipped"), out.index("1/1 ")
    assert told < measured and "config/testbeds/" in out
    assert "Not everything was measured:" in out[measured:], "the end lists what was skipped"
    assert len(project.records()) == CELLS
    assert "Recommended on the testbed loop" in out and (project.root / "data/build/site/index.html").exists()
    assert leftovers(project.root) == []


def test_where_only_what_cannot_work_is_left_it_is_the_users_to_mend(beside):
    project = beside("nowhere", directory="/proc/spindlemark")
    assert "/proc/spindlemark" in project.call("run", code=2)


def test_a_reference_that_the_machine_cannot_hold_is_the_users_to_mend(measured):
    """No memory gives a thousand terabytes per second."""
    declared = yaml.safe_load((measured.root / "config/testbeds/sata-ssd.yaml").read_text())
    declared["throttle"]["write"] = 1 << 50
    measured.write("config/testbeds/sata-ssd.yaml", yaml.safe_dump(declared))
    out = " ".join(measured.call("run", "--testbed", "sata-ssd", code=2).split())
    assert "config/testbeds/sata-ssd.yaml: throttle: write: this machine is slower than declared" in out
    assert not list((measured.root / "data/raw/sata-ssd").rglob("rep-*.json"))


def test_a_filesystem_that_the_kernel_lacks_is_told_at_the_trial(measured):
    entries = yaml.safe_load((measured.root / "config/filesystems.yaml").read_text())
    entries["absent"] = entries["ext4"] | {"module": "absentfs"}
    measured.write("config/filesystems.yaml", yaml.safe_dump(entries))
    measured.replace("config/experiments/filesystem_lifecycle.yaml", "[ext4, xfs]", "[ext4, xfs, absent]")
    out = measured.measure()
    assert out.index("has no absentfs: its results are recorded as unsupported") < out.index("1/2 ")
    new = [p for p in measured.records() if "absent--" in p]
    assert {json.loads((measured.root / "data/raw" / p).read_text())["status"] for p in new} == {"unsupported"}


def test_everything_in_somebodys_clone_stays_theirs(measured):
    """Root measures; whoever owns the clone can run, build and delete afterwards."""
    subprocess.run(["chown", "-R", "--no-dereference", "65534:65534", measured.root], check=True)
    (measured.root / "outside").symlink_to("/etc/hostname")
    os.lchown(measured.root / "outside", 0, 0)
    before = Path("/etc/hostname").stat().st_uid
    (measured.root / "data/raw" / sorted(measured.records())[0]).unlink()
    measured.call("run")
    roots = subprocess.run(["find", measured.root, "-uid", "0"], capture_output=True, text=True, check=True).stdout
    assert roots == "" and Path("/etc/hostname").stat().st_uid == before
