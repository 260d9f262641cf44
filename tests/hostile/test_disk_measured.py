"""The one disk that may be erased: consented to on a terminal, measured without asking again, known after a crash."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from disks import MIB
from on_terminal import on_a_terminal
from project import Project
from spindlemark import config
from spindlemark.core.paths import folder_name
from spindlemark.core.record import read_record
from spindlemark.measure import plan
from spindlemark.testbeds import block, label, signatures

ONE_CELL = {"description": "One cell", "sets": [{"factors": {"filesystem": ["xfs"], "library": ["picture"]}}]}


@pytest.fixture
def project(disks, tmp_path):
    """A project whose testbed is a disk."""
    disk = disks(400 * MIB, model="Test Disk")
    made = Project(tmp_path / "project")
    made.disk = disk
    made.declaration = {
        "description": "A disk",
        "kind": "block",
        "device": str(disk.link),
        "serial": disk.serial,
        "model": disk.model,
        "size": disk.size,
        "erase": disk.serial,
        "scheduler": "none",
        "source_directory": "/dev/shm",
        "busy_bound": 0.1,
    }
    made.write("config/testbeds/disk.yaml", yaml.safe_dump(made.declaration))
    made.write("config/experiments/filesystem_lifecycle.yaml", yaml.safe_dump(ONE_CELL))
    made.replace("config/config.yaml", "testbed: loop", "testbed: disk")
    yield made
    block.clean("disk", config.BlockTestbed(**made.declaration))
    shutil.rmtree(Path("/dev/shm") / folder_name(made.root), ignore_errors=True)  # the last repetition's library


def test_nothing_is_written_without_the_users_word(project):
    disk = project.disk
    before = disk.checksum()
    out = project.call("plan")
    for words in (str(disk.link.name)[:12], "Test Disk", f"{disk.size:,}", "empty", "when you confirm it"):
        assert words in out, out
    out = project.call("run", code=2)
    assert "the user has not yet consented to erase it" in out
    assert f"sudo ./spindlemark run --testbed disk --erase {disk.serial}" in out
    assert "no disk of this run has that serial number" in project.call("run", "--erase", "OTHER", code=2)
    code, out = on_a_terminal(project, "OTHER", "run")
    assert code == 2 and "Everything on this disk is erased" in out and "is not the serial number" in out
    assert disk.checksum() == before and project.records() == {}


def test_consent_does_not_overrule_the_guard(project):
    disk = project.disk
    subprocess.run(["mkfs.ext4", "-q", "-F", disk.node], check=True)
    before = disk.checksum()
    assert "there is ext4" in project.call("run", "--erase", disk.serial, code=2)
    assert "ext4" in project.call("plan")
    assert disk.checksum() == before


def test_consented_once_then_measured_again_and_after_a_crash(project):
    disk = project.disk
    code, out = on_a_terminal(project, disk.serial, "run", until="now has this program's label")
    assert code == 130, out
    written = label.read(disk.node)

    spec = planned(project)
    for repetition in (1, 2):
        assert measure(project, spec, repetition).wait(60) == 0
    record = read_record(spec.parent / "rep-1.json")
    assert record.environment["device.kind"] == "block"
    assert disk.serial not in record.model_dump_json() and str(disk.link) not in record.model_dump_json()
    for step in ("format", "copy"):
        crashed = measure(project, spec, 3)
        wait_for_step(project, crashed, step)
        crashed.kill()
        crashed.wait()
        assert block.refusal("disk", config.BlockTestbed(**project.declaration)) is None
    assert measure(project, spec, 3).wait(60) == 0
    assert [read_record(spec.parent / f"rep-{n}.json").status for n in (1, 2, 3)] == ["ok"] * 3

    assert "yes, it has the label" in project.call("plan")
    assert label.read(disk.node) == written and signatures.known(disk.node) == []
    assert not list(Path(f"/sys/class/block/{disk.node.name}").glob("*/partition"))
    assert not (project.root / "data/build/testbed/mount-disk").exists()
    assert str(project.root) not in Path("/proc/self/mountinfo").read_text()


def planned(project):
    """Spec file of the one cell."""
    made, specs = plan.make(config.load(project.root / "config"))
    plan.write(made, specs, project.root)
    return project.root / made.experiments[0].spec


def measure(project, spec, repetition):
    """The driver, as rules call it."""
    env = os.environ | {"SPINDLEMARK_ROOT": str(project.root)}
    return subprocess.Popen(
        [
            sys.executable,
            "-m",
            "spindlemark.measure",
            spec,
            "--repetition",
            str(repetition),
            "--output",
            spec.parent / f"rep-{repetition}.json",
        ],
        env=env,
        cwd=project.root,
    )


def wait_for_step(project, process, step):
    give_up = time.monotonic() + 30
    running = project.root / "data/build/running.json"
    while not (running.exists() and f'"{step}"' in running.read_text()):
        assert process.poll() is None and time.monotonic() < give_up, "it ended before the step came"
        time.sleep(0.005)
