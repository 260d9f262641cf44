"""Delay, jitter and loss where the kernel has no netem: a program between two TUN devices, one in each namespace.

This module starts the program (relay_program.py) and sends requests to it.
"""

import json
import os
import select
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from spindlemark.config.links import Conditions
from spindlemark.core.outcome import Broken, Unsupported
from spindlemark.core.process import programs
from spindlemark.core.record import Scalar
from spindlemark.testbeds import load
from spindlemark.testbeds.shaping import End

_ANSWER_SECONDS = 10.0
_TUN = Path("/dev/net/tun")
_PROGRAM = Path(__file__).with_name("relay_program.py")


@dataclass
class Relay:
    """The running program."""

    process: programs.Process
    requests: IO[bytes]
    answers: IO[bytes]

    def set(self, wanted: Conditions) -> None:
        """Set delay, jitter and loss of later packets; the kernel limits the rate."""
        self._request(asdict(wanted))

    def facts(self) -> dict[str, Scalar]:
        """Environment fields: counts of packets, and the program's processor time."""
        return {f"link.relay.{name}": value for name, value in self._request({}).items()}

    def cpu_seconds(self) -> float:
        """Its processor seconds so far, in ticks of 10 ms; 0 once it has ended."""
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _request(self, content: dict) -> dict[str, Scalar]:
        try:
            self.requests.write(json.dumps(content).encode() + b"\n")
            self.requests.flush()
            return answer(self)
        except BrokenPipeError:
            raise Broken("the relay between the ends of the link has ended") from None


def answer(relay: Relay) -> dict[str, Scalar]:
    """Read its next answer; raises Broken when there is none in time, or when it has ended."""
    if select.select([relay.answers], [], [], _ANSWER_SECONDS)[0] and (line := relay.answers.readline()):
        return json.loads(line)
    raise Broken("the relay between the ends of the link does not answer")


@contextmanager
def running(server: End, client: End) -> Iterator[Relay]:
    """Run the relay; its two devices exist as long as the context lasts."""
    if not _TUN.exists():
        raise Unsupported(f"this kernel has neither netem nor TUN devices ({_TUN}) to delay or lose packets with")
    words = [
        *programs.PYTHON,
        str(_PROGRAM),
        *(word for end in (server, client) for word in (end.namespace, end.interface)),
    ]
    process = programs.start(
        ["setpriv", "--pdeathsig=KILL", "--", *words],
        stdin=programs.PIPE,
        stdout=programs.PIPE,
        cwd="/",
        env={"LC_ALL": "C"},
        process_group=0,
    )
    assert process.stdin and process.stdout  # both are pipes
    relay = Relay(process, process.stdin, process.stdout)
    load.own_processes.append(relay.cpu_seconds)
    try:
        answer(relay)
        yield relay
    finally:
        process.kill()
        process.wait()
        relay.requests.close()
        relay.answers.close()
