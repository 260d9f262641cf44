"""Snakemake as a child process: one at a time in a project, stopped cleanly, its words kept in a log."""

import ctypes
import fcntl
import json
import os
import re
import signal
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from spindlemark.core import atomic_write, errors
from spindlemark.core.errors import UserError, WorkflowError
from spindlemark.core.paths import BUILD, ROOT, SITE
from spindlemark.core.process import programs
from spindlemark.core.process.lock import WAITING
from spindlemark.measure.pending import JOBS, Asked

PROFILE = "workflow/profiles/default"
STOP_SECONDS = 60
PR_SET_PDEATHSIG = 1
TOLD = 25  # lines of what broke
_RULE = re.compile(r"^(?:local)?rule (\w+):$", re.MULTILINE)


class Engine:
    """One call of Snakemake. `settings` become its configuration; `targets` are rule names or files.

    `asked` says what to measure; without it, it is all that is missing.
    """

    def __init__(self, settings: dict[str, object], targets: list[str], asked: Asked | None = None) -> None:
        logs = BUILD / "logs"
        logs.mkdir(parents=True, exist_ok=True)
        self.name = name()
        self.log = logs / f"snakemake-{self.name}.log"
        self._config = self.log.with_suffix(".json")
        self._settings = {key: value for key, value in {**settings, "run": self.name}.items() if value is not None}
        # No hooks: what they do for those who call Snakemake themselves, the command line does once in the end.
        self._argv = [
            *programs.PYTHON,
            "-m",
            "snakemake",
            *targets,
            "--workflow-profile",
            PROFILE,
            "--nocolor",
            "--no-hooks",
            "--configfile",
            str(self._config),
        ]
        self._asked = asked
        self._process: programs.Process | None = None

    @property
    def folder(self) -> Path:
        """Where the run's notes lie; see rules/common.smk."""
        return BUILD / "runs" / self.name

    def start(self) -> None:
        """Start in a session of its own, so that Ctrl-C reaches this process first."""
        _require_folders()
        _clear_stale_lock()
        # In a file: of `--config` Snakemake takes what looks like a number for one, and a testbed 007 would become 7.
        atomic_write.write(self._config, json.dumps(self._settings))
        if self._asked:
            atomic_write.write(self.folder / JOBS, self._asked.model_dump_json())
        with self.log.open("wb") as log:
            self._process = programs.start(
                self._argv, cwd=ROOT, stdout=log, stderr=log, start_new_session=True, preexec_fn=_die_with_parent
            )

    def running(self) -> bool:
        """Whether it still runs."""
        return self._process is not None and self._process.poll() is None

    def interrupt(self) -> None:
        """Stop Snakemake and the job it runs (SIGINT: during scheduling it does not survive SIGTERM), and wait."""
        if self._process is None:
            return
        for sign in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self._process.pid, sign)
                self._process.wait(STOP_SECONDS)
            except ProcessLookupError:
                return
            except programs.TimeoutExpired:
                continue
            return

    def rule(self) -> str:
        """The rule that was started last, empty before the first."""
        started = _RULE.findall(self._text())
        return started[-1] if started else ""

    def measuring(self) -> bool:
        """Whether repetitions are measured now."""
        return self.rule().startswith("measure_")

    def waiting(self) -> bool:
        """Whether the present job waits for another project's measurement, or did until it began."""
        return self._text().rstrip().rpartition("\n")[2].startswith(WAITING)

    def user_errors(self) -> list[str]:
        """What the stages said that the user can mend."""
        return errors.find_in_log(self._text())

    def wait(self) -> None:
        """Wait for the end; raises UserError with the stages' own words, or WorkflowError with the log's end."""
        assert self._process is not None
        code = self._process.wait()
        if code == 0:
            return
        told = self.user_errors()
        if told:
            raise UserError(*errors.parts(told[0]))
        broken = WorkflowError(
            f"the workflow ended with exit code {code}; from {self.log}:\n{what_broke(self._text())}"
        )
        raise errors.mendable(broken) or errors.full() or broken

    def _text(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")


def what_broke(log: str) -> str:
    """The last traceback in a log, or its last lines without one: jobs beside what broke go on and print after it."""
    lines = log.splitlines()
    begun = next((at for at in reversed(range(len(lines))) if lines[at].startswith("Traceback ")), None)
    if begun is None:
        return "\n".join(lines[-TOLD:])
    ended = next((at for at in range(begun + 1, len(lines)) if not lines[at].startswith(" ")), len(lines) - 1)
    return "\n".join(lines[max(begun, ended + 1 - TOLD) : ended + 1])


def name() -> str:
    """A name that no other run has."""
    return f"{time.strftime('%Y%m%dT%H%M%S')}-{os.getpid()}-{time.monotonic_ns() % 10**6}"


@contextmanager
def only_one() -> Iterator[None]:
    """Hold the project's lock; raises UserError when another command of this project holds it."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with open(BUILD / "run.lock", "r+", opener=_made) as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise UserError(
                f"another run is going on in {ROOT} (process {lock.read().strip() or 'unknown'})",
                "wait for its end, or stop it with Ctrl-C where it runs",
            ) from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield


def _made(path: str, flags: int) -> int:
    """Open the file, made unless it is there. A FIFO in its place is not waited for and no link is followed; raises
    UserError."""
    descriptor = os.open(path, flags | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o644)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise UserError(f"{path}: is no regular file", "move it away")


def _require_folders() -> None:
    """Of what lies in the place of its folders Snakemake would tell in a traceback."""
    for folder in (ROOT / ".snakemake", SITE):
        if os.path.lexists(folder) and not folder.is_dir():
            raise UserError(f"{folder}: lies where a folder belongs", "move it away")


def _clear_stale_lock() -> None:
    """Remove Snakemake's own lock when no Snakemake runs here: kill -9 leaves it behind."""
    locks = list((ROOT / ".snakemake" / "locks").glob("*"))
    if not locks:
        return
    others = list(_snakemakes_here())
    if others:
        raise UserError(f"Snakemake runs in {ROOT} (process {others[0]})", "wait for its end, or stop it")
    for lock in locks:
        lock.unlink(missing_ok=True)


def _snakemakes_here() -> Iterator[int]:
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            if (
                any(Path(w.decode(errors="replace")).name == "snakemake" for w in words[:4])
                and (process / "cwd").resolve() == ROOT
            ):
                yield int(process.name)
        except OSError:
            continue  # it ended meanwhile, or is not ours


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGINT)
