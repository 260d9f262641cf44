"""A copy of the whole project in an empty folder, small enough to measure in seconds, on real loop devices."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from spindlemark.core.paths import ROOT, folder_name

TINY = """\
description: Seconds. For tests of the workflow only; its numbers mean nothing.
repetitions: 1
image_size: 320 MiB
budget_minutes: 60
resident_memory: false
stability: {relative_width: 0.5, most_repetitions: 1}
libraries:
  picture: {files: 0.00005, size: 0.2}
  sound: {files: 0.00005, size: 0.3}
"""
EXPERIMENTS = """\
description: Two filesystems under two libraries
sets:
  - factors:
      filesystem: [ext4, xfs]
      library: [picture, sound]
"""
CELLS = 4
# Nothing is released or joined, and one study goes the same way as five, in half the time.
LEFT_OUT = ("data/releases/", "data/joined/", *(f"data/reference/{n:03}/" for n in range(4)))


def files() -> list[str]:
    """What a clone would hold: tracked files and new ones that are not ignored."""
    out = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return [name for name in out.split("\0") if name and (ROOT / name).is_file()]


class Project:
    """One copy; commands run in it as a user would run them, with the environment that is already there."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in files():
            if name.startswith(LEFT_OUT):
                continue
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, root / name)
        self.write("config/profiles/tiny.yaml", TINY)
        for other in (root / "config" / "experiments").iterdir():
            other.unlink()
        self.write("config/experiments/filesystem_lifecycle.yaml", EXPERIMENTS)
        self.replace("config/config.yaml", "profile: quick", "profile: tiny")

    def write(self, name: str, text: str) -> None:
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def replace(self, name: str, old: str, new: str) -> None:
        text = (self.root / name).read_text()
        assert old in text, f"{name} has no {old!r}"
        self.write(name, text.replace(old, new, 1))

    def link_environment(self) -> None:
        """Make `./spindlemark` and `.venv/bin/...` work as in a clone after its first command, with this environment."""
        (self.root / ".venv").symlink_to(Path(sys.executable).parents[1])
        script = self.root / "spindlemark"
        script.unlink()
        script.write_text('#!/bin/sh\nexec .venv/bin/python -P -m spindlemark "$@"\n')
        script.chmod(0o755)

    def environment(self) -> dict[str, str]:
        return os.environ | {
            "SPINDLEMARK_ROOT": str(self.root),
            "PYTHONPATH": str(self.root / "workflow"),
            "COLUMNS": "160",
            "CI": "1",
        }

    def shell(self, line: str) -> subprocess.Popen:
        """Start a line as somebody types it in the project's folder."""
        return subprocess.Popen(
            ["bash", "-c", line],
            cwd=self.root,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def start(self, *words: str, prefix: tuple[str, ...] = ()) -> subprocess.Popen:
        """Start `spindlemark WORDS` in a process group of its own, without a terminal; `prefix` is a command before it."""
        return subprocess.Popen(
            [*prefix, sys.executable, "-P", "-m", "spindlemark", *words],
            cwd=self.root,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def call(self, *words: str, code: int = 0, prefix: tuple[str, ...] = (), seconds: float = 900) -> str:
        """Run to the end, killed after `seconds`, and return what was printed; the exit code must be `code`."""
        process = self.start(*words, prefix=prefix)
        try:
            out, _ = process.communicate(timeout=seconds)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        assert process.returncode == code, out
        return out

    def measure(self, *words: str, **how) -> str:
        """A run that neither decides further nor builds the site, for tests of what is measured alone; see `call`."""
        return self.call("run", "--no-adaptive", "--no-site", *words, **how)

    def records(self) -> dict[str, float]:
        """Path below data/raw -> time of last change, of every result."""
        raw = self.root / "data" / "raw"
        return {str(p.relative_to(raw)): p.stat().st_mtime_ns for p in raw.rglob("rep-*.json")}

    def contents(self) -> dict[str, bytes]:
        """Path below data/raw -> every result as it is written; Snakemake touches files that a job just finished."""
        raw = self.root / "data" / "raw"
        return {str(p.relative_to(raw)): p.read_bytes() for p in raw.rglob("rep-*.json")}

    def clone(self, root: Path) -> "Project":
        """A fresh clone elsewhere with `data/raw/` copied along: all time stamps are new."""
        other = Project(root)
        for name in ("config/experiments/filesystem_lifecycle.yaml", "config/filesystems.yaml", "config/config.yaml"):
            shutil.copyfile(self.root / name, root / name)
        shutil.copytree(self.root / "data" / "raw", root / "data" / "raw", copy_function=shutil.copyfile)
        return other


def leftovers(root: Path) -> list[str]:
    """Mounts, loop devices, images, partial files and memory libraries that a run left behind."""
    mounts = [line for line in Path("/proc/self/mountinfo").read_text().splitlines() if str(root) in line]
    loops = subprocess.run(
        ["losetup", "--list", "--noheadings", "--output", "BACK-FILE"], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    return [
        *mounts,
        *(line for line in loops if str(root) in line),
        *map(str, (root / "data").rglob("*.partial*")),
        *map(str, (root / "data").rglob("*.img")),
        *map(str, (Path("/dev/shm") / folder_name(root)).glob("*")),
    ]
