"""One visit to a testbed of another host: copy the project there, measure there, and copy results and plan back.

rsync and ssh do the transfer. A Slurm job already runs on that host and shares the user's home folder, so it uses no ssh.
"""

import hashlib
import os
import shlex

from spindlemark.config import Testbed
from spindlemark.core import atomic_write, paths, project
from spindlemark.core.errors import UserError
from spindlemark.core.process import programs
from spindlemark.testbeds.hosts import PLANS, Copy

SSH = ("ssh", "-o", "BatchMode=yes", "-o", "ServerAliveInterval=60")
NODE = "SLURMD_NODENAME"  # set by Slurm where a job runs
# The host has its own environment; `bring` copies its results, which are never deleted there.
_NOT_SENT = ("/.*/", "/data/build", "/data/raw", "/data/releases", "/data/joined", "__pycache__")
# When standard input ends, the caller has ended: `run` is then stopped and cleans up. `exec` keeps the process ID.
RUN = """cd "$1"; shift
exec 3<&0
{ while read -r _; do :; done; read -r _ _ _ parent _ </proc/self/stat; [ "$parent" != $$ ] || kill -TERM $$; } <&3 >/dev/null 2>&1 &
exec ./spindlemark "$@" </dev/null 3<&-"""
_AS_ROOT = 'if [ "$(id -u)" -eq 0 ]; then exec {0}; else exec sudo -n {0}; fi'


class Visit:
    """A visit to the host of testbed `name`. Raises UserError if Slurm placed the job on another host."""

    def __init__(self, name: str, declared: Testbed) -> None:
        assert declared.host  # only testbeds of other hosts are visited
        self.name, self.host = name, declared.host.name
        node = os.environ.get(NODE)
        if node not in (None, self.host):
            raise UserError(
                f"testbed {name} is on host {self.host}, and Slurm placed its job on {node}",
                "in config/testbeds/, give the host the name that Slurm uses",
            )
        self._over = () if node else (*SSH, self.host)
        self.folder = f"{declared.host.folder}/spindlemark-{_project_id()}"
        self.staging = PLANS / name
        self._there = f"{self.folder}/" if node else f"{self.host}:{self.folder}/"

    def send(self) -> None:
        """Update the host's copy of the project, and send it the results of its testbed that it lacks."""
        state = project.state(paths.ROOT)
        note = Copy(host=self.host, commit=state["project.commit"], changed=state["project.changed"])
        atomic_write.write(self.staging / "copy.json", note.model_dump_json())
        self._copy("--delete", *(f"--exclude={name}" for name in _NOT_SENT), f"{paths.ROOT}/", self._there)
        self._copy(str(self.staging / "copy.json"), f"{self._there}data/build/")
        (paths.RAW / self.name).mkdir(parents=True, exist_ok=True)
        self._copy("--ignore-existing", f"{paths.RAW / self.name}/", f"{self._there}data/raw/{self.name}/")

    def measure(self, words: list[str]) -> int:
        """Measure the missing declared repetitions there; returns the exit code of `./spindlemark run`, or of ssh."""
        there = shlex.join(
            [
                "sh",
                "-ec",
                RUN,
                "sh",
                self.folder,
                "run",
                "--yes",
                "--no-adaptive",
                "--no-site",
                "--testbed",
                self.name,
                *words,
            ]
        )
        line = _AS_ROOT.format(there)
        # These variables would make the host's Python import the code of this machine.
        ours = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "SPINDLEMARK_ROOT")}
        process = programs.start(
            [*self._over, line] if self._over else ["sh", "-c", line], stdin=programs.PIPE, env=ours
        )
        return process.wait()

    def bring(self) -> None:
        """Copy the testbed's results that are not here, and its plan, to `staging`."""
        self._copy(
            "--delete",
            f"--compare-dest={paths.RAW / self.name}/",
            f"{self._there}data/raw/{self.name}/",
            f"{self.staging}/raw/",
        )
        self._copy(f"{self._there}data/build/plan.json", f"{self.staging}/plan.json")

    def _copy(self, *words: str) -> None:
        how = [
            "--recursive",
            "--links",
            "--perms",
            "--times",
            "--mkpath",
            *(["--rsh", shlex.join(SSH)] if self._over else []),
        ]
        done = programs.run(["rsync", *how, *words], stdout=programs.DEVNULL, stderr=programs.PIPE, text=True)
        if done.returncode:
            raise UserError(
                f"host {self.host}: rsync ended with exit code {done.returncode}: {done.stderr.strip()[-1000:]}",
                "check that ssh needs no password and that rsync is installed there; see docs/cluster.md",
            )


def _project_id() -> str:
    """Identify this project among all that use the same folder of a host."""
    return hashlib.sha256(f"{os.uname().nodename} {os.getuid()} {paths.ROOT}".encode()).hexdigest()[:12]
