"""Family `recording_survival`: a power cut while several recorders write, and how many seconds of each recording are left.

What was decided, and why:

- The recorders write in real time, since what a power cut loses depends on when the kernel writes: by default data that is 30 s old.
  So a recording is longer than that, and cuts come after 35 s.
- They write to a recorded disk in memory (testbeds/recorded.py), as in `filesystem_crash`: after a cut the testbed's device gets the
  writes that the disk had, and is mounted. One recording serves several cuts.
- Each cut is tried twice: the disk kept the order of its writes, or it lost any half of those since its last flush, as a disk with a
  volatile cache may. What was flushed is never lost.
- A recording can be played up to its first byte that is not what was written. A player that skips damage may show more.
- Seed and repetition draw the moments of the cuts, so all configurations are cut at the same ones.
- A filesystem that cannot be mounted has lost everything; that is a result.
"""

import json
import random
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any

from pydantic import Field

from spindlemark.core.outcome import Failed
from spindlemark.core.process import programs
from spindlemark.core.record import Closed
from spindlemark.families.factors import volume
from spindlemark.families.factors.filesystem import FILESYSTEM
from spindlemark.families.factors.scheduler import SCHEDULER
from spindlemark.families.family import Family
from spindlemark.families.recording_survival import playable_program, record_program
from spindlemark.families.recording_survival.survival_metrics import METRICS
from spindlemark.families.shared.choices import require_known
from spindlemark.families.shared.crash import power_cut
from spindlemark.harness import fill_check
from spindlemark.harness.repetition import Repetition
from spindlemark.testbeds import recorded, write_log

