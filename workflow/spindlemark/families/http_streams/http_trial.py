"""One trial: so many viewers at once, whether any of them had to wait, and the gates that make it mean something."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from spindlemark.core.outcome import Failed
from spindlemark.core.process import programs
from spindlemark.families.http_streams import http_client, sockets
from spindlemark.families.http_streams.assets import Assets
from spindlemark.families.http_streams.http_factors import Demand
from spindlemark.families.http_streams.recordings import Recordings
from spindlemark.families.http_streams.web_servers import PORT
from spindlemark.families.shared.streams.search import Found, Tried, search
from spindlemark.families.shared.streams.stream_trial import PROCESSOR_BOUND
from spindlemark.harness.repetition import Repetition
from spindlemark.testbeds import load
from spindlemark.testbeds.background import Background
from spindlemark.testbeds.device import Traffic

# What all viewers together may lack of the second half of a film: where pieces end is chance.
SHORTAGE = 0.02
# Of a figure that the device is held to: from here on it is what holds viewers back. The kernel holds it to about as much.
DEVICE_BOUND = 0.8
# Of a processor: above it, the client may be what holds viewers back.
MOST_CLIENT = 0.5
_START_SECONDS = 60.0
Transfer = tuple[str, int, int, bool]  # path, bytes with heads, bytes of the body, whether it was whole


@dataclass(frozen=True)
class Seen:
    """What came of one trial."""

    viewers: int
    holds: bool
    goodput: float  # B/s of all viewers, between the filling of buffers and the end of the first film
    stalls: int
    startup: list[float]  # seconds, of those who started
    received_bytes: int
    device_bytes: int
    server_cpu_seconds: float
    carried_bytes: int  # by the link, from the server to the viewers
    busy: float  # share of all processors that was used
    device_share: (
        float | None
    )  # of the bytes or the requests that the device is held to, what it gave; None where it is not held


class Trials:
    """Tries numbers of viewers one after another and keeps what came out, `trials`, for the record."""

    def __init__(self, repetition: Repetition, demand: Demand, assets: Assets, server: Background) -> None:
        self.repetition, self.demand, self.assets, self.server = repetition, demand, assets, server
        self.recordings = Recordings(repetition, demand)
        self.trials: list[dict[str, Any]] = []
        self.transfers: list[Transfer] = []
        self.seen: dict[int, Seen] = {}
        repetition.attachments["trials"] = self.trials

    def largest(self, guess: int) -> Found:
        """The largest number of viewers of whom none waits, looked for closely around the guess first."""
        stride = 1 + self.demand.resolution if self.demand.resolution else 2.0
        return search(self.tried, guess, self.demand.most_viewers, self.demand.resolution, stride)

    def limit(self, found: Found) -> str:
        """What kept a larger number from holding: `most_streams`, `processor`, `device`, or `neither` where both had room (a
        buffer ran empty all the same); `unknown` where the processor had room and the limit of the device is unknown.
        """
        if found.failed is None:
            return "most_streams"
        seen = self.seen[found.failed]
        if seen.device_share is not None and seen.device_share >= DEVICE_BOUND:
            return "device"
        if seen.busy >= PROCESSOR_BOUND:
            return "processor"
        return "unknown" if seen.device_share is None else "neither"

    def tried(self, viewers: int) -> Tried:
        """Whether so many are fed."""
        seen = self.watched(viewers, f"viewers-{viewers}")
        return Tried(seen.holds, seen.goodput / self.demand.bytes_per_second)

    def watched(self, viewers: int, name: str) -> Seen:
        """One trial; raises Failed when the server does not do its task, Invalid when a gate does not hold."""
        self.assets.need(viewers)
        link = self.repetition.testbed
        with self.repetition.step(name) as step:
            before, carried, accounts = self.server.cpu_seconds(), link.carried(), load.cpu_times()
            with self.recordings.running(name):
                report = self._report(viewers)
            used, sent = self.server.cpu_seconds() - before, link.carried().since(carried)
            busy = load.busy_share(accounts, load.cpu_times())
        sockets.quiet(link.server, link.counters()["device"], _START_SECONDS)
        self._require_answered(report)
        received = sum(viewer["received_bytes"] for viewer in report["viewers"])
        self._require(report, received, step.read_bytes)
        first, half, last = ([sum(column) for column in zip(*mark, strict=True)] for mark in report["marks"])
        seconds = self.demand.marks[2] - self.demand.marks[0]
        seen = Seen(
            viewers,
            self._holds(report, half[1] - last[1]),
            (last[0] - first[0]) / seconds,
            sum(viewer["stalls"] for viewer in report["viewers"]),
            [v["startup_seconds"] for v in report["viewers"] if v["startup_seconds"] is not None],
            received,
            step.read_bytes,
            used,
            sent.server_bytes,
            busy,
            self._share(step.traffic, report["seconds"]),
        )
        self.seen[viewers] = seen
        self._keep(name, seen, report)
        return seen

    def _share(self, traffic: Traffic, seconds: float) -> float | None:
        limits = self.repetition.factors["device"]["limits"]
        got = {"read": traffic.read_bytes, "read_requests": traffic.reads}
        return max((got[key] / (limits[key] * seconds) for key in got if limits.get(key)), default=None)

    def _report(self, viewers: int) -> dict[str, Any]:
        """Let the client run in its namespace; its report goes to memory that only this process holds."""
        demand, link = self.demand, self.repetition.testbed
        task = {
            "host": link.server.address,
            "port": PORT,
            "viewers": viewers,
            "segmented": demand.segment_bytes > 0,
            "rate": demand.bytes_per_second,
            "start_bytes": demand.start_bytes,
            "most_bytes": demand.most_bytes,
            "film_bytes": demand.film_bytes,
            "limit_seconds": demand.limit_seconds,
            "marks": list(demand.marks),
        }
        with os.fdopen(os.memfd_create("report"), "rb") as memory:
            output = Path(f"/proc/{os.getpid()}/fd/{memory.fileno()}")
            words = [*programs.PYTHON, "-m", http_client.__name__, json.dumps(task), str(output)]
            self.repetition.run(link.within(link.client, words), _START_SECONDS + 2 * demand.limit_seconds)
            return json.loads(memory.read())

    def _require_answered(self, report: dict[str, Any]) -> None:
        """A client that was refused or cut off does not wait: the server failed, or is gone."""
        self.server.require()
        for number, viewer in enumerate(report["viewers"]):
            if viewer["error"]:
                raise Failed(f"viewer {number} of {len(report['viewers'])}: {viewer['error']}")
            *whole, last = viewer["transferred"]
            self.transfers += [(*transfer, True) for transfer in whole] + [(*last, viewer["complete"])]

    def _require(self, report: dict[str, Any], received: int, device_bytes: int) -> None:
        require = self.repetition.require
        require(
            "cold_proof",
            device_bytes >= received,
            device_bytes,
            received,
            "B",
            "bytes that the device read, from its own counter, against what the viewers got",
        )
        require(
            "content",
            not report["bad_blocks"],
            report["bad_blocks"],
            0,
            "1",
            f"wrong ones among {report['checked_blocks']} blocks that were looked at, one of each read",
        )
        busy = report["cpu_seconds"] / report["seconds"]
        require(
            "generator_idle",
            busy < MOST_CLIENT,
            round(busy, 4),
            MOST_CLIENT,
            "1",
            "share of one processor that the viewers' own program used",
        )
        bound = self.demand.start_bytes / self.demand.bytes_per_second
        require(
            "generator_keeps_up",
            report["latest_seconds"] < bound,
            round(report["latest_seconds"], 4),
            bound,
            "s",
            "by which the viewers' own program noticed too late that a buffer has room",
        )

    def _holds(self, report: dict[str, Any], shrunk: float) -> bool:
        """Whether each asset began and went on without a stall, no buffer went down between half and end, and no concurrent
        recording was late by more than such a buffer.

        Each buffer may go down by as much as starts an asset, since data arrives in pieces; all buffers together by no more than
        one viewer's pieces, or by a small share of the bytes due: what buffers lend in a short trial lacks in a long one.
        """
        demand, viewers = self.demand, report["viewers"]
        due = demand.bytes_per_second * (demand.marks[2] - demand.marks[1]) * len(viewers)
        _, half, last = report["marks"]
        each = all(then - now <= demand.start_bytes for (_, then), (_, now) in zip(half, last, strict=True))
        recorded = self.recordings.late <= demand.buffer_seconds
        return (
            recorded
            and each
            and shrunk <= max(demand.start_bytes, SHORTAGE * due)
            and all(viewer["startup_seconds"] is not None and not viewer["stalls"] for viewer in viewers)
        )

    def _keep(self, name: str, seen: Seen, report: dict[str, Any]) -> None:
        self.trials.append(
            {
                "step": name,
                "viewers": seen.viewers,
                "holds": seen.holds,
                "goodput_bytes_per_second": round(seen.goodput),
                "received_bytes": seen.received_bytes,
                "carried_bytes": seen.carried_bytes,
                "device_bytes": seen.device_bytes,
                "device_share": None if seen.device_share is None else round(seen.device_share, 3),
                "processor_busy": round(seen.busy, 3),
                "recordings_late_seconds": round(self.recordings.late, 3),
                "server_cpu_seconds": round(seen.server_cpu_seconds, 4),
                "client_cpu_seconds": round(report["cpu_seconds"], 4),
                "startup_median_seconds": round(median(seen.startup), 4) if seen.startup else None,
                "stalls": [viewer["stalls"] for viewer in report["viewers"]],
                "stalled_seconds": [round(viewer["stalled_seconds"], 3) for viewer in report["viewers"]],
            }
        )
