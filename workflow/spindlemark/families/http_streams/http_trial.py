"""One trial: so many clients at once, whether any of them had to wait, and the gates that make it mean something."""

import json
import os
from pathlib import Path
from typing import Any

from spindlemark.core.outcome import Failed
from spindlemark.core.process import programs
from spindlemark.families.http_streams import (
    http_client,
    load_curve,
    ramp,
    sockets,
    trial_gates,
    trial_result,
    web_servers,
)
from spindlemark.families.http_streams.assets import Assets
from spindlemark.families.http_streams.http_factors import Demand
from spindlemark.families.http_streams.recordings import Recordings
from spindlemark.families.http_streams.server_watch import ServerWatch
from spindlemark.families.http_streams.trial_result import Seen
from spindlemark.families.http_streams.web_servers import PORT
from spindlemark.families.shared.streams.search import Found, Tried, search
from spindlemark.families.shared.streams.stream_trial import PROCESSOR_BOUND
from spindlemark.harness.repetition import Repetition
from spindlemark.testbeds import load
from spindlemark.testbeds.background import Background
from spindlemark.testbeds.device import Traffic

# What all clients together may lack of the second half of an asset: where pieces end is chance.
SHORTAGE = 0.02
# Of a figure that the device is held to: from here on it is what holds clients back. The kernel holds it to about as much.
DEVICE_BOUND = 0.8
_START_SECONDS = 60.0
# Path, bytes with heads, bytes of the body, whether it came whole and the server ended it.
Transfer = tuple[str, int, int, bool]


