"""No finished result is lost: kills aimed at the moment after a record appears, and jobs that outlive their workflow."""

import contextlib
import os
import signal
import threading
import time
from pathlib import Path

import pytest
from project import Project, leftovers

AIMED = 20


@pytest.fixture
def fresh(tmp_path, needs_root):
    """One experiment, with as many repetitions as there are kills."""
    project = Project(tmp_path / "project")
    project.replace("config/experiments/filesystem_lifecycle.yaml", "[ext4, xfs]", "[ext4]")
    project.replace("config/experiments/filesystem_lifecycle.yaml", "[picture, sound]", "[picture]")
    project.replace("config/profiles/tiny.yaml", "repetitions: 1", f"repetitions: {AIMED}")
    return project


def drivers(project: Project) -> list[int]:
    """Process numbers of what measures in this project now."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (entry / "cmdline").read_bytes().split(b"\0")
            if b"spindlemark.measure" in words and b"--repetition" in words and (entry / "cwd").readlink() == project.root \
                    and words[0].endswith(b"python"):
                found.append(int(entry.name))
    return found


class Killer(threading.Thread):
    """Kills the driver as soon as another record is there."""

    def __init__(self, project: Project) -> None:
        super().__init__(daemon=True)
        self.project, self.stop, self.killed, self.seen = project, threading.Event(), 0, {}

    def run(self) -> None:
        raw = self.project.root / "data/raw"
        while not self.stop.is_set():
            for path in raw.glob("*/*/*/*/rep-*.json"):
                if path not in self.seen:
                    for pid in drivers(self.project):
                        with contextlib.suppress(ProcessLookupError):
                            os.kill(pid, signal.SIGKILL)
                            self.killed += 1
                    self.seen[path] = path.stat().st_ino, path.read_bytes()
            time.sleep(0.001)


def test_a_kill_right_after_a_record_appeared_loses_nothing(fresh):
    killer = Killer(fresh)
    killer.start()
    out = fresh.call("run")
    killer.stop.set()
    killer.join()
    assert killer.killed >= AIMED / 2, "the kills came too late to say anything"
    assert len(fresh.records()) == AIMED, out
    for path, before in killer.seen.items():
        assert (path.stat().st_ino, path.read_bytes()) == before, "it was removed and measured again"
    assert leftovers(fresh.root) == []


def test_a_job_that_outlives_its_workflow_finishes_its_result(fresh):
    """kill -9 of Snakemake alone leaves the driver; the next run waits for it and takes its record as it is."""
    fresh.replace("config/profiles/tiny.yaml", f"repetitions: {AIMED}", "repetitions: 3")
    fresh.link_environment()
    process = fresh.shell("exec .venv/bin/snakemake --workflow-profile workflow/profiles/default")
    give_up = time.monotonic() + 120
    while not (alive := drivers(fresh)) and time.monotonic() < give_up:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    out = fresh.call("run")
    assert alive and len(fresh.records()) == 3, out
    assert leftovers(fresh.root) == []
