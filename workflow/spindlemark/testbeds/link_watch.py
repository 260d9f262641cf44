"""What joins two ends of a link, watched: what it carried, and whether it is still there."""

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
    counters: int  # of its cards
    congestion: int  # the congestion control in use
    protocols: int  # counters of TCP


class Carried(NamedTuple):
    """What server and client have sent, as their interfaces count: with offloads a packet can be as large as 64 KiB."""

    server_bytes: int
    server_packets: int
    server_again: int  # of its TCP segments, those that it sent once more
    client_bytes: int
    client_packets: int
    client_again: int

    @property
    def bytes(self) -> int:
        """Both ways together."""
        return self.server_bytes + self.client_bytes

    @property
    def again(self) -> int:
        """TCP segments that either end sent once more."""
        return self.server_again + self.client_again

    def since(self, before: "Carried") -> "Carried":
        """What came between two readings."""
        return Carried(*(now - then for now, then in zip(self, before, strict=True)))


@dataclass
class Wire:
    """Reads both ends from this process, without entering their namespaces again."""

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
        """Real cards have a wire too; the kernel looks at that of virtual ones only now and then."""
        return _IFF_UP | _IFF_RUNNING if self.kind == "nic" else _IFF_UP

    def require_whole(self) -> None:
        """Raise Broken when an end is gone or down: its owner removed it, which is not a result."""
        for watched in self._ends:
            try:
                name = struct.pack("16s16x", watched.end.interface.encode())
                reported = fcntl.ioctl(watched.flags, _SIOCGIFFLAGS, name)
            except OSError:
                raise Broken("the link was removed while it was measured") from None
            if struct.unpack_from("H", reported, 16)[0] & self._needed != self._needed:
                raise Broken("the link was taken down while it was measured")

    def is_whole(self) -> bool:
        """Whether both ends are there and up."""
        try:
            self.require_whole()
        except Broken:
            return False
        return True

    def carried(self) -> Carried:
        """What both have sent so far; raises Broken as `require_whole` does."""
        self.require_whole()
        return Carried(
            *(
                count
                for fields, again in zip(self._counted(), self._again(), strict=True)
                for count in (int(fields[_SENT_BYTES]), int(fields[_SENT_PACKETS]), again)
            )
        )

    def dropped(self) -> int:
        """Packets that the interfaces themselves had no room for; those of a held rate's queue are not among them."""
        return sum(int(fields[_DROPPED]) for fields in self._counted())

    def _counted(self) -> Iterator[list[str]]:
        """What the kernel counts of each end."""
        for watched in self._ends:
            lines = os.pread(watched.counters, _MOST, 0).decode().splitlines()
            start = f"{watched.end.interface}:"
            yield next(line.partition(":")[2].split() for line in lines if line.strip().startswith(start))

    def _again(self) -> Iterator[int]:
        """TCP segments that were sent once more, as the kernel counts them of each namespace."""
        for watched in self._ends:
            names, values = (
                line.split()
                for line in os.pread(watched.protocols, _MOST, 0).decode().splitlines()
                if line.startswith("Tcp:")
            )
            yield int(values[names.index("RetransSegs")])

    def congestion(self) -> str:
        """The congestion control that the server's namespace has of the machine."""
        return os.pread(self._ends[0].congestion, 100, 0).decode().strip()


def command(end: End, words: Sequence[str], may_fail: bool = False) -> None:
    """Run a command at an end, outside of any timing; raises Broken with its words when it fails.

    Raises Unsupported where the kernel has no such queue.
    """
    done = execute([*shaping.entered(end.namespace), *words], shaping.LIMIT_SECONDS)
    if "qdisc kind is unknown" in done.stderr:
        raise Unsupported(f"this kernel cannot do it: {' '.join(words)}: {done.stderr.strip()}")
    if done.exit_code and not may_fail:
        raise Broken(f"{' '.join(words)}: {done.stderr.strip() or done.exit_code}")


def _opened() -> tuple[socket.socket, int, int, int]:
    """The open files of `_Watched`, of the namespace that this is called in."""
    flags = os.O_RDONLY | os.O_CLOEXEC
    return (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
        os.open("/proc/thread-self/net/dev", flags),
        os.open("/proc/sys/net/ipv4/tcp_congestion_control", flags),
        os.open("/proc/thread-self/net/snmp", flags),
    )