class Trials:
    """Tries numbers of clients one after another and keeps what came out, `trials`, for the record."""

    def __init__(self, repetition: Repetition, demand: Demand, assets: Assets, server: Background) -> None:
        self.repetition, self.demand, self.assets, self.server = repetition, demand, assets, server
        self.recordings = Recordings(repetition, demand)
        self.trials: list[dict[str, Any]] = []
        self.transfers: list[Transfer] = []
        self.seen: dict[int, Seen] = {}
        repetition.attachments["trials"] = self.trials

    def largest(self, guess: int) -> Found:
        """The largest number of clients of whom none waits, looked for closely around the guess first."""
        stride = 1 + self.demand.resolution if self.demand.resolution else 2.0
        return search(self.tried, guess, self.demand.most_viewers, self.demand.resolution, stride)

    def curve(self, guess: int, points: int) -> Found:
        """The same by a load curve of `points` numbers and more near the limit; see load_curve.py."""
        return load_curve.measure(self.tried, guess, points, self.demand.most_viewers, self.demand.resolution)

    def ramp(self, clients: int, step_seconds: float) -> None:
        """Let clients join up to `clients` and leave again in one trial, and keep its seconds as the attachment `ramp`."""
        demand, link = self.demand, self.repetition.testbed
        plan = ramp.schedule(clients, step_seconds, demand.marks[2])
        task = self._task(plan.joins) | {
            "marks": [],
            "thumbnails": {"per_second": 0, "count": 0},
            "stay_seconds": plan.stay_seconds,
            "limit_seconds": plan.seconds + demand.buffer_seconds,
        }
        with self.repetition.step("ramp") as step, ServerWatch(self.server, link) as watch:
            report = self._report(task)
            watch.finish()
        self._require(report, step.read_bytes)
        self.repetition.attachments["ramp"] = ramp.rows(report, watch.series())

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

    def tried(self, clients: int) -> Tried:
        """Whether so many are fed."""
        seen = self.trial(clients, f"viewers-{clients}")
        return Tried(seen.holds, seen.goodput / self.demand.bytes_per_second)

    def trial(self, clients: int, name: str) -> Seen:
        """One trial; raises Failed when the server does not do its task, Invalid when a gate does not hold."""
        self.assets.need(clients)
        link = self.repetition.testbed
        with self.repetition.step(name) as step:
            before, carried, accounts = self.server.cpu_seconds(), link.carried(), load.cpu_times()
            with self.recordings.running(name), ServerWatch(self.server, link) as watch:
                report = self._report(self._task([0.0] * clients))
                watch.finish()
            used, sent = self.server.cpu_seconds() - before, link.carried().since(carried)
            busy = load.busy_share(accounts, load.cpu_times())
        received = self._require(report, step.read_bytes)
        first, half, last = ([sum(column) for column in zip(*mark, strict=True)] for mark in report["marks"])
        filled, middle, end = self.demand.marks
        seen = Seen(
            clients=clients,
            holds=self._holds(report, half[1] - last[1]),
            goodput=(last[0] - first[0]) / (end - filled),
            served=(last[0] - half[0]) / (end - middle) / self.demand.bytes_per_second,
            stalls=sum(client["stalls"] for client in report["clients"]),
            startup=[v["startup_seconds"] for v in report["clients"] if v["startup_seconds"] is not None],
            thumbnails=report["thumbnails"]["seconds"],
            lowest_seconds=min(self._lowest(client) for client in report["clients"]),
            received_bytes=received,
            device_bytes=step.read_bytes,
            server_cpu_seconds=used,
            carried_bytes=sent.server_bytes,
            busy=busy,
            device_share=self._share(step.traffic, report["seconds"]),
            load=watch.mean(report["begun"], report["begun"] + report["seconds"]),
        )
        self.seen[clients] = seen
        self.trials.append(trial_result.row(name, seen, report, self.recordings.late))
        return seen

    def _lowest(self, client: dict[str, Any]) -> float:
        """Seconds of playback, see load_curve.py; minus the whole trial for a client who never started."""
        lowest = client["lowest_bytes"]
        return -self.demand.limit_seconds if lowest is None else lowest / self.demand.bytes_per_second

    def _share(self, traffic: Traffic, seconds: float) -> float | None:
        limits = self.repetition.factors["device"]["limits"]
        got = {"read": traffic.read_bytes, "read_requests": traffic.reads}
        return max((got[key] / (limits[key] * seconds) for key in got if limits.get(key)), default=None)

    def _task(self, joins: list[float]) -> dict[str, Any]:
        """The client program's task, see http_client.py."""
        demand = self.demand
        return {
            "host": self.repetition.testbed.server.address,
            "port": PORT,
            "tls": web_servers.has_tls(self.repetition.factors["server"]),
            "joins": joins,
            "stay_seconds": None,
            "thumbnails": {"per_second": demand.thumbnails, "count": demand.thumbnail_count},
            "segmented": demand.segment_bytes > 0,
            "rate": demand.bytes_per_second,
            "start_bytes": demand.start_bytes,
            "most_bytes": demand.most_bytes,
            "asset_bytes": demand.film_bytes,
            "limit_seconds": demand.limit_seconds,
            "marks": list(demand.marks),
        }

    def _report(self, task: dict[str, Any]) -> dict[str, Any]:
        """Let the client run in its namespace; its report goes to memory that only this process holds."""
        link = self.repetition.testbed
        with os.fdopen(os.memfd_create("report"), "rb") as memory:
            output = Path(f"/proc/{os.getpid()}/fd/{memory.fileno()}")
            words = [*programs.PYTHON, "-m", http_client.__name__, json.dumps(task), str(output)]
            self.repetition.run(link.within(link.client, words), _START_SECONDS + 2 * task["limit_seconds"])
            return json.loads(memory.read())

    def _require(self, report: dict[str, Any], device_bytes: int) -> int:
        """Wait until the server is quiet, and require answers and all gates; returns the bytes that the clients got."""
        link = self.repetition.testbed
        sockets.quiet(link.server, link.counters()["device"], _START_SECONDS)
        self._require_answered(report)
        received = sum(client["received_bytes"] for client in report["clients"])
        wanted = received + report["thumbnails"]["received_bytes"]
        trial_gates.require(self.repetition, self.demand, report, wanted, device_bytes)
        return received

    def _require_answered(self, report: dict[str, Any]) -> None:
        """A client that was refused or cut off does not wait: the server failed, or is gone."""
        self.server.require()
        for number, client in enumerate(report["clients"]):
            if client["error"]:
                raise Failed(f"client {number} of {len(report['clients'])}: {client['error']}")
            *whole, last = client["transferred"]
            self.transfers += [(*transfer, True) for transfer in whole] + [(*last, client["ended"])]
        thumbnails = report["thumbnails"]
        if thumbnails["errors"]:
            raise Failed(f"thumbnails: {thumbnails['errors'][0]}")
        self.transfers += [tuple(transfer) for transfer in thumbnails["transferred"]]

    def _holds(self, report: dict[str, Any], shrunk: float) -> bool:
        """Whether each asset began and went on without a stall, no buffer went down between half and end, and no concurrent
        recording was late by more than such a buffer.

        Each buffer may go down by as much as starts an asset, since data arrives in pieces; all buffers together by no more than
        one client's pieces, or by a small share of the bytes due: what buffers lend in a short trial lacks in a long one.
        """
        demand, clients = self.demand, report["clients"]
        due = demand.bytes_per_second * (demand.marks[2] - demand.marks[1]) * len(clients)
        _, half, last = report["marks"]
        each = all(then - now <= demand.start_bytes for (_, then), (_, now) in zip(half, last, strict=True))
        recorded = self.recordings.late <= demand.buffer_seconds
        return (
            recorded
            and each
            and shrunk <= max(demand.start_bytes, SHORTAGE * due)
            and all(client["startup_seconds"] is not None and not client["stalls"] for client in clients)
        )
