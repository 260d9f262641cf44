"""The machine's lock: one holder, who is named; a limit for those who wait; nothing of others' in its place."""

import os
import subprocess
import sys

import pytest

from spindlemark.core import private_files
from spindlemark.core.errors import UserError
from spindlemark.core.process import lock


@pytest.fixture(autouse=True)
def run_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(private_files, "RUN", tmp_path / "run")
    return tmp_path / "run"


def test_it_keeps_a_second_one_out_whatever_the_testbed(run_folder):
    with lock.machine_lock(purpose="testbed loop"):
        with (
            pytest.raises(UserError, match=rf"in use by process {os.getpid()} \(testbed loop\)"),
            lock.machine_lock(wait=False),
        ):
            pass
        assert [path.stat().st_mode & 0o777 for path in run_folder.iterdir()] == [0o600]
    with lock.machine_lock(wait=False):
        pass


def test_who_waits_is_told_for_whom_and_waits_no_longer_than_the_limit(capsys, monkeypatch):
    monkeypatch.setattr(lock, "_SAY_SECONDS", 0.3)
    with (
        lock.machine_lock(purpose="testbed loop"),
        pytest.raises(UserError, match="wait until it ends"),
        lock.machine_lock(limit_seconds=3),
    ):
        pass
    said = capsys.readouterr().err.splitlines()
    assert len(said) >= 2
    assert set(said) == {f"waiting: this machine is in use by process {os.getpid()} (testbed loop)"}


def test_a_command_that_outlives_its_driver_holds_it(run_folder):
    with lock.machine_lock() as descriptor:
        command = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, pass_fds=[descriptor])
    with pytest.raises(UserError, match="in use"), lock.machine_lock(wait=False):
        pass
    command.communicate(b"\n")
    with lock.machine_lock(wait=False):
        pass


@pytest.mark.parametrize(
    "make",
    [
        os.mkfifo,
        os.mkdir,
        lambda path: path.symlink_to("elsewhere"),
        lambda path: path.touch(mode=0o666) or path.chmod(0o666),
    ],
)
def test_what_lies_in_its_place_is_refused(run_folder, make):
    run_folder.mkdir(mode=0o755)
    make(run_folder / "machine.lock")
    with (
        pytest.raises(UserError, match="machine.lock: (is not a file of this program|belongs to another user)"),
        lock.machine_lock(),
    ):
        pass
    assert [path.name for path in run_folder.iterdir()] == ["machine.lock"]


@pytest.mark.parametrize(
    "make",
    [
        os.mkfifo,
        lambda path: path.symlink_to("/tmp"),
        lambda path: path.touch(),
        lambda path: path.mkdir() or path.chmod(0o1777),
    ],
)
def test_a_folder_that_is_not_ours_is_refused(run_folder, make):
    make(run_folder)
    with pytest.raises(UserError, match=f"{run_folder}: "), lock.machine_lock():
        pass
