"""One trial: a number of readers and concurrent writers, run by fio, and the deadline misses."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spindlemark.families.shared.streams import deadline_misses, fio_writers
from spindlemark.families.shared.streams.search import Found, Tried, search
from spindlemark.families.shared.streams.stream_factors import Demand
from spindlemark.harness import fio
from spindlemark.harness.repetition import Repetition
from spindlemark.testbeds import load

# Above this share of all processors in use, it may be they and not the disk that hold the streams back.
PROCESSOR_BOUND = 0.9
# What readers together may lack of a trial: its end cuts off blocks that are on their way.
SHORTAGE = 0.02
_START_SECONDS = 300.0
Readers = Callable[[int], list[str]]  # number of readers -> fio's words for them


@dataclass(frozen=True)
class Place:
    """Where streams are tried: what reads, the mounted folder that writers use, and a folder in memory for logs."""

    readers: Readers
    mount_point: Path
    logs: Path


class Prober:
    """Tries numbers of streams one after another and keeps what came out, `probes`, for the record."""

    def __init__(self, repetition: Repetition, demand: Demand, place: Place, prefix: str = "") -> None:
        self.repetition, self.demand, self.place, self.prefix = repetition, demand, place, prefix
        self.probes: list[dict[str, Any]] = []
        repetition.attachments[f"{prefix}probes"] = self.probes

    def largest(self, guess: int) -> Found:
        """The largest number of readers that holds; see `search`. Notes what kept a larger one from holding.

        It is looked for closely around the guess first, which rests on what the same filesystem gave before. A number that
        needs more than the declared limit of the device counts as failed, and is not tried: the kernel lets a device exceed
        its limit at the start of each trial, which is enough for a short one.
        """
        stride = 1 + self.demand.resolution if self.demand.resolution else 2.0
        fed = self._fed_by_limit()
        found = search(self.tried, guess, min(self.demand.most_streams, fed), self.demand.resolution, stride)
        if found.failed is None and fed < self.demand.most_streams:
            found, limit = Found(found.sustained, fed + 1), "device"
        else:
            limit = self._limit(found)
        self.repetition.note({f"streams.{self.prefix}limited_by": limit})
        return found

    def tried(self, readers: int) -> Tried:
        """Whether so many readers and the concurrent writers keep up, in one of the allowed tries."""
        served = 0.0
        for _ in range(self.demand.tries):
            result = self._tried(readers)
            if result.holds:
                return result
            served = max(served, result.served)
        return Tried(False, served)

    def unpaced(self, readers: int) -> float:
        """B/s that so many readers get together when they are not held to the rate, with the concurrent writers."""
        words = self._words(readers, paced=False)
        with self.repetition.step(f"{self.prefix}unpaced") as step:
            output = fio.run(self.repetition, words, self._limit_seconds())
        jobs = [job["read"] for job in output["jobs"] if not _writes(job)]
        moved = sum(job["io_bytes"] for job in jobs)
        self._require_cold(step.read_bytes, moved)
        return moved / (max(job["runtime"] for job in jobs) / 1000)

    def _tried(self, readers: int) -> Tried:
        name, words = f"{self.prefix}streams-{readers}", self._words(readers)
        with self.repetition.step(name) as step:
            before = load.cpu_times()
            output = fio.run(self.repetition, words, self._limit_seconds())
            busy = load.busy_share(before, load.cpu_times())
        streams = [self._stream(job, number) for number, job in enumerate(output["jobs"], 1)]
        writing = [_writes(job) for job in output["jobs"]]
        read = [s for s, w in zip(streams, writing, strict=True) if not w]
        written = [s for s, w in zip(streams, writing, strict=True) if w]
        self._require_cold(step.read_bytes, sum(s.bytes for s in read))
        due = self.demand.bytes_per_second * self.demand.probe_seconds
        served = sum(min(s.bytes, due) for s in read) / due
        holds = all(s.holds(self.demand.playback_buffer_seconds) for s in streams) and self._fed(readers, served)
        self.probes.append(
            {
                "step": name,
                "streams": readers,
                "holds": holds,
                "processor_busy": round(busy, 3),
                "readers": _listed(read),
                "writers": _listed(written),
            }
        )
        return Tried(holds, served)

    def _fed(self, readers: int, served: float) -> bool:
        """Whether all of them together got what they need: what buffers lend in a short trial they lack in the next one."""
        return readers - served <= max(1.0, SHORTAGE * readers)

    def _stream(self, job: dict[str, Any], number: int) -> deadline_misses.Stream:
        """Job `number` of fio, from its log and its own run time."""
        log = self.place.logs / f"stream_bw.{number}.log"
        blocks = deadline_misses.parse(log.read_text()) if log.exists() else []
        log.unlink(missing_ok=True)
        stream_bytes = sum(size for _, size in blocks)
        if stream_bytes != job["read"]["io_bytes"] + job["write"]["io_bytes"]:
            raise ValueError(f"fio's log of job {number} has {stream_bytes} bytes, its totals differ")
        milliseconds = max(job["read"]["runtime"], job["write"]["runtime"]) or job["job_runtime"]
        return deadline_misses.judge(blocks, self.demand.bytes_per_second, milliseconds / 1000)

    def _words(self, readers: int, paced: bool = True) -> list[str]:
        demand = self.demand
        logs = [f"--write_bw_log={self.place.logs / 'stream'}", "--per_job_logs=1"] if paced else []
        # In milliseconds: fio takes 0.5 for no time at all, and then never ends.
        return [
            "--thread",
            "--time_based",
            f"--runtime={round(1000 * demand.probe_seconds)}ms",
            f"--bs={demand.block_bytes}",
            f"--direct={int(demand.direct)}",
            *logs,
            *_paced(self.place.readers(readers), demand, paced),
            *self._writers(),
        ]

    def _writers(self) -> list[str]:
        """New files that grow, as recordings do; reserved beforehand where the filesystem's variant says so."""
        demand = self.demand
        if not demand.writers:
            return []
        reserved = self.repetition.factors["filesystem"].get("preallocate", False)
        return fio_writers.words(
            self.place.mount_point / "writers",
            demand.writers,
            demand.bytes_per_second,
            demand.block_bytes,
            demand.writer_bytes,
            demand.direct,
            reserved,
        )

    def _limit_seconds(self) -> float:
        return _START_SECONDS + 2 * self.demand.probe_seconds

    def _require_cold(self, transferred: int, moved: int) -> None:
        self.repetition.require(
            "cold_proof",
            transferred >= moved,
            transferred,
            moved,
            "B",
            "bytes that the device read, from its own counter, against what the readers got",
        )

    def _fed_by_limit(self) -> int:
        """The most readers that the declared limit of the device feeds, at least 1; the largest tried without a limit."""
        throttle = self.repetition.spec.experiment.fingerprint.get("device", {}).get("throttle", {})
        limit = throttle.get("read")
        return max(1, int(limit / self.demand.bytes_per_second)) if limit else self.demand.most_streams

    def _limit(self, found: Found) -> str:
        if found.failed is None:
            return "most_streams"
        busy = min(p["processor_busy"] for p in self.probes if p["streams"] == found.failed)
        return "processor" if busy >= PROCESSOR_BOUND else "device"


def _paced(words: Sequence[str], demand: Demand, paced: bool) -> list[str]:
    """Reader sections, each with the rate after its name when they are held to it."""
    pace = [f"--rate={round(demand.bytes_per_second)}"] if paced else []
    return [w for word in words for w in ([word, *pace] if word.startswith("--name=") else [word])]


def _writes(job: dict[str, Any]) -> bool:
    return job["job options"]["rw"] == "write"


def _listed(streams: Sequence[deadline_misses.Stream]) -> dict[str, list[float]]:
    return {
        "delivered_bytes": [s.bytes for s in streams],
        "worst_lag_seconds": [round(s.worst_lag_seconds, 3) for s in streams],
    }
