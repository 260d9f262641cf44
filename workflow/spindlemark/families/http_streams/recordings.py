"""Recordings of the same rate that are written while clients play, on the server's side of the network, by fio."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from spindlemark.families.http_streams.http_factors import Demand
from spindlemark.families.shared import media
from spindlemark.families.shared.streams import deadline_misses, fio_writers
from spindlemark.families.shared.streams.stream_factors import block_bytes
from spindlemark.harness import fio
from spindlemark.harness.repetition import Repetition
from spindlemark.testbeds.background import background

_ENOUGH = 2  # trials: it goes on until it is stopped


class Recordings:
    """The recordings during a trial. `late`: seconds by which the worst of the last trial's was late."""

    def __init__(self, repetition: Repetition, demand: Demand) -> None:
        self.repetition, self.demand, self.late = repetition, demand, 0.0

    @contextmanager
    def running(self, name: str) -> Iterator[None]:
        """Record while the context runs; nothing without recordings."""
        self.late = 0.0
        if not self.demand.recordings:
            yield
            return
        with media.scratch(Path(self.repetition.declared.source_directory)) as logs:
            with background(self.repetition, self._words(logs), name=f"recordings-{name}"):
                yield
            # Without a log, fio was stopped before it began: as late as a recording without a block.
            late = [self._late(log) for log in sorted(logs.glob("recording_bw.*.log"))]
            self.late = max(late, default=self.demand.limit_seconds)

    def _late(self, log: Path) -> float:
        """Seconds by which one recording was late, up to the last block that it wrote."""
        blocks = deadline_misses.parse(log.read_text())
        if not blocks:
            return self.demand.limit_seconds
        return deadline_misses.judge(blocks, self.demand.bytes_per_second, blocks[-1][0]).worst_lag_seconds

    def _words(self, logs: Path) -> list[str]:
        demand, speed = self.demand, self.demand.bytes_per_second
        reserved = self.repetition.factors["filesystem"].get("preallocate", False)
        return [
            fio.TOOL,
            "--thread",
            "--time_based",
            f"--runtime={round(1000 * _ENOUGH * demand.limit_seconds)}ms",
            f"--bs={block_bytes(speed)}",
            "--direct=0",
            f"--write_bw_log={logs / 'recording'}",
            "--per_job_logs=1",
            *fio_writers.words(
                self.repetition.testbed.mount_point / "recordings",
                demand.recordings,
                speed,
                block_bytes(speed),
                demand.recording_bytes,
                False,
                reserved,
            ),
        ]
