"""Snakemake as a child process: one at a time in a project, stopped cleanly, with its output in a log."""

import ctypes
import fcntl
import json
import os
import shutil
import signal
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from spindlemark.cli import stop_orphan
from spindlemark.core import atomic_write, errors, events
from spindlemark.core.errors import UserError, WorkflowError
from spindlemark.core.paths import BUILD, ROOT, SITE
from spindlemark.core.process import programs
from spindlemark.measure.pending import PROVENANCE, Provenance

PROFILE = "workflow/profiles/default"
PR_SET_PDEATHSIG = 1
LOG_LINES = 25  # of the traceback or log in an error message


class Engine:
    """One call of Snakemake. `settings` become its configuration; `targets` are rule names or files.

    `provenance` lists the repetitions to measure; without it, all missing ones.
    """

    def __init__(self, settings: dict[str, object], targets: list[str], provenance: Provenance | None = None) -> None:
        logs = BUILD / "logs"
        logs.mkdir(parents=True, exist_ok=True)
        self.name = name()
        self.log = logs / f"snakemake-{self.name}.log"
        self._config = self.log.with_suffix(".json")
        self._settings = {key: value for key, value in {**settings, "run": self.name}.items() if value is not None}
        # No hooks: they are for direct calls of Snakemake; the command line does the same once at its end.
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
            "--logger",
            "spindlemark",
            "--logger-spindlemark-file",
            str(self.log.with_suffix(".jsonl")),
        ]
        self._provenance = provenance
        # Snakemake and its jobs leave temporary files there when they are killed.
        self._temporary = BUILD / "runs" / self.name / "tmp"
        self._process: programs.Process | None = None
        self._watch: programs.Process | None = None
        self._reader = events.Reader(self.log.with_suffix(".jsonl"))
        self._last, self._rule = "", ""
        self._user_errors: list[UserError] = []
        self._defect = ""

    def start(self) -> None:
        """Start in a process session of its own, so that Ctrl-C reaches this process first."""
        _require_folders()
        _clear_stale_lock()
        # In a file, since Snakemake converts values of `--config` to numbers: a testbed 007 would become 7.
        atomic_write.write(self._config, json.dumps(self._settings))
        if self._provenance:
            atomic_write.write(BUILD / "runs" / self.name / PROVENANCE, self._provenance.model_dump_json())
        self._temporary.mkdir(parents=True)
        with self.log.open("wb") as log:
            self._process = programs.start(
                self._argv,
                cwd=ROOT,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=_end_by_interrupt,
                env=os.environ | {events.VARIABLE: str(self._reader.file), "TMPDIR": str(self._temporary)},
            )
        argv = [*programs.PYTHON, "-S", stop_orphan.__file__, str(self._process.pid)]
        self._watch = programs.start(
            argv, cwd="/", stdin=programs.PIPE, stdout=programs.DEVNULL, stderr=programs.DEVNULL, start_new_session=True
        )

    def running(self) -> bool:
        """Whether Snakemake is running."""
        return self._process is not None and self._process.poll() is None

    def interrupt(self) -> None:
        """Stop Snakemake and the job it runs (SIGINT: during scheduling it does not survive SIGTERM), and wait."""
        if self._process is None:
            return
        for sign in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self._process.pid, sign)
                self._process.wait(stop_orphan.STOP_SECONDS)
            except ProcessLookupError:
                break
            except programs.TimeoutExpired:
                continue
            break
        self._end_watch()
        _clear_lock_of_killed()

    def remove_temporary(self) -> None:
        """Remove temporary files of a call that measures nothing; others may be in use, and `--clean` removes them."""
        if not self._provenance:
            shutil.rmtree(self._temporary.parent, ignore_errors=True)
            with suppress(OSError):  # not the only one
                self._temporary.parents[1].rmdir()

    def news(self) -> list[events.Event]:
        """Read what Snakemake and its jobs reported since the last call."""
        new = list(self._reader.new())
        for event in new:
            self._last = event["event"]
            if self._last == "job_info":
                self._rule = str(event.get("rule_name", ""))
            elif self._last == "user_error":
                error = UserError(str(event.get("problem")), str(event.get("remedy")))
                if str(error) not in map(str, self._user_errors):
                    self._user_errors.append(error)
            elif self._last == "defect":
                self._defect = str(event.get("traceback"))
        return new

    def rule(self) -> str:
        """The rule that started last; empty before the first."""
        return self._rule

    def measuring(self) -> bool:
        """Whether repetitions are measured now."""
        return self._rule.startswith("measure_")

    def waiting(self) -> bool:
        """Whether the present job waits for another project's measurement, or did until it began."""
        return self._last == "waiting"

    def user_errors(self) -> list[UserError]:
        """The errors reported by jobs that the user can fix."""
        return self._user_errors

    def wait(self) -> list[events.Event]:
        """Wait for the end; returns the last events. Raises the first user error of a job, or WorkflowError."""
        assert self._process is not None
        code = self._process.wait()
        self._end_watch()
        _clear_lock_of_killed()
        new = self.news()
        if code == 0:
            return new
        if self._user_errors:
            raise self._user_errors[0]
        broken = WorkflowError(f"the workflow ended with exit code {code}; from {self.log}:\n{self.failure_log()}")
        raise errors.as_user_error(broken) or errors.disk_full() or broken

    def _end_watch(self) -> None:
        if self._watch and self._watch.stdin:
            with suppress(BrokenPipeError):
                self._watch.communicate(b".")
            self._watch = None

    def failure_log(self) -> str:
        """The traceback of the job that failed last, or the last lines of the log."""
        text = self._defect or self.log.read_text(encoding="utf-8", errors="replace")
        return "\n".join(text.splitlines()[-LOG_LINES:])


