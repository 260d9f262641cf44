"""What a link does to packets, by the kernel: rate (token bucket), delay, jitter and loss (netem), and its proof.

A rate is tried before a repetition, in both directions, by one TCP connection: no more than it, and nearly as much.
Netem stands above the bucket. Where packets are lost or delayed by netem, segmentation offload is turned off first: a
packet of 64 KiB that is lost whole would be another network.
"""

import socket
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from spindlemark.config.links import Conditions
from spindlemark.core.outcome import Invalid
from spindlemark.core.process.command import execute
from spindlemark.testbeds import namespaces

TOOLS = {"ip": "iproute2", "tc": "iproute2", "ethtool": "ethtool", "nsenter": "util-linux", "setpriv": "util-linux"}
LIMIT_SECONDS = 30
# Of what frames can carry at a rate, what a trial must give, in one of so many; others on this machine take away.
HELD, ABOVE, _TRIALS = 0.9, 1.02, 5
_WARM_SECONDS, _TRIAL_SECONDS = 0.15, 0.3
_BUCKET_SECONDS, QUEUE, _NETEM_PACKETS = 0.002, "50ms", 200_000
_HEADERS, FRAME = 52, 14  # of IPv4 and TCP with time stamps; of Ethernet, which the bucket counts
_AT_ONCE, _LARGEST_BUCKET = 1 << 18, 32 << 20


@dataclass(frozen=True)
class End:
    """One end of a link."""

    namespace: str  # the file at which it hangs: what nsenter --net= is given
    interface: str
    address: str  # IPv4, of a range for tests (RFC 2544) that is routed nowhere


def entered(namespace: str | Path) -> list[str]:
    """The words that start a command in a namespace."""
    return ["nsenter", f"--net={namespace}", "--"]


def disciplines(interface: str, mtu: int, conditions: Conditions, netem: bool) -> list[list[str]]:
    """The commands that give the interface its queue, while packets wait in the one before. What is deleted may be gone."""
    if not (conditions.rate or (netem and conditions.disturbed)):
        return [["tc", "qdisc", "delete", "dev", interface, "root"]]
    change, found = ["tc", "qdisc", "replace", "dev", interface], []
    place = ["root", "handle", "2:"]  # of another kind, a queue has another number
    if netem and conditions.disturbed:
        found.append([*change, "root", "handle", "1:", "netem", "limit", str(_NETEM_PACKETS), *_netem(conditions)])
        place = ["parent", "1:1", "handle", "10:"]
        if not conditions.rate:
            found.append(["tc", "qdisc", "delete", "dev", interface, *place[:2]])
    if conditions.rate:
        bucket = min(max(int(conditions.rate / 8 * _BUCKET_SECONDS), 2 * mtu), _LARGEST_BUCKET)
        found.append([*change, *place, "tbf", "rate", f"{conditions.rate}bit", "burst", str(bucket), "latency", QUEUE])
    return found


def one_by_one(interface: str) -> list[str]:
    """The command that turns offloads off: each packet is then handled by itself."""
    return ["ethtool", "-K", interface, "tso", "off", "gso", "off", "gro", "off"]


def has_netem(namespace: str | Path) -> bool:
    """Whether the kernel takes netem, found out by trial on the namespace's loopback."""
    queue = ["dev", "lo", "root"]
    if execute([*entered(namespace), "tc", "qdisc", "add", *queue, "netem", "delay", "1ms"], LIMIT_SECONDS).exit_code:
        return False
    execute([*entered(namespace), "tc", "qdisc", "delete", *queue], LIMIT_SECONDS)
    return True


def prove(sender: End, receiver: End, rate: int, mtu: int) -> float:
    """Bytes per second that one connection got; raises Invalid when the link is faster than `rate`, or much slower."""
    most = rate / 8 * (mtu - _HEADERS) / (mtu + FRAME)
    for _ in range(_TRIALS):
        got = speed(sender, receiver)
        if HELD * most <= got <= ABOVE * rate / 8:
            return got
    faster = got > rate / 8
    raise Invalid(
        f"the link is not held at {rate:,} bit/s: a trial gave {got * 8:,.0f} bit/s, "
        f"{'more than that' if faster else f'and {_TRIALS - 1} before it no more; other work on this machine?'}"
    )


def speed(sender: End, receiver: End, seconds: float = _TRIAL_SECONDS) -> float:
    """Bytes per second that arrive over one connection, after its start."""
    taker = namespaces.inside(Path(receiver.namespace), lambda: socket.create_server((receiver.address, 0)))
    with taker:
        giver = namespaces.inside(Path(sender.namespace), socket.socket)
        with giver:
            taker.settimeout(LIMIT_SECONDS)
            giver.settimeout(LIMIT_SECONDS)
            giver.connect(taker.getsockname())
            got, _ = taker.accept()
            with got:
                return _counted(giver, got, seconds)


def _counted(giver: socket.socket, got: socket.socket, seconds: float) -> float:
    over = threading.Event()

    def give() -> None:
        while not over.is_set():
            try:
                giver.send(bytes(_AT_ONCE))
            except OSError:
                return

    thread = threading.Thread(target=give, name="trial", daemon=True)
    thread.start()
    try:
        got.settimeout(LIMIT_SECONDS)
        memory = bytearray(_AT_ONCE)
        begun = time.monotonic()
        while time.monotonic() - begun < _WARM_SECONDS:
            got.recv_into(memory)
        begun, count = time.monotonic(), 0
        while (took := time.monotonic() - begun) < seconds:
            count += got.recv_into(memory)
        return count / took
    finally:
        over.set()
        got.close()  # what is being sent ends with an error
        thread.join()


def _netem(conditions: Conditions) -> list[str]:
    delay = [f"{1e6 * (seconds or 0):.0f}us" for seconds in (conditions.delay, conditions.jitter)]
    words = ["delay", *(delay if conditions.jitter else delay[:1])] if conditions.delay or conditions.jitter else []
    return [*words, *(["loss", "random", f"{100 * conditions.loss:g}%"] if conditions.loss else [])]
