"""The queue of the server's card, as a port of a switch has it: one queue, or sound before all else."""

from spindlemark.core.outcome import Unsupported
from spindlemark.harness.repetition import Repetition
from spindlemark.testbeds import shaping
from spindlemark.testbeds.network import Link

FIFO, PRIORITY = "fifo", "priority"
QUEUES = (FIFO, PRIORITY)
_PACKETS = 10  # that a card sends before its rate is enforced: a real one has none, and timers need some
_COMBINED = 6  # packets that the kernel handles as one at most: each alone needs more processors than there are


def set_up(repetition: Repetition, link: Link, queue: str, rate: int) -> float:
    """Give both ends the queue and the rate, and test them; the bytes per second of the slower direction.

    The kernel may combine some packets of a connection, so that this machine can send them: up to 72 µs of a link of 1 Gbit/s.
    `fifo` holds 50 ms of packets. `priority` is the kernel's pfifo_fast, which sends what has the priority of
    `audio_packets.first` before all else; each of its queues holds as many packets as the card's queue length. Raises
    Unsupported where the kernel lacks one of them.
    """
    mtu = int(link.settings["mtu"])
    bucket = _PACKETS * (mtu + shaping.FRAME)
    for end in (link.server, link.client):
        _run(
            repetition,
            [
                *shaping.in_namespace(end.namespace),
                "ip",
                "link",
                "set",
                "dev",
                end.interface,
                "gso_max_size",
                str(_COMBINED * mtu),
            ],
        )
        change = [*shaping.in_namespace(end.namespace), "tc", "qdisc", "replace", "dev", end.interface]
        _run(
            repetition,
            [
                *change,
                "root",
                "handle",
                "3:",
                "tbf",
                "rate",
                f"{rate}bit",
                "burst",
                str(bucket),
                "latency",
                shaping.QUEUE,
            ],
        )
        if queue == PRIORITY:
            _run(repetition, [*change, "parent", "3:1", "handle", "30:", "pfifo_fast"])
    ways = (link.server, link.client), (link.client, link.server)
    return min(shaping.verify_rate(*way, rate, mtu) for way in ways)


def _run(repetition: Repetition, argv: list[str]) -> None:
    done = repetition.run(argv, shaping.LIMIT_SECONDS, accept=tuple(range(256)))
    if done.exit_code:
        raise Unsupported(f"this kernel cannot queue packets so: {' '.join(argv[2:])}: {done.stderr.strip()[:200]}")
