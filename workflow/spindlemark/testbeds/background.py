"""A process beside the steps, as a server: started, waited for until it is ready, watched, and never left behind.

It gets a control group of its own where the kernel has one, and what is in that group is it: its processor time, and
what is killed in the end, also by the next start after this process was killed. Elsewhere it is its process group.
"""

import os
import select
import signal
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import BinaryIO, Protocol

from spindlemark.core import private_files
from spindlemark.core.outcome import Broken, Failed, Outcome, external_signal
from spindlemark.core.process import programs
from spindlemark.core.process.command import tail, without_project_paths
from spindlemark.core.process.interrupts import check, interruptible
from spindlemark.core.record import Command
from spindlemark.testbeds import control_groups, load

STOP_SECONDS, _KILL_SECONDS, _ASK_SECONDS = 10.0, 60.0, 0.02
_DIE_WITH_US = ("setpriv", "--pdeathsig=KILL")
_PREFIX = "background-"


class Recorder(Protocol):
    """What a background process is recorded in: a repetition, for example."""

    commands: list[Command]


@dataclass
class Background:
    """A process that runs beside the steps."""

    name: str
    argv: list[str]
    process: programs.Process
    group: Path | None  # its control group
    descriptor: int  # of the process
    out: BinaryIO
    err: BinaryIO
    begun: float = field(default_factory=time.monotonic)
    ended: tuple[int, float, float, float] | None = None  # exit code, user and system seconds, all seconds of its group

    def alive(self) -> bool:
        """Whether it runs."""
        return self.ended is None and not _readable(self.descriptor, 0)

    def has_one_of(self, sockets: Collection[str]) -> bool:
        """Whether it, or what it started, has one of the sockets, named by their inodes, open."""
        wanted = {f"socket:[{inode}]" for inode in sockets}
        return bool(wanted) and any(wanted & _open(pid) for pid in control_groups.members(self.group, self.process.pid))

    def cpu_seconds(self) -> float:
        """Processor seconds, user and system, of it and of all that it started, so far."""
        return self.ended[3] if self.ended else control_groups.seconds(self.group, self.process.pid)

    def require(self) -> None:
        """Raise Failed with its last words when it has ended; Broken when something from outside ended it."""
        if not self.alive():
            code = self._code()
            if sign := external_signal(code):
                raise Broken(f"{self.name} was ended from outside by {sign}")
            raise Failed(f"{self.name} ended with exit code {code}: {self.words()}")

    def words(self) -> str:
        """Its last line."""
        lines = (tail(self.err).strip() or tail(self.out).strip()).splitlines()
        return lines[-1] if lines else "it said nothing"

    def uncounted(self) -> float:
        """Seconds that the kernel does not count among those of the commands that this process waited for."""
        return self.cpu_seconds() - (self.ended[1] + self.ended[2] if self.ended else 0.0)

    def stop(self) -> None:
        """End it, and all that it started; twice is once."""
        if self.ended:
            return
        if self.alive():
            _signal(self.process.pid, signal.SIGTERM)
            _readable(self.descriptor, STOP_SECONDS)
        control_groups.kill(self.group)
        with suppress(ProcessLookupError):  # it was not waited for: its number is nobody else's yet
            os.killpg(self.process.pid, signal.SIGKILL)
        if not _readable(self.descriptor, _KILL_SECONDS):
            raise Broken(f"{self.name} cannot be ended: the kernel holds it")
        self._collect()
        control_groups.remove(self.group)

    def _code(self) -> int:
        """Exit code of the process that has ended, which is not waited for yet."""
        reported = os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)
        assert reported, "without WNOHANG the call returns only once the process has ended"
        return reported.si_status if reported.si_code == os.CLD_EXITED else -reported.si_status

    def _collect(self) -> None:
        """Take its exit code and times: the kernel tells them once."""
        used = control_groups.seconds(self.group, self.process.pid)
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.ended = (
            self.process.returncode,
            usage.ru_utime,
            usage.ru_stime,
            max(used, usage.ru_utime + usage.ru_stime),
        )


