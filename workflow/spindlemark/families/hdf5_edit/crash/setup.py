"""The bench on which family hdf5_edit edits: a file drawn by a seed, and the editor in a process of its own."""

import json
from collections.abc import Sequence
from pathlib import Path

from spindlemark.core import durability
from spindlemark.core.outcome import Failed, Unsupported
from spindlemark.core.process import programs
from spindlemark.core.process.command import Finished
from spindlemark.families.hdf5_edit.editor import sample
from spindlemark.harness.repetition import Repetition

EDITOR = [*programs.PYTHON, "-m", "spindlemark.families.hdf5_edit.editor.worker"]
# What the editor says where this machine cannot: a filesystem without reflinks, a library without the driver.
CANNOT: Sequence[str] = ("no reflink:", "no onion driver:")
START_SECONDS, SLOWEST_BYTES = 60.0, 1e6  # of a command that hangs


class Bench:
    """The file under edit on the device, its original and the commands in memory.

    `limit`: the seconds that one command may take; `lines`: the commands; `words`: the editor's arguments.
    """

    def __init__(self, repetition: Repetition, memory: Path) -> None:
        f = repetition.factors
        self.repetition, self.memory, self.file = repetition, memory, repetition.testbed.mount_point / "file.h5"
        self.limit = START_SECONDS + 40 * f["size"]["bytes"] / SLOWEST_BYTES
        self.lines = sample.commands(f["commands"])
        (memory / "commands.txt").write_text("\n".join(self.lines))
        self.words = [
            "-c",
            str(memory / "commands.txt"),
            "--atomic",
            f["level"],
            "--backup",
            f["backup"],
            "--libver",
            f["libver"],
            *(["--no-sync"] if f["sync"] == "no-sync" else []),
        ]

    def draw(self, path: Path, size: int) -> None:
        """A file by the seed."""
        f = self.repetition.factors
        self.repetition.run(
            [
                *programs.PYTHON,
                "-m",
                "spindlemark.families.hdf5_edit.editor.sample",
                str(path),
                str(size),
                str(f["seed"]),
                f["libver"],
            ],
            self.limit,
        )

    def fresh(self) -> None:
        """The file as it was before, alone in its place."""
        for left in self.file.parent.glob("*file.h5*"):
            left.unlink()
        with self.repetition.step("store"):
            self.repetition.run(["cp", str(self.memory / "original.h5"), str(self.file)], self.limit)
            self.repetition.run(["sync", "-f", self.file.parent], self.limit)

    def edit(self, *words: str) -> dict[str, float]:
        """One edit; raises Unsupported where this machine cannot, Failed where the editor does not."""
        done: Finished = self.repetition.run(
            [*EDITOR, str(self.file), *self.words, *words], self.limit, accept=range(256)
        )
        if done.exit_code:
            if any(word in done.stderr for word in CANNOT):
                raise Unsupported(done.stderr.splitlines()[0].partition("error: ")[2])
            raise Failed(f"the editor ended with exit code {done.exit_code}: {' '.join(done.stderr.split())}")
        return json.loads(done.stdout)

    def whole(self) -> Path:
        """The file, or the newest revision of its history as a file in memory."""
        if self.repetition.factors["backup"] != durability.ONION:
            return self.file
        target = self.memory / "exported.h5"
        self.repetition.run([*EDITOR, str(self.file), "--export", str(target)], self.limit)
        return target
