"""Family `hdf5_edit`: the time and space of an edit of an HDF5 file at an atomicity level, and whether the level holds in a crash.

Study 003 measured H5edit at three levels of atomicity, and left the second question open. Here an editor in its manner
(package editor) applies the source's commands, and a crash is made at each of its writes. What was decided, and why:

- The editor times itself, from before the backup to after its last sync: the start of Python takes longer than most edits.
  The device's bytes are those of the whole step, with a sync of the filesystem after it.
- Files are drawn by a seed in the source's sizes, which the profile scales, and come to the device by cp. Caches are cold.
- The memory of the edit is limited: a file that does not fit into it is what the source's jump at 2.2 GB shows (factor `memory`).
  Only the edit, since what verifies it writes files into memory.
- What is taken at the worst moment is asked for in a second edit of a fresh copy, since each look syncs the filesystem.
- `no-sync` promises as much to a process that is killed, and nothing in a power cut.
- Task `crash`: the same edit, and then one of a small file in both kinds of crash (crash/crash_test.py). It is killed at the
  entry of every write-like call, one after another (crash/kill.py). It is done on a disk in memory that records what is
  written to it, and mounted after each of these writes (crash/power_cut.py), also with a part of the writes after a flush, as a
  disk with a cache may leave it. Both in one repetition: a configuration without
  both has no result, and is never recommended.
  Points are tried exhaustively, or by a seeded sample, so that shares do not scatter.
- A configuration that loses nothing here can be recommended, and an edit alone cannot: so questions compare those of task `crash`,
  and losing nothing outweighs any cost.
- The package's tools verify each edit (editor/verification.py): each is a gate. Of the onion driver, which they cannot read, they get
  the newest revision, which the editor exports.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from spindlemark.core import durability
from spindlemark.core.errors import UserError
from spindlemark.core.metric import OWN_CLOCK, Metric
from spindlemark.core.process import programs
from spindlemark.core.record import Closed
from spindlemark.families.factors import memory, volume
from spindlemark.families.factors.filesystem import FILESYSTEM
from spindlemark.families.factors.memory import MEMORY
from spindlemark.families.factors.scheduler import SCHEDULER
from spindlemark.families.family import Family
from spindlemark.families.hdf5_edit.crash import crash_test, kill, outcomes, power_cut
from spindlemark.families.hdf5_edit.crash.setup import Bench
from spindlemark.families.hdf5_edit.editor import sample, verification
from spindlemark.families.shared import media
from spindlemark.families.shared.choices import require_known
from spindlemark.harness import fill_check
from spindlemark.harness.repetition import Repetition

METHOD = 3
FACTORS = (FILESYSTEM, MEMORY, SCHEDULER)
_VERSIONS = "import h5py; print(h5py.__version__, h5py.version.hdf5_version)"
TOOLS = {
    verification.PACKAGE: ("h5dump", "--version"),
    kill.PACKAGE: (kill.STRACE, "--version"),
    "h5py": (*programs.PYTHON, "-c", _VERSIONS),
}

CRASH = "crash"
TASKS = ("edit", CRASH)
SIZES = {f"{size}-mb": size * 10**6 for size in (15, 38, 123, 310, 549, 2200)}
SYNCS, COUNTS = ("sync", "no-sync"), ("1", "2", "9", "27")
CHOICES: dict[str, Sequence[str]] = {
    "task": TASKS,
    "level": durability.LEVELS,
    "backup": durability.BACKUPS,
    "sync": SYNCS,
    "size": tuple(SIZES),
    "commands": COUNTS,
    "libver": durability.LIBVERS,
}
SEED = 20130801
_WHERE = "config/experiments/hdf5_edit.yaml: sets: factors"

METRICS = {
    "edit_seconds": Metric(
        title="Edit",
        unit="s",
        step="edit",
        better="lower",
        shortest_seconds=OWN_CLOCK,
        description="from before the backup to after the last sync, by the editor's own clock",
    ),
    "edit_user_seconds": Metric(
        title="Edit, user time",
        unit="s",
        step="edit_user",
        better="lower",
        description="of the editor within that time",
    ),
    "edit_system_seconds": Metric(
        title="Edit, system time",
        unit="s",
        step="edit_system",
        better="lower",
        description="of the editor within that time",
    ),
    "edit_device_read_bytes": Metric(
        title="Edit: bytes read",
        unit="B",
        work="read",
        better="lower",
        description="bytes that the device read, from the start of the editor's Python on",
    ),
    "edit_device_written_bytes": Metric(
        title="Edit: bytes written",
        unit="B",
        work="written",
        better="lower",
        description="bytes that the device wrote: the edit and a sync of the filesystem",
    ),
    "edit_largest_bytes": Metric(
        title="Space at the worst moment",
        unit="B",
        better="lower",
        description="bytes of the filesystem that the edit takes at most, in addition to the file; of a second edit",
    ),
    **outcomes.METRICS,
}


class Scale(Closed):
    """How much smaller than in study 003 the files are."""

    size: float = Field(gt=0, le=1, description="factor on the size of each file")


def factors(chosen: dict[str, str], scale: Scale, size: int) -> dict[str, Any]:
    """All choices with exact bytes; raises UserError for what is not known, is impossible, or does not fit `size` bytes."""
    require_known(chosen, CHOICES, "hdf5_edit")
    if why := durability.why_impossible(chosen["level"], chosen["backup"], chosen["libver"]):
        raise UserError(f"{_WHERE}: {why}", "put such a level into a set of its own")
    file_bytes = sample.CHUNK_BYTES * max(1, round(SIZES[chosen["size"]] * scale.size / sample.CHUNK_BYTES))
    fill_check.require_fit(2 * file_bytes + 4 * crash_test.SMALL_BYTES, size, "a file and its backup", "hdf5_edit")
    return {
        **chosen,
        "size": {"name": chosen["size"], "bytes": file_bytes},
        "commands": int(chosen["commands"]),
        "seed": SEED,
    }


def expected(factors: dict[str, Any], size: int) -> tuple[float, float]:
    """Seconds at any speed, and bytes moved: the file made, copied and edited twice, verification, and crash points."""
    seconds = 0.7
    if factors["task"] == CRASH:
        copies = {durability.YES: 1, durability.INC: factors["commands"]}.get(factors["level"], 0)
        seconds += 1.5 + 1.2 * copies + 0.02 * power_cut.MOST_REORDERED * min(copies, 1)
    return seconds, 4.0 * factors["size"]["bytes"]


def recipe(settings: Mapping[str, str]) -> list[str]:
    """The command that edits so, in the folder of this project."""
    if "level" not in settings:
        return []
    words = [f"--atomic {settings['level']}", f"--backup {settings['backup']}"] + ["--no-sync"] * (
        settings["sync"] == "no-sync"
    )
    return [f".venv/bin/spindlemark-h5edit FILE.h5 -c COMMANDS.txt {' '.join(words)} --libver {settings['libver']}"]


def steps(repetition: Repetition) -> None:
    """Edit a file, verify it, edit another one to see the space it takes; then crash edits, if that is the task."""
    volume.require(repetition)
    repetition.need_tools(verification.TOOLS, verification.PACKAGE)
    repetition.need_tools([kill.STRACE], kill.PACKAGE)
    with media.scratch(Path(repetition.declared.source_directory)) as folder:
        bench = Bench(repetition, folder)
        bench.draw(folder / "original.h5", repetition.factors["size"]["bytes"])
        volume.make(repetition, bench.limit)
        volume.mount(repetition, bench.limit)
        bench.fresh()
        _edit(bench)
        _measure_space(bench)
        (folder / "original.h5").unlink()
        if repetition.factors["task"] == CRASH:
            crash_test.crash(bench)
        fill_check.require_space(repetition)
    volume.unmount(repetition, bench.limit)


def _edit(bench: Bench) -> None:
    """The edit that is timed, and its verification."""
    repetition, f = bench.repetition, bench.repetition.factors
    with memory.limit(repetition), repetition.step("edit") as step:
        took = bench.edit("--json")
        repetition.run(["sync", "-f", bench.file.parent], bench.limit)
    for metric in ("elapsed", "user", "system"):
        name = "edit_seconds" if metric == "elapsed" else f"edit_{metric}_seconds"
        repetition.measure(name, took[f"{metric}_seconds"])
    repetition.measure("edit_device_read_bytes", step.read_bytes)
    repetition.measure("edit_device_written_bytes", step.written_bytes)
    copies = f["commands"] if f["level"] == durability.INC else 1
    needed = copies * f["size"]["bytes"] if f["sync"] == "sync" and f["backup"] in ("copy", "aside") else 1
    repetition.require(
        "cold_proof",
        step.written_bytes >= needed,
        step.written_bytes,
        needed,
        "B",
        "bytes that the device wrote, from its own counter, against those of the copies that were synced",
    )
    with repetition.step("witness", cold=False):
        verification.ask(
            repetition,
            bench.memory / "original.h5",
            bench.whole(),
            sample.names(f["commands"]),
            bench.memory,
            bench.limit,
        )


def _measure_space(bench: Bench) -> None:
    bench.fresh()
    with bench.repetition.step("space", cold=False):
        bench.repetition.measure("edit_largest_bytes", max(0.0, bench.edit("--space")["largest_bytes"]))


FAMILY = Family(
    method=METHOD,
    metrics=METRICS,
    steps=steps,
    expected=expected,
    shared=FACTORS,
    scale=Scale,
    factors=factors,
    tools=TOOLS,
    recipe=recipe,
)
