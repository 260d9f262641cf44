"""Load of the machine: CPU time at the beginning and end of a step, and samples while it runs."""

import os
import resource
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from spindlemark.core.record import Series

SAMPLE_SECONDS = 0.25
_TICK = os.sysconf("SC_CLK_TCK")
# Less CPU time than this cannot be distinguished from none, since the kernel counts in ticks of 10 ms.
MEASURABLE_SECONDS = 0.05
_PF_KTHREAD = 0x00200000
_SECTOR = 512
_KIB = 1024
# Functions that return the processor seconds of our processes that run next to the steps and still run.
own_processes: list[Callable[[], float]] = []


@dataclass(frozen=True)
class CpuTimes:
    """CPU seconds since boot, read at one moment (`at`, monotonic seconds)."""

    at: float
    working: float  # user, nice and system time of all processes and kernel threads
    stolen: float  # by the hypervisor
    # Kernel threads, which write back, journal and serve the loop device; None where a container hides them.
    kernel: float | None
    own: float  # this process, the commands that it waited for, and its background processes
    user: float = 0.0  # the part of `working` outside the kernel
    own_user: float = 0.0  # that part of `own`, where all time of background processes counts

    def with_own(self, seconds: float) -> "CpuTimes":
        """Add the `seconds` of another process that is ours."""
        return replace(self, own=self.own + seconds, own_user=self.own_user + seconds)

    @property
    def foreign(self) -> float:
        """CPU seconds of other processes; only those outside the kernel where its threads are hidden."""
        return self.user - self.own_user if self.kernel is None else self.working - self.kernel - self.own


def cpu_times() -> CpuTimes:
    """Read the CPU times now. This takes some milliseconds, so do not call it inside a timing."""
    user, nice, system, *rest = (int(f) / _TICK for f in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:])
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    seen = CpuTimes(
        time.monotonic(),
        user + nice + system,
        rest[4],
        _kernel_threads(),
        sum(u.ru_utime + u.ru_stime for u in usage),
        user + nice,
        sum(u.ru_utime for u in usage),
    )
    return seen.with_own(sum(each() for each in own_processes))


def share_of_others(before: CpuTimes, after: CpuTimes) -> float:
    """Share of all CPUs that was stolen or used by other processes between two readings, 0 to 1.

    Less than MEASURABLE_SECONDS counts as none, so that a single tick does not make a short step look noisy.
    It is all work without kernel threads and own commands, plus stolen time. Interrupts are not counted, since most of
    them serve the measurement. Kernel threads count as ours, since the kernel does not report whom they serve.
    """
    span = (after.at - before.at) * (os.cpu_count() or 1)
    used = max(0.0, after.foreign - before.foreign) + after.stolen - before.stolen
    return min(1.0, used / span) if used >= MEASURABLE_SECONDS else 0.0


def busy_share(before: CpuTimes, after: CpuTimes) -> float:
    """Share of all CPUs that was used or stolen by the hypervisor between two readings, without interrupts."""
    used = after.working - before.working + after.stolen - before.stolen
    return min(1.0, used / ((after.at - before.at) * (os.cpu_count() or 1)))


def _kernel_threads() -> float | None:
    """CPU seconds of all kernel threads; None where they are hidden, for example in a PID namespace."""
    total, seen = 0, False
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb", buffering=0) as stat:  # noqa: PTH123  # a Path takes longer
                fields = stat.read().rpartition(b")")[2].split()
        except OSError:
            continue  # it ended meanwhile
        if int(fields[6]) & _PF_KTHREAD:
            seen = True
            total += int(fields[11]) + int(fields[12])
    return total / _TICK if seen else None


class Sampler:
    """Sample CPU, memory and device counters about four times a second in a thread."""

    def __init__(self, devices: Mapping[str, Path]) -> None:
        self._files = {
            name: path.open("rb", buffering=0)
            for name, path in {"cpu": Path("/proc/stat"), "memory": Path("/proc/meminfo"), **devices}.items()
        }
        self._devices = list(devices)
        self._rows: list[dict[str, float]] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, name="sampler", daemon=True)

    def __enter__(self) -> "Sampler":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        for file in self._files.values():
            file.close()

    def series(self) -> list[Series]:
        """All samples so far, as rates since the previous sample; time in seconds since the start."""
        rows = list(self._rows)
        if len(rows) < 2:
            return []
        seconds = [round(row["at"] - rows[0]["at"], 3) for row in rows[1:]]
        pairs = list(pairwise(rows))
        ticks = [max(1, b["cpu_total"] - a["cpu_total"]) for a, b in pairs]

        def share(key: str) -> list[float]:
            return [(b[key] - a[key]) / t for (a, b), t in zip(pairs, ticks, strict=True)]

        made = {
            ("cpu_busy", "1"): share("cpu_busy"),
            ("cpu_stolen", "1"): share("cpu_stolen"),
            ("memory_dirty", "B"): [b["memory_dirty"] for b in rows[1:]],
            ("memory_writeback", "B"): [b["memory_writeback"] for b in rows[1:]],
        }
        for key in (f"{device}_{way}" for device in self._devices for way in ("read", "written")):
            made[key, "B/s"] = [(b[key] - a[key]) / (b["at"] - a["at"]) for a, b in pairs]
        return [
            Series(name=name, unit=unit, seconds=seconds, values=[round(v, 4) for v in values])
            for (name, unit), values in made.items()
        ]

    def _work(self) -> None:
        while True:
            self._rows.append(self._sample())
            if self._stop.wait(SAMPLE_SECONDS):
                self._rows.append(self._sample())
                return

    def _sample(self) -> dict[str, float]:
        cpu = [int(f) for f in self._read("cpu", 256).split(b"\n", 1)[0].split()[1:9]]
        memory = dict(line.split(b":") for line in self._read("memory", 4096).splitlines() if b":" in line)
        row = {
            "at": time.monotonic(),
            "cpu_total": sum(cpu),
            "cpu_busy": sum(cpu) - cpu[3] - cpu[4],
            "cpu_stolen": cpu[7],
            "memory_dirty": int(memory[b"Dirty"].split()[0]) * _KIB,
            "memory_writeback": int(memory[b"Writeback"].split()[0]) * _KIB,
        }
        for device in self._devices:
            fields = self._read(device, 512).split()
            row[f"{device}_read"], row[f"{device}_written"] = int(fields[2]) * _SECTOR, int(fields[6]) * _SECTOR
        return row

    def _read(self, name: str, size: int) -> bytes:
        return os.pread(self._files[name].fileno(), size, 0)