@contextmanager
def background(
    repetition: Recorder,
    argv: Sequence[str],
    *,
    name: str,
    ready: Callable[[], bool] | None = None,
    listening: Callable[[], Collection[str]] | None = None,
    ready_seconds: float = 10.0,
    user: str | None = None,
) -> Iterator[Background]:
    """Run `argv` beside what the context does, from when it is `ready` on; it is recorded in session.commands.

    `listening`: asks for the sockets that listen where it is to answer; it is ready when one of them is its own, and not
    when somebody else answers there. `user`: an unprivileged one that it becomes. Raises Failed when it ends before it is
    told to or is not ready in time, with what its client says then. Raises Broken when something from outside ends it.
    """
    check()
    started = start(argv, name, user)
    try:
        if listening is not None:
            ready = partial(_listens, started, listening)
        _wait(started, ready, ready_seconds)
        try:
            yield started
        except Outcome as reported:
            try:
                started.require()
            except (
                Failed
            ) as died:  # either can be the other's cause: nbdkit aborts when its client goes at a bad moment
                raise Failed(f"{died}; meanwhile: {reported}") from reported
            raise
        started.require()
    finally:
        try:
            started.stop()
        finally:
            _noted(repetition, started)


def start(argv: Sequence[str], name: str, user: str | None = None) -> Background:
    """Start a process in a group of its own; who calls this calls `stop`. Its time counts as this process's."""
    argv = [str(word) for word in argv]
    inner = [*as_user(user), *argv] if user else argv
    programs.resolve(inner)
    group = control_groups.make(_note())
    words = [*_DIE_WITH_US, "--", *control_groups.joining(group), *inner]
    environment = {"LC_ALL": "C", "HOME": "/", "PATH": programs.search_path()}
    out, err = (os.fdopen(os.memfd_create(kind), "rb") for kind in ("stdout", "stderr"))
    how = programs.with_libraries(inner, {"env": environment})  # the words begin with what joins the group
    process = programs.start(words, stdout=out, stderr=err, cwd="/", process_group=0, **how)
    found = Background(name, argv, process, group, os.pidfd_open(process.pid), out, err)
    load.own_processes.append(found.uncounted)
    return found


def as_user(user: str, rights: Sequence[str] = ()) -> list[str]:
    """The words that start a command as an unprivileged user, with no right of root but `rights`, that ends with its parent.

    Each right is a capability in setpriv's words, as dac_read_search.
    """
    only = ",".join(["-all", *(f"+{right}" for right in rights)])
    return [
        *_DIE_WITH_US,
        f"--reuid={user}",
        f"--regid={control_groups.of_user(user)}",
        "--clear-groups",
        "--no-new-privs",
        f"--inh-caps={only}",
        *([f"--ambient-caps={only}"] if rights else []),
        f"--bounding-set={only}",
        "--",
    ]


def end_left() -> None:
    """End what processes that were killed have left; the caller holds the machine's lock."""
    for note in private_files.RUN.glob(f"{_PREFIX}[0-9]*.json"):
        if not Path("/proc", note.stem.removeprefix(_PREFIX)).exists():
            control_groups.end_noted(note.stem)


def _note() -> str:
    return f"{_PREFIX}{os.getpid()}"


def _wait(started: Background, ready: Callable[[], bool] | None, seconds: float) -> None:
    give_up = time.monotonic() + seconds
    with interruptible():
        while ready is not None and not ready():
            started.require()
            if time.monotonic() > give_up:
                raise Failed(f"{started.name} was not ready after {seconds:g} s: {started.words()}")
            time.sleep(_ASK_SECONDS)
    started.require()


def _listens(started: Background, listening: Callable[[], Collection[str]]) -> bool:
    return started.has_one_of(listening())


def _open(pid: int) -> set[str]:
    """What the process's descriptors are; nothing of one that has ended."""
    found = set()
    with suppress(OSError):
        for link in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):
                found.add(str(link.readlink()))
    return found


def _noted(repetition: Recorder, done: Background) -> None:
    code, user, system, _ = done.ended or (-signal.SIGKILL, 0.0, 0.0, 0.0)
    repetition.commands.append(
        Command(
            step=done.name,
            argv=without_project_paths(done.argv),
            exit_code=code,
            seconds=time.monotonic() - done.begun,
            user_seconds=user,
            system_seconds=system,
            minor_faults=0,
            major_faults=0,
            stdout=without_project_paths([tail(done.out)])[0],
            stderr=without_project_paths([tail(done.err)])[0],
        )
    )
    for opened in (done.out, done.err):
        opened.close()
    os.close(done.descriptor)


def _readable(descriptor: int, seconds: float) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


def _signal(pid: int, sign: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, sign)
