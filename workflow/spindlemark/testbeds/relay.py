"""Delay, jitter and loss where the kernel has no netem: a program between two TUN devices, one in each namespace.

This module starts it and speaks with it; what it does is in relay_program.py, which runs as a process of its own.
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
    said: IO[bytes]

    def set(self, wanted: Conditions) -> None:
        """Let packets that come from now on be treated so; the rate is the kernel's business."""
        self._asked(asdict(wanted))

    def facts(self) -> dict[str, Scalar]:
        """Environment fields: what it did to packets, and its processor time."""
        return {f"link.relay.{name}": value for name, value in self._asked({}).items()}

    def cpu_seconds(self) -> float:
        """Its processor seconds so far, in ticks of 10 ms; 0 once it has ended."""
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _asked(self, what: dict) -> dict[str, Scalar]:
        try:
            self.requests.write(json.dumps(what).encode() + b"\n")
            self.requests.flush()
            return answer(self)
        except BrokenPipeError:
            raise Broken("the relay between the ends of the link has ended") from None


def answer(relay: Relay) -> dict[str, Scalar]:
    """What it says next; raises Broken when it says nothing in time, or has ended."""
    if select.select([relay.said], [], [], _ANSWER_SECONDS)[0] and (line := relay.said.readline()):
        return json.loads(line)
    raise Broken("the relay between the ends of the link says nothing")


@contextmanager
def running(server: End, client: End) -> Iterator[Relay]:
    """The relay, from when both devices are there until the end of the context, which takes them away."""
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
        relay.said.close()