def name() -> str:
    """A unique name of a run."""
    return f"{time.strftime('%Y%m%dT%H%M%S')}-{os.getpid()}-{time.monotonic_ns() % 10**6}"


@contextmanager
def only_one() -> Iterator[None]:
    """Hold the project's lock; raises UserError if another command of this project holds it."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with open(BUILD / "run.lock", "r+", opener=_open_regular) as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise UserError(
                f"another command is running in {ROOT} (process {lock.read().strip() or 'unknown'})",
                "wait until it ends, or stop it with Ctrl-C in its terminal",
            ) from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield


def _open_regular(path: str, flags: int) -> int:
    """Open the file, and create it if it does not exist; raises UserError for a link, a FIFO or a folder."""
    descriptor = os.open(path, flags | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o644)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise UserError(f"{path}: is not a regular file", "move it away")


def _require_folders() -> None:
    """Raise UserError if a file has the path of a folder; Snakemake would end with a traceback."""
    for folder in (ROOT / ".snakemake", SITE):
        if os.path.lexists(folder) and not folder.is_dir():
            raise UserError(f"{folder}: must be a folder", "move it away")


def _clear_stale_lock() -> None:
    """Remove the lock that kill -9 leaves behind, if no Snakemake runs here."""
    locks = list((ROOT / ".snakemake" / "locks").glob("*"))
    if not locks:
        return
    others = list(_snakemakes_here())
    if others:
        raise UserError(f"Snakemake is running in {ROOT} (process {others[0]})", "wait until it ends, or stop it")
    for lock in locks:
        lock.unlink(missing_ok=True)


def _clear_lock_of_killed() -> None:
    """Remove the lock that an ended Snakemake left, as after SIGHUP, which it does not handle; a running one keeps its own."""
    with suppress(UserError, OSError):
        _clear_stale_lock()


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
            continue  # it ended, or belongs to another user


def _end_by_interrupt() -> None:
    """In the child: SIGINT ends it, also where this process ignores it as a script's background job; so does our death."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGINT)
