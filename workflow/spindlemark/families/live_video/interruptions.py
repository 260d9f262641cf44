"""Interruptions of a stream, and the time until pictures are shown again: what study 002 met after changes of the network.

- `outage`: the server's end of the link is down for one second.
- `readdress`: the receiver's end gets another address, as from a DHCP server that forgot it.
- `restart`: the sender ends without a word and is started again.

The time runs from the end of the interruption (link up, new address set, new sender ready) until a picture is shown that was captured
after it. Watchers over TCP and SRT connect again after SILENT_SECONDS without a packet; Open Media Transport does so by itself.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from spindlemark.core.outcome import Invalid
from spindlemark.families.live_video.live_trial import Meanwhile, Played, play
from spindlemark.families.live_video.stream_setup import Seen, Setting
from spindlemark.harness.repetition import Repetition
from spindlemark.testbeds.link_watch import command
from spindlemark.testbeds.network import Link

SILENT_SECONDS = 1.0
DOWN_SECONDS = 1.0
BEFORE_SECONDS = 1.0  # of those that count, undisturbed
MOST_RESTART_SECONDS = 5.0  # that a sender may take to start, longer than the limit
_MICROSECONDS = 1e6
_TOLERANCE_SECONDS = 0.5  # that commands may take, and the grace after the last frame
# The network of the link has no other address to give; both are in the block of RFC 2544.
_OTHER_ADDRESS, _BOTH = "198.18.0.6", "198.18.0.0/29"


def seconds(task: str, limit_seconds: float) -> float:
    """How long the frames that count last, so that `limit_seconds` follow the interruption."""
    interrupted = {"outage": DOWN_SECONDS, "readdress": 0.0, "restart": MOST_RESTART_SECONDS}
    return BEFORE_SECONDS + interrupted[task] + limit_seconds


def interrupted(repetition: Repetition, given: Setting, task: str, limit_seconds: float) -> tuple[Played, float]:
    """Run one stream and interrupt it; also returns the moment of CLOCK_MONOTONIC at which the interruption ended.

    Raises Invalid where less than `limit_seconds` of the stream were left then, since a machine was too busy.
    """
    ends: list[float] = []
    with _addresses(repetition.testbed, task) as change:

        def during(trial: Meanwhile) -> None:
            trial.sleep_until(trial.begin + given.warm_seconds + BEFORE_SECONDS)
            if task == "outage":
                _take_down(repetition.testbed, trial)
            elif task == "readdress":
                change()
            else:
                trial.restart_sender()
            ends.append(time.monotonic())

        played = play(repetition, [given], during)
    left = played.begin + given.warm_seconds + given.seconds - ends[0]
    if left < limit_seconds - _TOLERANCE_SECONDS:
        raise Invalid(
            f"{task} took too long: {left:.1f} s of the stream were left, and the limit is {limit_seconds:g} s"
        )
    return played, ends[0]


def shown_again(seen: Seen, ended: float, limit_seconds: float) -> float | None:
    """Seconds from `ended` until a picture is shown that was captured after it; None: not within the limit."""
    moment = _MICROSECONDS * ended
    later = [shown for _, captured, shown in seen.shown if captured >= moment]
    if not later or min(later) - moment > _MICROSECONDS * limit_seconds:
        return None
    return (min(later) - moment) / _MICROSECONDS


def _take_down(link: Link, trial: Meanwhile) -> None:
    card = ["ip", "link", "set", "dev", link.server.interface]
    command(link.server, [*card, "down"])
    try:
        trial.sleep_until(time.monotonic() + DOWN_SECONDS)
    finally:
        command(link.server, [*card, "up"])


@contextmanager
def _addresses(link: Link, task: str) -> Iterator[Callable[[], None]]:
    """Yield what gives the receiver's end another address, which the server's end can reach; both are undone afterwards."""
    if task != "readdress":
        yield lambda: None
        return
    way = ["dev", link.server.interface, "scope", "link", "src", link.server.address]
    command(link.server, ["ip", "route", "replace", _BOTH, *way])
    card = ["dev", link.client.interface]
    old, new = f"{link.client.address}/30", f"{_OTHER_ADDRESS}/29"

    def change() -> None:
        command(link.client, ["ip", "address", "delete", old, *card])
        command(link.client, ["ip", "address", "add", new, *card])

    try:
        yield change
    finally:
        command(link.client, ["ip", "address", "delete", new, *card], may_fail=True)
        command(link.client, ["ip", "address", "replace", old, *card], may_fail=True)
        command(link.server, ["ip", "route", "delete", _BOTH, *way], may_fail=True)
