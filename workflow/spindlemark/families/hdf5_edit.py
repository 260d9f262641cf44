"""Family `hdf5_edit`: what it costs to edit an HDF5 file under a promise, and whether the promise holds in a crash.

Source 003 measured H5edit at three levels of atomicity, and left the second question open. Here an editor in its manner
(package h5edit) applies the source's commands, and a crash is made at each of its writes. What was decided, and why:

- The editor times itself, from before the backup to after its last sync: the start of Python takes longer than most edits.
  The device's bytes are those of the whole step, with a sync of the filesystem after it.
- Files are drawn by a seed in the source's sizes, which the profile scales, and come to the device by cp. Caches are cold.
- What is taken at the worst moment is asked for in a second edit of a fresh copy, since each look syncs the filesystem.
- `no-sync` promises as much to a process that is killed, and nothing to who loses power.
- Task `crash`: the same edit, and then one of a small file (SMALL_BYTES, three writes of a copy) in both kinds of crash. It is killed at
  the entry of every write-like call, one after another (survival/killing.py). It is done on a disk in memory that records what
  is written to it, and mounted after each of these writes (survival/power.py), also with a part of what came after a flush, as a disk
  with a cache may leave it. Both in one repetition: who was killed and never lost power has no result, and is never advised.
  Points are tried exhaustively, or by a seeded sample, so that shares do not scatter.
- A way that loses nothing in this can be advised, and no edit alone is: so questions choose among the subjects of task `crash`,
  and losing nothing outweighs any cost.
- Witnesses are the package's tools (h5edit/witnesses.py): each is a gate. Of the onion driver, which they cannot read, they get
  the newest revision, which the editor exports.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from spindlemark import media, programs
from spindlemark.errors import UserError
from spindlemark.families import OWN_CLOCK, Metric, require_known
from spindlemark.h5edit import promises, sample, witnesses
from spindlemark.measure import filled, volume
from spindlemark.measure.command import Finished
from spindlemark.measure.interrupts import check
from spindlemark.measure.outcome import Failed, Unsupported
from spindlemark.measure.session import Session
from spindlemark.record import Closed
from spindlemark.survival import fates, killing, power, replay
from spindlemark.survival.states import Known
from spindlemark.testbeds import recorded

METHOD = 2
FACTORS = ("filesystem", "scheduler")
_VERSIONS = "import h5py; print(h5py.__version__, h5py.version.hdf5_version)"
TOOLS = {witnesses.PACKAGE: ("h5dump", "--version"), killing.PACKAGE: (killing.STRACE, "--version"),
         "h5py": (*programs.PYTHON, "-c", _VERSIONS)}

CRASH = "crash"
TASKS = ("edit", CRASH)
SIZES = {f"{size}-mb": size * 10**6 for size in (15, 38, 123, 310, 549, 2200)}
SYNCS, COUNTS = ("sync", "no-sync"), ("1", "2", "9", "27")
CHOICES: dict[str, Sequence[str]] = {
    "task": TASKS, "level": promises.LEVELS, "backup": promises.BACKUPS, "sync": SYNCS, "size": tuple(SIZES), "commands": COUNTS,
    "libver": promises.LIBVERS}
SMALL_BYTES = 6 * sample.CHUNK_BYTES
SEED = 20130801
_WHERE = "config/experiments/hdf5_edit.yaml: sets: factors"
_EDITOR = [*programs.PYTHON, "-m", "spindlemark.h5edit.worker"]
# What the editor says where this machine cannot: a filesystem without reflinks, a library without the driver.
_CANNOT = ("no reflink:", "no onion driver:")
_START_SECONDS, _SLOWEST_BYTES = 60.0, 1e6

METRICS = {
    "edit_seconds": Metric(title="Edit", unit="s", better="lower", shortest_seconds=OWN_CLOCK,
                           description="from before the backup to after the last sync, by the editor's own clock"),
    "edit_user_seconds": Metric(title="Edit, user time", unit="s", better="lower", description="of the editor within that time"),
    "edit_system_seconds": Metric(title="Edit, system time", unit="s", better="lower", description="of the editor within that time"),
    "edit_device_read_bytes": Metric(title="Edit: bytes read", unit="B", better="lower",
                                     description="bytes that the device read, from the start of the editor's Python on"),
    "edit_device_written_bytes": Metric(title="Edit: bytes written", unit="B", better="lower",
                                        description="bytes that the device wrote: the edit and a sync of the filesystem"),
    "edit_largest_bytes": Metric(title="Space at the worst moment", unit="B", better="lower",
                                 description="bytes of the filesystem that the edit takes at most, beside the file; of a second edit"),
    **fates.METRICS,
}


class Scale(Closed):
    """How much smaller than in source 003 the files are."""

    size: float = Field(gt=0, le=1, description="factor on the size of each file")


def factors(chosen: dict[str, str], scale: Scale, size: int) -> dict[str, Any]:
    """All choices with exact bytes; raises UserError for what is not known, is impossible, or does not fit `size` bytes."""
    require_known(chosen, CHOICES, "hdf5_edit")
    if why := promises.impossible(chosen["level"], chosen["backup"]):
        raise UserError(f"{_WHERE}: {why}", "put level no into a set of its own")
    file_bytes = sample.CHUNK_BYTES * max(1, round(SIZES[chosen["size"]] * scale.size / sample.CHUNK_BYTES))
    filled.require_fit(2 * file_bytes + 4 * SMALL_BYTES, size, "a file and its backup", "hdf5_edit")
    return {**chosen, "size": {"name": chosen["size"], "bytes": file_bytes}, "commands": int(chosen["commands"]), "seed": SEED}


def expected(factors: dict[str, Any], size: int) -> tuple[float, float]:
    """Seconds at any speed, and bytes moved: the file made, copied and edited twice, witnesses, and what points of crashes take."""
    seconds = 0.7
    if factors["task"] == CRASH:
        copies = {promises.NO: 0, promises.YES: 1, promises.INC: factors["commands"]}[factors["level"]]
        seconds += 1.5 + 1.2 * copies + 0.02 * power.MOST_REORDERED * min(copies, 1)
    return seconds, 4.0 * factors["size"]["bytes"]


def recipe(settings: Mapping[str, str]) -> list[str]:
    """The command that edits so."""
    if "level" not in settings:
        return []
    words = [f"--atomic {settings['level']}", f"--backup {settings['backup']}"] + ["--no-sync"] * (settings["sync"] == "no-sync")
    return [f"spindlemark-h5edit FILE.h5 -c COMMANDS.txt {' '.join(words)} --libver {settings['libver']}"]


def steps(session: Session) -> None:
    """Edit a file, ask the witnesses, edit another one to see the space it takes; then crash edits, if that is the task."""
    volume.require(session)
    session.need_tools(witnesses.TOOLS, witnesses.PACKAGE)
    session.need_tools([killing.STRACE], killing.PACKAGE)
    with media.scratch(Path(session.declared.source_directory)) as memory:
        bench = _Bench(session, memory)
        bench.draw(memory / "original.h5", session.factors["size"]["bytes"])
        volume.make(session, bench.limit)
        volume.mount(session, bench.limit)
        bench.fresh()
        _edit(bench)
        _measure_space(bench)
        (memory / "original.h5").unlink()
        if session.factors["task"] == CRASH:
            _crash(bench)
        filled.require_space(session)
    volume.unmount(session, bench.limit)


class _Bench:
    """The file under edit on the device, its original and the commands in memory."""

    def __init__(self, session: Session, memory: Path) -> None:
        f = session.factors
        self.session, self.memory, self.file = session, memory, session.testbed.mount_point / "file.h5"
        self.limit = _START_SECONDS + 40 * f["size"]["bytes"] / _SLOWEST_BYTES
        self.lines = sample.commands(f["commands"])
        (memory / "commands.txt").write_text("\n".join(self.lines))
        self.words = ["-c", str(memory / "commands.txt"), "--atomic", f["level"], "--backup", f["backup"], "--libver", f["libver"],
                      *(["--no-sync"] if f["sync"] == "no-sync" else [])]

    def draw(self, path: Path, size: int) -> None:
        """A file by the seed."""
        f = self.session.factors
        self.session.run([*programs.PYTHON, "-m", "spindlemark.h5edit.sample", str(path), str(size), str(f["seed"]), f["libver"]],
                         self.limit)

    def fresh(self) -> None:
        """The file as it was before, alone in its place."""
        for left in self.file.parent.glob("*file.h5*"):
            left.unlink()
        with self.session.step("store"):
            self.session.run(["cp", str(self.memory / "original.h5"), str(self.file)], self.limit)
            self.session.run(["sync", "-f", self.file.parent], self.limit)

    def edit(self, *words: str) -> dict[str, float]:
        """One edit; raises Unsupported where this machine cannot, Failed where the editor does not."""
        done: Finished = self.session.run([*_EDITOR, str(self.file), *self.words, *words], self.limit, accept=range(256))
        if done.exit_code:
            if any(word in done.stderr for word in _CANNOT):
                raise Unsupported(done.stderr.splitlines()[0].partition("error: ")[2])
            raise Failed(f"the editor ended with exit code {done.exit_code}: {' '.join(done.stderr.split())}")
        return json.loads(done.stdout)

    def whole(self) -> Path:
        """The file, or the newest revision of its history as a file in memory."""
        if self.session.factors["backup"] != promises.ONION:
            return self.file
        target = self.memory / "exported.h5"
        self.session.run([*_EDITOR, str(self.file), "--export", str(target)], self.limit)
        return target


def _edit(bench: _Bench) -> None:
    """The edit that is timed, and its witnesses."""
    session, f = bench.session, bench.session.factors
    with session.step("edit") as step:
        took = bench.edit("--json")
        session.run(["sync", "-f", bench.file.parent], bench.limit)
    for metric in ("elapsed", "user", "system"):
        name = "edit_seconds" if metric == "elapsed" else f"edit_{metric}_seconds"
        session.measure(name, took[f"{metric}_seconds"])
    session.measure("edit_device_read_bytes", step.read_bytes)
    session.measure("edit_device_written_bytes", step.written_bytes)
    copies = f["commands"] if f["level"] == promises.INC else 1
    needed = copies * f["size"]["bytes"] if f["sync"] == "sync" and f["backup"] in ("copy", "aside") else 1
    session.require("cold_proof", step.written_bytes >= needed, step.written_bytes, needed, "B",
                    "bytes that the device wrote, from its own counter, against those of the copies that were synced")
    with session.step("witness", cold=False):
        witnesses.ask(session, bench.memory / "original.h5", bench.whole(), sample.names(f["commands"]), bench.memory, bench.limit)


def _measure_space(bench: _Bench) -> None:
    bench.fresh()
    with bench.session.step("space", cold=False):
        bench.session.measure("edit_largest_bytes", max(0.0, bench.edit("--space")["largest_bytes"]))


def _crash(bench: _Bench) -> None:
    """Crash edits of a small file in both ways."""
    session, original, parts = bench.session, bench.memory / "small.h5", []
    bench.draw(original, SMALL_BYTES)
    for number, line in enumerate(bench.lines):
        parts.append(bench.memory / f"{number}.txt")
        parts[-1].write_text(line)
    f, edit = session.factors, killing.Edit(original, session.testbed.mount_point / "kill", bench.words)
    with killing.editor() as editing:
        with session.step("kill", cold=False):
            known = Known(killing.states(editing, edit, parts, f["libver"]), f["level"], f["backup"])
            _kill(bench, editing, edit, known)
        with session.step("power", cold=False):
            _cut_power(bench, editing, original, known)


def _kill(bench: _Bench, editing: killing.Editor, edit: killing.Edit, known: Known) -> None:
    """Kill edits at every point, and name what each left."""
    crashes = []
    for point in killing.points(editing, edit, bench.memory / "trace"):
        check()
        crashes.append(killing.crash(editing, edit, point, known))
    died = sum(crash.ended == killing.KILLED for crash in crashes)
    bench.session.require("completeness", 0 < died == len(crashes), died, max(1, len(crashes)), "1",
                          "edits that died of signal 9, against points at which they were killed")
    fates.of_kills(bench.session, crashes)


def _cut_power(bench: _Bench, editing: killing.Editor, original: Path, known: Known) -> None:
    """Record an edit below its filesystem, and name what each point of the replay left."""
    session, f, synced = bench.session, bench.session.factors, bench.session.factors["sync"] == "sync"
    with recorded.workshop(power.ROOM) as folder:
        with recorded.mounted(session, folder, session.spec.experiment.testbed, f["filesystem"], power.SIZE) as disk:
            done = power.record(disk, original, bench.words, lambda words: session.run([*_EDITOR, *words], bench.limit))
        _require_whole(session, done)
        in_order, reordered = (list(power.cuts(done, wanted, known, synced, editing.plain)) for wanted in (
            done.in_order(power.MOST, f["seed"]), done.reordered(power.MOST_REORDERED, f["seed"])))
    fates.of_cuts(session, in_order, reordered)


def _require_whole(session: Session, done: power.Record) -> None:
    """The record has every write, and leads to the files that were seen."""
    session.require("completeness", whole := replay.agrees(done.disk), int(whole), 1, "1",
                    "whether all recorded writes, applied to an empty disk, give what the disk held in the end")
    session.require("content", same := power.ends_as_live(done), int(same), 1, "1",
                    "whether the last replayed state has the files as they were before they were unmounted")
