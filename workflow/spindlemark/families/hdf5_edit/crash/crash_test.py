"""Both kinds of crash of one edit, and the gates that say whether they were real: what task `crash` of family hdf5_edit adds."""

from pathlib import Path

from spindlemark.core.process.interrupts import check
from spindlemark.families.hdf5_edit.crash import kill, outcomes, power_cut, replay
from spindlemark.families.hdf5_edit.crash.recovery_states import Known
from spindlemark.families.hdf5_edit.crash.setup import EDITOR, Bench
from spindlemark.families.hdf5_edit.editor import sample
from spindlemark.harness.repetition import Repetition
from spindlemark.testbeds import recorded

SMALL_BYTES = 6 * sample.CHUNK_BYTES  # of the file that is crashed: three writes of a copy


def crash(bench: Bench) -> None:
    """Crash edits of a small file in both ways, and measure what became of it."""
    repetition, original, parts = bench.repetition, bench.memory / "small.h5", []
    bench.draw(original, SMALL_BYTES)
    for number, line in enumerate(bench.lines):
        parts.append(bench.memory / f"{number}.txt")
        parts[-1].write_text(line)
    f, edit = repetition.factors, kill.Edit(original, repetition.testbed.mount_point / "kill", bench.words)
    with kill.editor() as editing:
        with repetition.step("kill", cold=False):
            known = Known(kill.states(editing, edit, parts, f["libver"]), f["level"], f["backup"])
            _kill(bench, editing, edit, known)
        with repetition.step("power", cold=False):
            _cut_power(bench, editing, original, known)


def _kill(bench: Bench, editing: kill.Editor, edit: kill.Edit, known: Known) -> None:
    """Kill edits at every point, and name what each left."""
    crashes = []
    for point in kill.points(editing, edit, bench.memory / "trace"):
        check()
        crashes.append(kill.crash(editing, edit, point, known))
    died = sum(crash.ended == kill.KILLED for crash in crashes)
    bench.repetition.require(
        "completeness",
        0 < died == len(crashes),
        died,
        max(1, len(crashes)),
        "1",
        "edits that died of signal 9, against points at which they were killed",
    )
    outcomes.of_kills(bench.repetition, crashes)


def _cut_power(bench: Bench, editing: kill.Editor, original: Path, known: Known) -> None:
    """Record an edit below its filesystem, and name what each point of the replay left."""
    repetition, f, synced = bench.repetition, bench.repetition.factors, bench.repetition.factors["sync"] == "sync"
    with recorded.work_folder(power_cut.ROOM) as folder:
        with recorded.mounted(
            repetition, folder, repetition.spec.experiment.testbed, f["filesystem"], power_cut.SIZE
        ) as disk:
            done = power_cut.record(
                disk, original, bench.words, lambda words: repetition.run([*EDITOR, *words], bench.limit)
            )
        _require_whole(repetition, done)
        in_order, reordered = (
            list(power_cut.cuts(done, wanted, known, synced, editing.plain))
            for wanted in (
                done.in_order(power_cut.MOST, f["seed"]),
                done.reordered(power_cut.MOST_REORDERED, f["seed"]),
            )
        )
    outcomes.of_cuts(repetition, in_order, reordered)


def _require_whole(repetition: Repetition, done: power_cut.Record) -> None:
    """The record has every write, and leads to the files that were seen."""
    repetition.require(
        "completeness",
        whole := replay.agrees(done.disk),
        int(whole),
        1,
        "1",
        "whether all recorded writes, applied to an empty disk, give what the disk held in the end",
    )
    repetition.require(
        "content",
        same := power_cut.ends_as_live(done),
        int(same),
        1,
        "1",
        "whether the last replayed state has the files as they were before they were unmounted",
    )
