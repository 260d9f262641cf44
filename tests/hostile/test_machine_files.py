"""Cleaning a testbed that is a virtual machine: only the folder with our mark, only the processes that we started."""

import json
import os
import signal
import subprocess
import time
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from disks import running
from spindlemark import config
from spindlemark.core import private_files
from spindlemark.core.errors import UserError
from spindlemark.testbeds import mark, vm
from spindlemark.testbeds.vm import machine, processes

# A shell in a folder, and below it another one that has left its session. Its PATH has only what is declared.
TREE = [
    "unshare",
    "--pid",
    "--fork",
    "--kill-child",
    "--",
    "sh",
    "-c",
    "/usr/bin/setsid sh -c '/usr/bin/sleep 600; :' & /usr/bin/sleep 600; :",
]


@pytest.fixture
def declared(tmp_path):
    return config.VmTestbed(
        description="",
        kind="vm",
        kernel="bookworm",
        kernels="k",
        cpus=1,
        directory=str(tmp_path),
        direct_io=True,
        scheduler="none",
        memory="1 GiB",
        source_directory="/dev/shm",
        busy_bound=0.1,
        boot_seconds=1,
        silence_seconds=1,
        repetition_seconds=1,
        idle_seconds=1,
    )


@pytest.fixture
def started(testbed, declared, tmp_path):
    """A machine of a few shells, in the folder that `start` makes."""
    folder = machine._made(testbed, declared)
    found = processes.Machine(0, None, "serial", "key", str(tmp_path / "log"), os.urandom(16).hex())
    private_files.write_note(machine._note(testbed, declared), asdict(found))
    process = machine._launch(TREE, folder, tmp_path / "log", found.secret)
    found = replace(found, pid=process.pid, began=processes.start_of(process.pid))
    give_up = time.monotonic() + 20
    while len(list(found.processes())) < 5:
        assert time.monotonic() < give_up
        time.sleep(0.01)
    yield found
    vm.clean(testbed, declared)
    process.wait()


def test_a_folder_of_somebody_else_and_who_stands_in_it_stay(testbed, declared):
    folder = machine.folder_of(testbed, declared)
    folder.mkdir()
    (folder / "films.qcow2").write_text("mine")
    with running("sleep", "600", cwd=folder) as process:
        # As a user may write it in his own clone.
        (folder / "machine.json").write_text(
            json.dumps(
                {"pid": process.pid, "began": processes.start_of(process.pid), "serial": "", "key": "", "log": ""}
            )
        )
        vm.clean(testbed, declared)
        assert process.poll() is None and (folder / "films.qcow2").read_text() == "mine"
    with pytest.raises(UserError, match="is in the way: .*does not have this program's mark") as told:
        machine._made(testbed, declared)
    assert told.value.remedy == "move it away"


def test_all_processes_of_the_machine_are_ended_and_no_other(started, testbed, declared):
    folder = machine.folder_of(testbed, declared)
    private_files.write_note(machine._note(testbed, declared), asdict(started))
    forged = os.environ | {processes.SECRET: "guessed"}
    with running("sleep", "600", cwd=folder, env=forged) as visitor:
        assert started.alive() and machine.running(testbed, declared) == started
        assert started.cpu_seconds() >= 0
        of_it = list(started.processes())
        vm.clean(testbed, declared)
        assert visitor.poll() is None and visitor.pid not in of_it and list(started.processes()) == []
    assert not started.alive() and not folder.exists() and machine.running(testbed, declared) is None


def test_a_machine_whose_starter_was_killed_before_it_noted_the_process(started, testbed, declared):
    assert machine.running(testbed, declared).pid == 0
    vm.clean(testbed, declared)
    assert list(started.processes()) == [] and not machine.folder_of(testbed, declared).exists()


def test_a_stopped_process_of_it_is_ended_too(started, testbed, declared):
    for pid in started.processes():
        os.kill(pid, signal.SIGSTOP)
    vm.clean(testbed, declared)
    assert list(started.processes()) == []


def test_a_copy_of_the_machines_folder_stays(testbed, declared, tmp_path):
    folder = machine._made(testbed, declared)
    folder.rename(tmp_path / "moved")
    subprocess.run(["cp", "--archive", tmp_path / "moved", folder], check=True)
    assert os.getxattr(folder, mark.NAME)
    vm.clean(testbed, declared)
    assert folder.is_dir() and (tmp_path / "moved").is_dir()


def test_what_is_noted_nobody_else_reads(started, testbed, declared):
    note = next(Path(private_files.RUN).glob(f"machine-{testbed}-*"))
    assert note.stat().st_mode & 0o777 == 0o600 and started.secret in note.read_text()