SYNCS = {"none": "none", "fsync-4-s": 4.0, "fsync-1-s": 1.0, "dsync": "dsync"}
RECORDERS = 4
RATES = {f"{mbit}-mbit": mbit * 1_000_000 // 8 for mbit in (10, 50)}
SEED = 20261126
FOLDER = "recordings"
_START_SECONDS, _SLOWEST_BYTES = 300.0, 2e6  # longest time of one command; a hung tool is what it must find
_ROOM, _COPIES = (
    1 << 30,
    4,
)  # memory for journals and tables, and for the payload in disk, log (with what is written twice) and image
_ANY = tuple(range(256))


class Scale(Closed):
    """How long is recorded, and how often the power is cut."""

    seconds: float = Field(gt=0, description="length of the recordings")
    earliest_seconds: float = Field(gt=0, description="no cut is earlier")
    cuts: int = Field(ge=1, description="moments of power cuts; each is tried with both kinds of disk")


@dataclass(frozen=True)
class Cut:
    """A power cut: seconds since the begin, bytes of the log, bytes of each recording that were synced, and the kind of disk."""

    second: float
    end: int
    synced: list[int]
    cached: bool


@dataclass(frozen=True)
class Left:
    """What a cut left: seconds lost of each recording, synced bytes that are gone, seconds of the mount, and whether all is well."""

    lost: list[float]
    broken: int
    mount: float | None
    clean: bool


def factors(chosen: dict[str, str], scale: Scale, size: int) -> dict[str, Any]:
    """The recordings with exact bytes; raises UserError for an unknown choice, and if they do not fit `size` bytes."""
    require_known(chosen, {"sync": SYNCS, "rate": RATES}, "recording_survival")
    rate = RATES[chosen["rate"]]
    each = int(rate * scale.seconds)
    fill_check.require_fit(RECORDERS * each, size, "all recordings", "recording_survival")
    recording = {"recorders": RECORDERS, "bytes": each, "seconds": scale.seconds}
    cuts = {"count": scale.cuts, "earliest_seconds": min(scale.earliest_seconds, scale.seconds / 2)}
    return {
        "sync": {"name": chosen["sync"], "every": SYNCS[chosen["sync"]]},
        "rate": {"name": chosen["rate"], "bytes_per_second": rate},
        "recording": recording,
        "cuts": cuts,
        "seed": SEED,
    }


def expected(factors: dict[str, Any], size: int) -> tuple[float, float]:
    """Seconds at any speed, and bytes moved: each cut reads the whole device, and writes and reads the recordings."""
    recording, cuts = factors["recording"], 2 * factors["cuts"]["count"]
    total = recording["recorders"] * recording["bytes"]
    return recording["seconds"] + 3.0 + 3.0 * cuts, float(cuts * (size + 2 * total))


def steps(repetition: Repetition) -> None:
    """Record to a recorded disk, and find out for each cut what the device has then."""
    volume.require(repetition)
    recording = repetition.factors["recording"]
    total = recording["recorders"] * recording["bytes"]
    limit = _START_SECONDS + recording["seconds"] + total / _SLOWEST_BYTES
    with recorded.work_folder(_COPIES * total + _ROOM) as memory:
        log = _recorded(repetition, memory, total, limit)
        noted = json.loads((memory / "noted").read_text())
        found = [(cut, _left(repetition, memory, log, cut, limit)) for cut in cuts(repetition, noted)]
    _measure(repetition, found)


def cuts(repetition: Repetition, noted: list[Any]) -> list[Cut]:
    """The power cuts of a repetition, at moments that were noted."""
    given = repetition.factors["cuts"]
    chance = random.Random(f"{repetition.factors['seed']} {repetition.number}")
    last = repetition.factors["recording"]["seconds"]
    moments = sorted(chance.uniform(given["earliest_seconds"], last) for _ in range(given["count"]))
    seen = [next((note for note in noted if note[0] >= moment), noted[-1]) for moment in moments]
    return [Cut(second, end, synced, cached) for second, end, synced in seen for cached in (False, True)]


def _recorded(repetition: Repetition, memory: Path, total: int, limit: float) -> Path:
    """Record to a disk as large as the device; return the log of its writes."""
    f = repetition.factors
    name = repetition.spec.experiment.testbed
    with recorded.mounted(repetition, memory, name, f["filesystem"], repetition.testbed.size) as disk:
        (disk.point / FOLDER).mkdir()
        task = memory / "task"
        content = _task(repetition, disk.point) | {
            "rate": f["rate"]["bytes_per_second"],
            "seconds": f["recording"]["seconds"],
            "sync": f["sync"]["every"],
            "log": str(disk.log),
            "noted": str(memory / "noted"),
        }
        task.write_text(json.dumps(content))
        begun = disk.synced_entries()
        with repetition.step("record", cold=False):
            argv = [*programs.PYTHON, "-m", record_program.__name__, str(task)]
            late = json.loads(repetition.run(argv, limit).stdout)["late"]
        files, written = fill_check.tally(disk.point / FOLDER)
        whole = (files, written) == (f["recording"]["recorders"], total)
        repetition.require("completeness", whole, written, total, "B", "bytes that were recorded before the cut")
        disk.synced_entries()
        given = sum(entry.size for entry in write_log.entries(disk.log)[begun:])
    repetition.measure("recording_late_seconds", late)
    repetition.measure("recording_written_ratio", given / total)
    disk.kept.unlink()  # frees memory for the images
    return disk.log


def _left(repetition: Repetition, memory: Path, log: Path, cut: Cut, limit: float) -> Left:
    """Give the device what the disk had at a cut, mount it, and look at the recordings."""
    _give(repetition, memory, log, cut, limit)
    recording, rate = repetition.factors["recording"], repetition.factors["rate"]["bytes_per_second"]
    try:
        mounted = volume.mount(repetition, limit, "crash_mount").seconds
    except Failed:
        return Left([cut.second] * recording["recorders"], sum(cut.synced), None, False)
    (memory / "task").write_text(json.dumps(_task(repetition, repetition.testbed.mount_point)))
    with repetition.step("compare", cold=False):
        argv = [*programs.PYTHON, "-m", playable_program.__name__, str(memory / "task")]
        playable = json.loads(repetition.run(argv, limit).stdout)
    volume.unmount(repetition, limit)
    lost = [max(0.0, cut.second - size / rate) for size in playable]
    broken = sum(max(0, synced - size) for synced, size in zip(cut.synced, playable, strict=True))
    return Left(lost, broken, mounted, _is_clean(repetition, limit))


def _give(repetition: Repetition, memory: Path, log: Path, cut: Cut, limit: float) -> None:
    seed = [str(repetition.factors["seed"] + repetition.number)] if cut.cached else []
    longest = limit + repetition.testbed.size / _SLOWEST_BYTES
    power_cut.give(repetition, log, cut.end, memory / "image", longest, *seed)


def _is_clean(repetition: Repetition, limit: float) -> bool:
    if (check := repetition.factors["filesystem"]["check"]) is None:
        return True
    with repetition.step("crash_check", cold=False), repetition.testbed.claimed() as device:
        done = repetition.run([*check, device], limit, accept=_ANY)
    declared = repetition.registry.filesystems[repetition.factors["filesystem"]["name"]]
    return not declared.finds_errors(done.exit_code, done.stdout + done.stderr)


def _measure(repetition: Repetition, found: list[tuple[Cut, Left]]) -> None:
    """Measure what all cuts together left."""
    in_order = [second for cut, left in found if not cut.cached for second in left.lost]
    cached = [second for cut, left in found if cut.cached for second in left.lost]
    repetition.measure("recording_lost_seconds", max(in_order))
    repetition.measure("recording_cached_lost_seconds", max(cached))
    repetition.measure("recording_mean_lost_seconds", mean(in_order))
    repetition.measure("recording_synced_lost_bytes", sum(left.broken for _, left in found))
    repetition.measure("recording_clean_ratio", mean(float(left.clean) for _, left in found))
    if mounts := [left.mount for _, left in found if left.mount is not None]:
        repetition.measure("recording_mount_seconds", median(mounts))
    repetition.attachments["cuts"] = [
        {
            "second": cut.second,
            "volatile_cache": cut.cached,
            "lost_seconds": left.lost,
            "mounted": left.mount is not None,
        }
        | {"clean": left.clean, "synced_lost_bytes": left.broken}
        for cut, left in found
    ]


def _task(repetition: Repetition, point: Path) -> dict[str, Any]:
    f = repetition.factors
    kept = {"recorders": f["recording"]["recorders"], "bytes": f["recording"]["bytes"]}
    return kept | {"folder": str(point / FOLDER), "seed": f["seed"]}


FAMILY = Family(
    method=1,
    metrics=METRICS,
    steps=steps,
    expected=expected,
    shared=(FILESYSTEM, SCHEDULER),
    scale=Scale,
    factors=factors,
)
