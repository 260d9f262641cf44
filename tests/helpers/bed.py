"""A tiny project with a testbed of its own: the driver is tried and killed there, without touching real results."""

import json
import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import yaml

from spindlemark import config
from spindlemark.core import private_files
from spindlemark.core.paths import ROOT
from spindlemark.measure import plan

PROFILE = {
    "resident_memory": False,  # other tests run at the same time, and would find no memory free
    "description": "Seconds. For tests only; its numbers mean nothing.",
    "repetitions": 1,
    "image_size": "320 MiB",
    "budget_minutes": 60,
    "stability": {"relative_width": 0.5, "most_repetitions": 3},
    "libraries": {"picture": {"files": 0.0002, "size": 0.2}, "sound": {"files": 0.0006, "size": 0.5}},
}


# Reads the words of a driver, starts one and says its number; with the next line it waits for its end.
FORKING = """
import json, os, sys
from spindlemark.core import errors
from spindlemark.measure import __main__ as measure
for line in sys.stdin:
    driver = os.fork()
    if not driver:
        said = os.open("forked.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        for stream in (1, 2):
            os.dup2(said, stream)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        sys.argv = ["measure", *json.loads(line)]
        errors.command(measure.main)
    print(driver, flush=True)
    sys.stdin.readline()
    print(os.waitstatus_to_exitcode(os.waitpid(driver, 0)[1]), flush=True)
"""


class Forks:
    """Drivers of a bed, one after the other, each a process of its own that begins with all its modules loaded."""

    def __init__(self, bed: "Bed") -> None:
        self.bed = bed
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", FORKING],
            env=bed.environment(),
            cwd=bed.root,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def start(self, spec: Path, repetition: int) -> int:
        """The number of a driver that measures; it stays taken until `end`."""
        driver = int(self._told(json.dumps([str(spec), "--repetition", str(repetition)])))
        self.bed.mount_points.append(private_files.RUN / f"mount-{driver}")
        return driver

    def end(self) -> int:
        """Wait for the end of the driver that was started last; its exit code, negative for a signal."""
        return int(self._told(""))

    def _told(self, line: str) -> str:
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()


class Bed:
    """Declarations below `root`, and a testbed of a name that nobody else has."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.testbed = f"test-{uuid.uuid4().hex[:8]}"
        self.memory = Path("/dev/shm") / f"spindlemark-{self.testbed}"
        self.memory.mkdir()
        self.images = root / "bed"
        self.mount_points: list[Path] = []
        self.amounts: dict[str, dict] = {}  # family -> what the profile says of it
        shutil.copytree(ROOT / "config", root / "config")
        for kind in ("testbeds", "profiles", "experiments"):
            for committed in (root / "config" / kind).iterdir():
                committed.unlink()
        self.write(
            "testbeds",
            self.testbed,
            {
                "description": "For a test",
                "kind": "loop",
                "directory": str(self.images),
                "direct_io": True,
                "scheduler": "none",
                "source_directory": str(self.memory),
                "busy_bound": 0.1,
            },
        )
        self.write("profiles", "tiny", PROFILE)

    def write(self, kind: str, name: str, content: dict) -> None:
        (self.root / "config" / kind / f"{name}.yaml").write_text(yaml.safe_dump(content))

    def declare_link(self) -> None:
        """Make the testbed a pair of virtual cards without a disk."""
        content = {"description": "For a test", "kind": "link", "storage": None, "scheduler": "none"}
        self.write("testbeds", self.testbed, content | {"source_directory": str(self.memory), "busy_bound": 0.1})

    def declare_filesystem(self, name: str, like: str = "ext4", **changes) -> None:
        """Add a registry entry that differs from another one in `changes`."""
        path = self.root / "config" / "filesystems.yaml"
        entries = yaml.safe_load(path.read_text())
        path.write_text(yaml.safe_dump(entries | {name: entries[like] | changes}))

    def spec(self, filesystem: str, library: str = "picture", **profile) -> Path:
        """Plan one experiment and return its spec file; `profile` replaces keys of the tiny profile."""
        self.write("profiles", "tiny", PROFILE | profile)
        self.write(
            "experiments",
            "filesystem_lifecycle",
            {"description": "One", "sets": [{"factors": {"filesystem": [filesystem], "library": [library]}}]},
        )
        made, specs = plan.make(config.load(self.root / "config"), plan.Request(profile="tiny", testbed=self.testbed))
        plan.write(made, specs, self.root)
        return self.root / made.experiments[0].spec

    def environment(self) -> dict[str, str]:
        return os.environ | {"SPINDLEMARK_ROOT": str(self.root)}

    @contextmanager
    def forks(self) -> Iterator[Forks]:
        """For many drivers in a row; see Forks."""
        made = Forks(self)
        try:
            yield made
        finally:
            made.process.communicate(timeout=60)

    def start(self, *words: str | Path, prefix: Sequence[str] = ()) -> subprocess.Popen:
        argv = [*prefix, sys.executable, "-P", "-m", "spindlemark.measure", *map(str, words)]
        process = subprocess.Popen(
            argv,
            env=self.environment(),
            cwd=self.root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.mount_points.append(private_files.RUN / f"mount-{process.pid}")
        return process

    def measure(self, spec: Path, repetition: int = 1, *words: str) -> subprocess.Popen:
        return self.start(spec, "--repetition", str(repetition), *words)

    def call(self, spec: Path, repetition: int = 1, *words: str, code: int = 0) -> str:
        process = self.measure(spec, repetition, *words)
        out, _ = process.communicate(timeout=600)
        assert process.returncode == code, out
        return out

    def clean(self) -> None:
        process = self.start("--clean")
        out, _ = process.communicate(timeout=600)
        assert process.returncode == 0, out

    def running(self) -> dict:
        try:
            return json.loads((self.root / "data/build/running.json").read_text())
        except FileNotFoundError:
            return {}

    def leftovers(self) -> list[str]:
        """Mounts and their points, loop devices, images, partial files; the library in memory is kept on purpose."""
        ours = (str(self.images), *(f" {point} " for point in self.mount_points))
        mounts = [
            line
            for line in Path("/proc/self/mountinfo").read_text().splitlines()
            if any(place in line for place in ours)
        ]
        files = [
            str(p) for pattern in ("*.img", ".*.partial", "*.partial", "running.json") for p in self.root.rglob(pattern)
        ]
        return [*mounts, *self.attached(), *files, *(str(point) for point in self.mount_points if point.exists())]

    def attached(self) -> list[str]:
        """What loop devices show of its images, also of those that were deleted."""
        shown = (path.read_text() for path in Path("/sys/block").glob("loop*/loop/backing_file"))
        return [text for text in shown if str(self.images) in text]

    def remove(self) -> None:
        self.clean()
        assert self.attached() == []
        shutil.rmtree(self.memory)
