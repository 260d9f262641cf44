"""A clone of this project with a small configuration that always has something left to measure."""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

import kills_processes as processes
from kills_leftovers import SHARED, Left, survey
from spindlemark.core import running
from spindlemark.core.errors import UserError
from spindlemark.core.paths import ROOT
from spindlemark.core.record import read_model, read_record

OWNER = 10_001  # nobody's number: whatever is root's afterwards was left by a run
NETWORKS = ("http_streams", "live_video", "network_share")
LEFT_OUT = ("data/releases", "data/joined", *(f"data/reference/{n:03}" for n in range(4)))
_LONGEST_SECONDS, _MARGIN = 1800, 6  # repetitions that every experiment lacks when a run begins
_PROFILE = {
    "description": "Seconds. Only for the benchmark of kills; its numbers mean nothing.",
    "repetitions": 1,
    "image_size": "320 MiB",
    "budget_minutes": 1,
    "stability": {"relative_width": 0.5, "most_repetitions": 1000},
    "libraries": {"picture": {"files": 0.0005, "size": 0.2}},
    "families": {
        "http_streams": {
            "alone_minutes": 5,
            "image_size": "512 MiB",
            "scale": {
                "film_seconds": 2,
                "buffer_seconds": 0.2,
                "most_viewers": 16,
                "overload_viewers": 8,
                "resolution": 0.34,
            },
        },
        "live_video": {
            "alone_minutes": 5,
            "scale": {
                "warm_seconds": 0.5,
                "seconds": 3,
                "stage_seconds": 0.8,
                "recover_seconds": 1,
                "most_receivers": 2,
                "most_streams": 2,
            },
        },
        "network_share": {
            "alone_minutes": 5,
            "image_size": "256 MiB",
            "scale": {"file_size": "64 MiB", "seconds": 0.5},
        },
    },
}
_LIVE = {"format": ["720p30"], "content": ["natural"], "task": ["play"], "receivers": ["1"]}
_EXPERIMENTS = {
    "filesystem_lifecycle": [(["loop", "ram"], {"filesystem": ["ext4", "xfs", "btrfs"], "library": ["picture"]})],
    "http_streams": [
        (
            ["link-ram"],
            {
                "server": ["nginx+threads", "lighttpd"],
                "filesystem": ["ext4"],
                "device": ["disk"],
                "readahead": ["1024"],
            },
        )
    ],
    "live_video": [
        (["link"], {"stream": ["speedhq-tcp"]} | _LIVE),
        (["link"], {"stream": ["vmx-omt"], "delay": ["10-ms"], "loss": ["1-percent"], "congestion": ["cubic"]} | _LIVE),
    ],
    "network_share": [(["link-ram"], {"protocol": ["smb", "nfs", "nbd"], "filesystem": ["ext4"]})],
}


class Clone:
    """One clone, which belongs to another user than root; `work` gets it, its log and its folder of temporary files.

    On a `busy` machine memory is not made resident, and what others may have left is not looked at.
    """

    def __init__(self, work: Path, name: str, busy: bool) -> None:
        self.root, self.log, self.temporary = work / name, work / f"{name}.log", work / f"{name}.tmp"
        self.temporary.mkdir(parents=True, exist_ok=True)
        if not self.root.exists():
            subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", ROOT, self.root], check=True)
        self.busy = busy
        self._configure()
        subprocess.run(["chown", "--recursive", f"{OWNER}:{OWNER}", self.root], check=True)
        self.finish(self.start("plan"))  # creates the environment
        self.before: set[Left] = set()
        self.hung = False  # whether the last command had to be killed

    def _configure(self) -> None:
        for name in LEFT_OUT:
            shutil.rmtree(self.root / name, ignore_errors=True)
        config = self.root / "config"
        self._write(config / "profiles" / "kills.yaml", _PROFILE | {"resident_memory": not self.busy})
        for other in (config / "experiments").iterdir():
            other.unlink()
        for family, sets in _EXPERIMENTS.items():
            declared = [{"testbeds": beds, "factors": factors} for beds, factors in sets]
            self._write(config / "experiments" / f"{family}.yaml", {"description": "For kills", "sets": declared})
        text = (config / "config.yaml").read_text().replace("profile: quick", "profile: kills")
        (config / "config.yaml").write_text(text)

    @staticmethod
    def _write(path: Path, content: dict) -> None:
        path.write_text(yaml.safe_dump(content, sort_keys=False))

    def start(self, *words: str) -> subprocess.Popen:
        """Start `./spindlemark WORDS` in a session of its own, as a shell does; the log gets its output."""
        with self.log.open("ab") as log:
            log.write(f"\n$ ./spindlemark {' '.join(words)}\n".encode())
            log.flush()
            return subprocess.Popen(
                ["./spindlemark", *words],
                cwd=self.root,
                env=os.environ | {"TMPDIR": str(self.temporary)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def run(self, family: str, minutes: float, *words: str) -> subprocess.Popen:
        """Start a run of one family that has enough left to measure."""
        repetitions = str(min(self._counts(family)) + _MARGIN)
        given = ("run", "--yes", "--family", family, "--budget", f"{minutes:g}", "--repetitions", repetitions)
        return self.start(*given, *words)

    def finish(self, process: subprocess.Popen) -> int:
        """Wait for a command and all that it started; returns the exit code. What hangs is killed, see `hung`."""
        self.hung = False
        ended = lambda: process.poll() is not None and not processes.below(os.getpid())  # noqa: E731
        if processes.wait(process, ended, _LONGEST_SECONDS):
            return process.returncode
        print(f"hangs, see {self.log}: {survey(self.root, self.temporary)}", file=sys.stderr)
        self.hung = True
        processes.kill_all(process)
        return process.returncode

    def _counts(self, family: str) -> list[int]:
        """Number of records of each experiment of the family; 0 before the first."""
        folders = (self.root / "data" / "raw").glob(f"*/{family}/*/*")
        return [len(list(folder.glob("rep-*.json"))) for folder in folders] or [0]

    def step(self) -> tuple[str, str]:
        """Family and step of the current measurement; empty without one."""
        try:
            found = read_model(running.Running, self.root / "data/build/running.json", "")
        except UserError:
            return "", ""
        return found.folder.split("/")[3], found.step

    def records(self) -> dict[str, str]:
        """Path -> SHA-256 of every finished record."""
        raw = self.root / "data" / "raw"
        return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in raw.rglob("rep-*.json")}

    def left(self) -> list[Left]:
        """What is there now and was not before."""
        found = survey(self.root, self.temporary) - self.before
        return sorted(each for each in found if not (self.busy and each.kind in SHARED))


def invalid(paths: list[str]) -> list[str]:
    """Say of each record that cannot be read, or does not belong to its path, why."""
    found = []
    for path in paths:
        try:
            read_record(Path(path))
        except UserError as error:
            found.append(str(error))
    return found
