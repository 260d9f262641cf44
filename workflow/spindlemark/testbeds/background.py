"""A process that runs next to the steps, such as a server: start it, wait until it is ready, watch it, end it.

It gets a control group of its own where the kernel has one, else a process group. All processes of the group count:
their processor time is measured, and all are killed in the end. If this program itself is killed, its next start
kills them.
"""

import os
import select
import shutil
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
_PREFIX, _FOLDER = "background-", "serving-"


class Recorder(Protocol):
    """The list of commands that a background process is added to, for example that of a repetition."""

    commands: list[Command]


@dataclass
class Background:
    """A process that runs next to the steps."""

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
        """Whether it still runs."""
        return self.ended is None and not _readable(self.descriptor, 0)

    def has_one_of(self, sockets: Collection[str]) -> bool:
        """Whether a process of its group has one of the sockets open; sockets are named by their inodes."""
        wanted = {f"socket:[{inode}]" for inode in sockets}
        return bool(wanted) and any(wanted & _open(pid) for pid in self.members())

    def members(self) -> list[int]:
        """Numbers of the processes of its group."""
        return control_groups.members(self.group, self.process.pid)

    def cpu_seconds(self) -> float:
        """Processor seconds, user and system, of all processes of its group so far."""
        return self.ended[3] if self.ended else control_groups.seconds(self.group, self.process.pid)

    def require(self) -> None:
        """Raise Failed with its last line of output when it has ended; Broken when something from outside ended it."""
        if not self.alive():
            code = self._code()
            if sign := external_signal(code):
                raise Broken(f"{self.name} was ended from outside by {sign}")
            raise Failed(f"{self.name} ended with exit code {code}: {self.words()}")

    def words(self) -> str:
        """Return its last line of output."""
        lines = (tail(self.err).strip() or tail(self.out).strip()).splitlines()
        return lines[-1] if lines else "it printed nothing"

    def uncounted(self) -> float:
        """Processor seconds that the kernel does not yet count as those of commands that this program waited for."""
        return self.cpu_seconds() - (self.ended[1] + self.ended[2] if self.ended else 0.0)

    def stop(self) -> None:
        """End all processes of its group; a second call does nothing."""
        if self.ended:
            return
        if self.alive():
            _signal(self.process.pid, signal.SIGTERM)
            _readable(self.descriptor, STOP_SECONDS)
        control_groups.kill(self.group)
        with suppress(ProcessLookupError):  # it was not waited for, so no other process can have its number yet
            os.killpg(self.process.pid, signal.SIGKILL)
        if not _readable(self.descriptor, _KILL_SECONDS):
            raise Broken(f"{self.name} cannot be killed: it waits inside the kernel")
        self._collect()
        control_groups.remove(self.group)

    def _code(self) -> int:
        """Return the exit code of the ended process without waiting for it."""
        reported = os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)
        assert reported, "without WNOHANG the call returns only once the process has ended"
        return reported.si_status if reported.si_code == os.CLD_EXITED else -reported.si_status

    def _collect(self) -> None:
        """Wait for the process: the kernel reports its exit code and times only once."""
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
    """Run `argv` while the context lasts, which begins when the process is `ready`; record it as a command.

    `listening` returns the sockets that listen at the process's address: it is ready when one of them is its own, so
    another server at that address does not count. `user`: the unprivileged user that it runs as. Raises Failed when it
    ends too early or is not ready in time, together with the error of its client. Raises Broken when something from
    outside ends it.
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
            except Failed as died:  # each can be the cause of the other: nbdkit may abort when its client disconnects
                raise Failed(f"{died}; meanwhile: {reported}") from reported
            raise
        started.require()
    finally:
        try:
            started.stop()
        finally:
            _noted(repetition, started)


def start(argv: Sequence[str], name: str, user: str | None = None) -> Background:
    """Start a process in a group of its own. The caller must call `stop`. Its processor time counts as the program's."""
    argv = [str(word) for word in argv]
    inner = [*as_user(user), *argv] if user else argv
    programs.resolve(inner)
    group = control_groups.make(_note())
    words = [*_DIE_WITH_US, "--", *control_groups.joining(group), *inner]
    out, err = (os.fdopen(os.memfd_create(kind), "rb") for kind in ("stdout", "stderr"))
    how = programs.with_libraries(inner, {"env": programs.environment()})  # `words` begins with what joins the group
    process = programs.start(words, stdout=out, stderr=err, cwd="/", process_group=0, **how)
    found = Background(name, argv, process, group, os.pidfd_open(process.pid), out, err)
    load.own_processes.append(found.uncounted)
    return found


def as_user(user: str, rights: Sequence[str] = ()) -> list[str]:
    """Return the command prefix that starts a command as an unprivileged user. The command ends with its parent.

    It has no capabilities except `rights`, which are named as setpriv names them, such as dac_read_search.
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


def own_folder(user: str) -> Path:
    """An empty folder of this process, to which a server that runs as `user` writes; the caller removes it.

    What a program that was killed left is removed by `end_leftovers`.
    """
    folder = private_files.folder(private_files.RUN) / f"{_FOLDER}{os.getpid()}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    shutil.chown(folder, user)
    return folder


def end_leftovers() -> None:
    """End the background processes of programs that were killed, and remove their folders.

    The caller holds the machine's lock.
    """
    for note in private_files.RUN.glob(f"{_PREFIX}[0-9]*.json"):
        if not Path("/proc", note.stem.removeprefix(_PREFIX)).exists():
            control_groups.end_noted(note.stem)
    for folder in private_files.RUN.glob(f"{_FOLDER}[0-9]*"):
        if not Path("/proc", folder.name.removeprefix(_FOLDER)).exists():
            shutil.rmtree(folder, ignore_errors=True)


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
    """The targets of the process's descriptors; none when it has ended."""
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
