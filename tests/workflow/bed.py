"""A tiny project with a testbed of its own: the driver is tried and killed there, without touching real results."""

import json
import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import Sequence
from pathlib import Path

import yaml
from spindlemark import declare, plan, private
from spindlemark.paths import ROOT

PROFILE = {
    "resident_memory": False,  # other tests run at the same time, and would find no memory free
    "description": "Seconds. For tests only; its numbers mean nothing.", "repetitions": 1, "image_size": "320 MiB",
    "budget_minutes": 1, "stability": {"relative_width": 0.5, "most_repetitions": 3},
    "libraries": {"picture": {"files": 0.0002, "size": 0.2}, "sound": {"files": 0.0006, "size": 0.5}},
}


class Bed:
    """Declarations below `root`, and a testbed of a name that nobody else has."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.testbed = f"test-{uuid.uuid4().hex[:8]}"
        self.memory = Path("/dev/shm") / f"spindlemark-{self.testbed}"
        self.memory.mkdir()
        self.images = root / "bed"
        self.mount_points: list[Path] = []
        shutil.copytree(ROOT / "config", root / "config")
        for kind in ("testbeds", "profiles", "experiments"):
            for committed in (root / "config" / kind).iterdir():
                committed.unlink()
        self.write("testbeds", self.testbed, {
            "description": "For a test", "kind": "loop", "directory": str(self.images), "direct_io": True,
            "scheduler": "none", "source_directory": str(self.memory), "busy_bound": 0.1})
        self.write("profiles", "tiny", PROFILE)

    def write(self, kind: str, name: str, content: dict) -> None:
        (self.root / "config" / kind / f"{name}.yaml").write_text(yaml.safe_dump(content))

    def declare_filesystem(self, name: str, like: str = "ext4", **changes) -> None:
        """Add a registry entry that differs from another one in `changes`."""
        path = self.root / "config" / "filesystems.yaml"
        entries = yaml.safe_load(path.read_text())
        path.write_text(yaml.safe_dump(entries | {name: entries[like] | changes}))

    def spec(self, filesystem: str, library: str = "picture", **profile) -> Path:
        """Plan one experiment and return its spec file; `profile` replaces keys of the tiny profile."""
        self.write("profiles", "tiny", PROFILE | profile)
        self.write("experiments", "filesystem_lifecycle", {
            "description": "One", "sets": [{"factors": {"filesystem": [filesystem], "library": [library]}}]})
        made, specs = plan.make(declare.load(self.root / "config"), plan.Request(profile="tiny", testbed=self.testbed))
        plan.write(made, specs, self.root)
        return self.root / made.experiments[0].spec

    def start(self, *words: str | Path, prefix: Sequence[str] = ()) -> subprocess.Popen:
        env = os.environ | {"SPINDLEMARK_ROOT": str(self.root)}
        argv = [*prefix, sys.executable, "-P", "-m", "spindlemark.measure", *map(str, words)]
        process = subprocess.Popen(argv, env=env, cwd=self.root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True)
        self.mount_points.append(private.RUN / f"mount-{process.pid}")
        return process

    def measure(self, spec: Path, repetition: int = 1, *words: str) -> subprocess.Popen:
        return self.start(spec, "--repetition", str(repetition), *words)

    def call(self, spec: Path, repetition: int = 1, *words: str, code: int = 0) -> str:
        process = self.measure(spec, repetition, *words)
        out, _ = process.communicate(timeout=120)
        assert process.returncode == code, out
        return out

    def clean(self) -> None:
        process = self.start("--clean")
        out, _ = process.communicate(timeout=120)
        assert process.returncode == 0, out

    def running(self) -> dict:
        try:
            return json.loads((self.root / "data/build/running.json").read_text())
        except FileNotFoundError:
            return {}

    def leftovers(self) -> list[str]:
        """Mounts and their points, loop devices, images, partial files; the library in memory is kept on purpose."""
        ours = (str(self.images), *(f" {point} " for point in self.mount_points))
        mounts = [line for line in Path("/proc/self/mountinfo").read_text().splitlines()
                  if any(place in line for place in ours)]
        loops = [text for text in (p.read_text() for p in Path("/sys/block").glob("loop*/loop/backing_file"))
                 if str(self.images) in text]
        files = [str(p) for pattern in ("*.img", ".*.partial", "*.partial", "running.json")
                 for p in self.root.rglob(pattern)]
        return [*mounts, *loops, *files, *(str(point) for point in self.mount_points if point.exists())]

    def remove(self) -> None:
        self.clean()
        shutil.rmtree(self.memory)
