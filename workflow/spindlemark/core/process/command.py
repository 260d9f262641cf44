"""One command: in its own process group, with a time limit and an exact clock, and never left running."""

import os
import resource
import select
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from spindlemark.core.paths import ROOT
from spindlemark.core.process import programs
from spindlemark.core.process.interrupts import interruptible

KEPT_CHARACTERS = 4000
SECONDS_TO_DIE = 60
# setpriv lets the kernel kill the command when this process dies, even by SIGKILL; it adds one exec to every command.
_DIE_WITH_US = ("setpriv", "--pdeathsig=KILL", "--")


@dataclass(frozen=True)
class Finished:
    """A command that ended. `seconds` are from before its start to its end; output is cut to its last characters.

    CPU seconds and page faults are those of the command and of the processes that it started and waited for.
    """

    argv: list[str]
    exit_code: int
    seconds: float
    user_seconds: float
    system_seconds: float
    minor_faults: int
    major_faults: int
    stdout: str
    stderr: str
    timed_out: bool


def execute(
    argv: Sequence[str | Path], limit_seconds: float, inherit: Sequence[int] = (), stoppable: bool = True
) -> Finished:
    """Run `argv` without a shell and wait; after `limit_seconds` its whole process group is killed.

    `inherit`: descriptors that it keeps open, such as that of the lock. A signal stops it and raises Interrupted, unless
    it is not `stoppable`, for example a clean-up. Raises UserError for a missing tool, and UndeclaredProgramError for an
    undeclared one.
    """
    plain = [str(word) for word in argv]
    words, environment = [*_DIE_WITH_US, *plain], programs.environment()
    programs.resolve(words)  # cached, so that the time is that of the command only
    with os.fdopen(os.memfd_create("stdout"), "rb") as out, os.fdopen(os.memfd_create("stderr"), "rb") as err:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begun = time.perf_counter()
        process = programs.start(
            words, stdout=out, stderr=err, cwd="/", env=environment, process_group=0, pass_fds=tuple(inherit)
        )
        try:
            with interruptible() if stoppable else nullcontext():
                in_time = _ends_within(process.pid, limit_seconds)
            ended = time.perf_counter()
        except BaseException:
            _kill(process)
            raise
        if not in_time:
            _kill(process)
        process.wait()
        return Finished(plain, process.returncode, ended - begun, *_cost(before), tail(out), tail(err), not in_time)


def without_project_paths(texts: Sequence[str]) -> list[str]:
    """Return `texts` without the paths of the project and of its Python, which may contain a user's name."""
    return [text.replace(f"{ROOT}/", "").replace(f"{Path(sys.executable).parent}/", "") for text in texts]


def _cost(before: resource.struct_rusage) -> tuple[float, float, int, int]:
    """User and system seconds, minor and major faults, of the child that was waited for since `before`."""
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (
        round(now.ru_utime - before.ru_utime, 6),
        round(now.ru_stime - before.ru_stime, 6),
        now.ru_minflt - before.ru_minflt,
        now.ru_majflt - before.ru_majflt,
    )


def _ends_within(pid: int, seconds: float) -> bool:
    """Wait on a process descriptor: Popen.wait with a limit polls, and would be up to 50 ms late."""
    descriptor = os.pidfd_open(pid)
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        return bool(poll.poll(seconds * 1000))
    finally:
        os.close(descriptor)


def _kill(process: programs.Process) -> None:
    """Kill the whole group; raises TimeoutExpired when the kernel cannot end it."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(SECONDS_TO_DIE)


def tail(file: BinaryIO) -> str:
    """The last characters that a command wrote."""
    size = os.fstat(file.fileno()).st_size
    data = os.pread(file.fileno(), 4 * KEPT_CHARACTERS, max(0, size - 4 * KEPT_CHARACTERS))
    return data.decode("utf-8", errors="replace")[-KEPT_CHARACTERS:]
