"""The processes of a virtual machine on the host: find, count and end them, and no others.

Each has a secret in its environment, which is noted in a file that only root can read. So all of them are found, in
whatever way their parent ended, and no foreign process is mistaken for one.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

SECRET = "SPINDLEMARK_MACHINE"  # the variable


@dataclass(frozen=True)
class Machine:
    """A virtual machine that was started; `began`, the start time of `pid`, distinguishes it from a later process.

    `serial` is that of its disk, `key` a hash of everything that it was started with.
    """

    pid: int
    began: str | None
    serial: str
    key: str
    log: str
    secret: str

    def alive(self) -> bool:
        """Whether its first process still runs."""
        return self.began is not None and start_of(self.pid) == self.began

    def processes(self) -> Iterator[int]:
        """Yield the numbers of its processes."""
        for process in Path("/proc").glob("[0-9]*"):
            if self._has(int(process.name)):
                yield int(process.name)

    def kill(self) -> None:
        """Kill its processes."""
        for pid in self.processes():
            with suppress(ProcessLookupError):
                descriptor = os.pidfd_open(pid)
                try:
                    if self._has(pid):  # while the descriptor is open, the number cannot belong to a later process
                        signal.pidfd_send_signal(descriptor, signal.SIGKILL)
                finally:
                    os.close(descriptor)

    def cpu_seconds(self) -> float:
        """CPU time of its processes so far."""
        total = 0
        for pid in self.processes():
            with suppress(OSError):
                fields = _stat(pid)
                total += int(fields[11]) + int(fields[12])
        return total / os.sysconf("SC_CLK_TCK")

    def _has(self, pid: int) -> bool:
        try:
            return f"{SECRET}={self.secret}".encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        except OSError:
            return False  # it ended meanwhile


def start_of(pid: int) -> str | None:
    """Start time of a process in ticks since boot, None when it has ended."""
    try:
        fields = _stat(pid)
    except OSError:
        return None
    return None if fields[0] == b"Z" else fields[19].decode()


def _stat(pid: int) -> list[bytes]:
    """The fields after a process's name in its stat file."""
    return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
