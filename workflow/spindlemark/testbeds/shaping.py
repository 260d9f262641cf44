"""Traffic shaping by the kernel: rate (token bucket), delay, jitter and loss (netem), and the test of a rate.

A rate is tested before a repetition, in both directions, by one TCP connection: it must get nearly that rate, and not
more. Netem comes before the bucket. Where netem delays or loses packets, segmentation offload is turned off first,
since losing 64 KiB at once would not resemble a real network.
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
# Bounds of the measured rate, relative to the expected one. One of _TRIALS must be within them, as load may disturb some.
HELD, ABOVE, _TRIALS = 0.9, 1.02, 5
_WARM_SECONDS, _TRIAL_SECONDS = 0.15, 0.3
_BUCKET_SECONDS, QUEUE, _NETEM_PACKETS = 0.002, "50ms", 200_000
_HEADERS, FRAME = 52, 14  # bytes: IPv4 and TCP with time stamps; Ethernet, which the bucket counts
_AT_ONCE, _LARGEST_BUCKET = 1 << 18, 32 << 20


@dataclass(frozen=True)
class End:
    """One end of a link."""

    namespace: str  # the file it is bound to, for nsenter --net=
    interface: str
    address: str  # IPv4, from the range for benchmarks (RFC 2544), which is not routed


def in_namespace(namespace: str | Path) -> list[str]:
    """Return the command prefix that starts a command in a namespace."""
    return ["nsenter", f"--net={namespace}", "--"]


def queue_commands(interface: str, mtu: int, conditions: Conditions, netem: bool) -> list[list[str]]:
    """The commands that set the interface's queueing disciplines while packets may be queued. Deletions may fail."""
    if not (conditions.rate or (netem and conditions.disturbed)):
        return [["tc", "qdisc", "delete", "dev", interface, "root"]]
    change, found = ["tc", "qdisc", "replace", "dev", interface], []
    place = ["root", "handle", "2:"]  # a handle cannot be reused for another kind of queue
    if netem and conditions.disturbed:
        found.append([*change, "root", "handle", "1:", "netem", "limit", str(_NETEM_PACKETS), *_netem(conditions)])
        place = ["parent", "1:1", "handle", "10:"]
        if not conditions.rate:
            found.append(["tc", "qdisc", "delete", "dev", interface, *place[:2]])
    if conditions.rate:
        bucket = min(max(int(conditions.rate / 8 * _BUCKET_SECONDS), 2 * mtu), _LARGEST_BUCKET)
        found.append([*change, *place, "tbf", "rate", f"{conditions.rate}bit", "burst", str(bucket), "latency", QUEUE])
    return found


def without_offloads(interface: str) -> list[str]:
    """The command that turns segmentation and receive offloads off, so that each packet is handled alone."""
    return ["ethtool", "-K", interface, "tso", "off", "gso", "off", "gro", "off"]


def has_netem(namespace: str | Path) -> bool:
    """Whether the kernel has netem: tries it on the namespace's loopback interface."""
    queue = ["dev", "lo", "root"]
    if execute(
        [*in_namespace(namespace), "tc", "qdisc", "add", *queue, "netem", "delay", "1ms"], LIMIT_SECONDS
    ).exit_code:
        return False
    execute([*in_namespace(namespace), "tc", "qdisc", "delete", *queue], LIMIT_SECONDS)
    return True


def verify_rate(sender: End, receiver: End, rate: int, mtu: int) -> float:
    """Measure the bytes per second of one connection; raises Invalid when it exceeds `rate` or is much slower."""
    most = rate / 8 * (mtu - _HEADERS) / (mtu + FRAME)
    for _ in range(_TRIALS):
        got = speed(sender, receiver)
        if HELD * most <= got <= ABOVE * rate / 8:
            return got
    faster = got > rate / 8
    raise Invalid(
        f"the link does not have its rate of {rate:,} bit/s: a trial measured {got * 8:,.0f} bit/s, which is "
        f"{'more' if faster else f'less, as did {_TRIALS - 1} trials before; is there other load on this machine?'}"
    )


def speed(sender: End, receiver: End, seconds: float = _TRIAL_SECONDS) -> float:
    """Bytes per second that arrive over one connection, without its start."""
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
        got.close()  # makes a blocked send fail
        thread.join()


def _netem(conditions: Conditions) -> list[str]:
    delay = [f"{1e6 * (seconds or 0):.0f}us" for seconds in (conditions.delay, conditions.jitter)]
    words = ["delay", *(delay if conditions.jitter else delay[:1])] if conditions.delay or conditions.jitter else []
    return [*words, *(["loss", "random", f"{100 * conditions.loss:g}%"] if conditions.loss else [])]
