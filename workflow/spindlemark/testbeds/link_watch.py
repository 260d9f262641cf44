"""The connection between two ends of a link: its traffic, and whether it is still up."""

import fcntl
import os
import socket
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Self

from spindlemark.core.outcome import Broken, Unsupported
from spindlemark.core.process.command import execute
from spindlemark.testbeds import namespaces, shaping
from spindlemark.testbeds.shaping import End

_SIOCGIFFLAGS, _IFF_UP, _IFF_RUNNING = 0x8913, 1, 0x40  # linux/sockios.h, linux/if.h
_SENT_BYTES, _SENT_PACKETS, _DROPPED = 8, 9, 11  # columns of /proc/net/dev
_MOST = 1 << 16


class _Watched(NamedTuple):
    """An end of the link, with open files of its namespace."""

    end: End
    flags: socket.socket  # for the flags of the interface
    counters: int  # counters of its cards
    congestion: int  # congestion control in use
    protocols: int  # counters of TCP


class Carried(NamedTuple):
    """Traffic that server and client sent, as their interfaces count it: with offloads a packet can have 64 KiB."""

    server_bytes: int
    server_packets: int
    server_retransmits: int  # TCP segments
    client_bytes: int
    client_packets: int
    client_retransmits: int

    @property
    def bytes(self) -> int:
        """Bytes in both directions."""
        return self.server_bytes + self.client_bytes

    @property
    def retransmits(self) -> int:
        """TCP segments that either end sent again."""
        return self.server_retransmits + self.client_retransmits

    def since(self, before: "Carried") -> "Carried":
        """The difference between two readings."""
        return Carried(*(now - then for now, then in zip(self, before, strict=True)))


@dataclass
class Wire:
    """Both ends, read by this process without entering their namespaces again."""

    kind: str  # veth, tun or nic
    server: End
    client: End

    def __enter__(self) -> Self:
        self._ends = [
            _Watched(end, *namespaces.inside(Path(end.namespace), _opened)) for end in (self.server, self.client)
        ]
        return self

    def __exit__(self, *_: object) -> None:
        for watched in self._ends:
            watched.flags.close()
            for file in (watched.counters, watched.protocols, watched.congestion):
                os.close(file)

    @property
    def _needed(self) -> int:
        """Flags of an end that is up. IFF_RUNNING counts only for real cards: for virtual ones the kernel updates it late."""
        return _IFF_UP | _IFF_RUNNING if self.kind == "nic" else _IFF_UP

    def require_up(self) -> None:
        """Raise Broken when an end was removed or is down, which is not a result."""
        for watched in self._ends:
            try:
                name = struct.pack("16s16x", watched.end.interface.encode())
                reported = fcntl.ioctl(watched.flags, _SIOCGIFFLAGS, name)
            except OSError:
                raise Broken("the link was removed while it was measured") from None
            if struct.unpack_from("H", reported, 16)[0] & self._needed != self._needed:
                raise Broken("the link went down while it was measured")

    def is_up(self) -> bool:
        """Whether both ends exist and are up."""
        try:
            self.require_up()
        except Broken:
            return False
        return True

    def carried(self) -> Carried:
        """Traffic of both ends so far; raises Broken as `require_up` does."""
        self.require_up()
        return Carried(
            *(
                count
                for fields, retransmits in zip(self._counted(), self._retransmits(), strict=True)
                for count in (int(fields[_SENT_BYTES]), int(fields[_SENT_PACKETS]), retransmits)
            )
        )

    def dropped(self) -> int:
        """Packets that the interfaces dropped; those dropped by the queue of a limited rate do not count."""
        return sum(int(fields[_DROPPED]) for fields in self._counted())

    def _counted(self) -> Iterator[list[str]]:
        """Yield the kernel's counters of each end."""
        for watched in self._ends:
            lines = os.pread(watched.counters, _MOST, 0).decode().splitlines()
            start = f"{watched.end.interface}:"
            yield next(line.partition(":")[2].split() for line in lines if line.strip().startswith(start))

    def _retransmits(self) -> Iterator[int]:
        """Yield the TCP segments that each namespace sent again, as the kernel counts them."""
        for watched in self._ends:
            names, values = (
                line.split()
                for line in os.pread(watched.protocols, _MOST, 0).decode().splitlines()
                if line.startswith("Tcp:")
            )
            yield int(values[names.index("RetransSegs")])

    def congestion(self) -> str:
        """The congestion control that the server's namespace inherited from the machine."""
        return os.pread(self._ends[0].congestion, 100, 0).decode().strip()


def command(end: End, words: Sequence[str], may_fail: bool = False) -> None:
    """Run a command at an end, outside of any timing; raises Broken with its error output when it fails.

    Raises Unsupported where the kernel lacks the queueing discipline.
    """
    done = execute([*shaping.in_namespace(end.namespace), *words], shaping.LIMIT_SECONDS)
    if "qdisc kind is unknown" in done.stderr:
        raise Unsupported(f"this kernel does not support: {' '.join(words)}: {done.stderr.strip()}")
    if done.exit_code and not may_fail:
        raise Broken(f"{' '.join(words)}: {done.stderr.strip() or done.exit_code}")


def _opened() -> tuple[socket.socket, int, int, int]:
    """Open the files of `_Watched` in the namespace of the calling thread."""
    flags = os.O_RDONLY | os.O_CLOEXEC
    return (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
        os.open("/proc/thread-self/net/dev", flags),
        os.open("/proc/sys/net/ipv4/tcp_congestion_control", flags),
        os.open("/proc/thread-self/net/snmp", flags),
    )
