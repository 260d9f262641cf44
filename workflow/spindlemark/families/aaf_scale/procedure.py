"""One experiment of the family `aaf_scale`: the tree is made, written, read back, and read by all other libraries."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from spindlemark.core.outcome import Failed, TimedOut
from spindlemark.core.process import programs
from spindlemark.core.process.command import Finished
from spindlemark.families.aaf_scale import trees
from spindlemark.families.aaf_scale.implementations import IMPLEMENTATIONS, Implementation
from spindlemark.families.shared import media
from spindlemark.families.shared.aaf.graph import Seen, Shape
from spindlemark.harness.repetition import Repetition, Step

AAF = (*programs.PYTHON, "-m", "spindlemark.families.shared.aaf")
_MODEL_SECTOR = 4096  # of the file that trees are taken from, which have nothing of its sectors
_MODEL_SECONDS = 3600.0


def container_tree(repetition: Repetition, shape: Shape, memory: Path) -> Path:
    """The tree that containers are made of: what pyaaf2 makes of the graph, and finds in its file.

    It takes minutes for the largest file, so it is kept in memory for the next library.
    """
    model = Shape(shape.sources, _MODEL_SECTOR)

    def make(folder: Path) -> None:
        file = folder / "model"
        repetition.run(_write_aaf(file, model), _MODEL_SECONDS)
        repetition.run([*IMPLEMENTATIONS["pyaaf2"].command, "read", file, folder / "tree"], _MODEL_SECONDS)
        file.unlink()

    return media.kept([asdict(model), repetition.spec.experiment.fingerprint["tools"]], memory, make) / "tree"


class Work:
    """One experiment with the library `own`: input is in memory, the measured file on the filesystem.

    `tree` is what a container is made of, None for a whole file. `folder` is empty, in memory too.
    """

    def __init__(
        self, repetition: Repetition, own: Implementation, shape: Shape, folder: Path, tree: Path | None
    ) -> None:
        self.repetition, self.own, self.shape = repetition, own, shape
        self.whole = tree is None
        self.limit = repetition.factors["limit_seconds"]
        self.reader_limit = repetition.factors["reader_seconds"]
        self.tree, self.came = tree or folder / "tree", folder / "came"
        self.file = repetition.testbed.mount_point / "file"
        if tree:
            self.written = trees.read(tree)

    def write(self) -> None:
        """Write the file and sync it, and measure that; raises Invalid where the device did not get all of it."""
        words = [*self.own.command, "write", self.tree, self.file, self.shape.sector_bytes]
        if self.whole:
            words = _write_aaf(self.file, self.shape)
        before = self.repetition.testbed.transferred()  # the kernel also writes between the steps
        with self.repetition.step("write") as write:
            done = self.repetition.run(words, self.limit)
        with self.repetition.step("sync", cold=False) as sync:
            self.repetition.run(["sync", "-f", self.repetition.testbed.mount_point], self.limit)
        reached = self.repetition.testbed.transferred().since(before).written_bytes
        if self.whole:
            with self.repetition.step("list", cold=False):
                self.repetition.run([*self.own.command, "read", self.file, self.tree], self.limit)
            self.written = trees.read(self.tree)
        size, measure = self.file.stat().st_size, self.repetition.measure
        self.repetition.require(
            "cold_proof",
            reached >= size,
            reached,
            size,
            "B",
            "bytes that the device wrote until the sync ended, by its own counter, against the file's",
        )
        measure("write_seconds", _report(done)["seconds"] + sync.seconds)
        measure("write_sync_seconds", sync.seconds)
        measure("file_bytes", size)
        measure("overhead_ratio", size / self.written.bytes)
        self._cost("write", done, write, sync)

    def read(self) -> None:
        """Read the tree back, timed on a cold cache."""
        words = [*AAF, "read", self.file] if self.whole else [*self.own.command, "read", self.file]
        try:
            with self.repetition.step("read") as read:
                done = self.repetition.run(words, self.limit, accept=(0, 1))
        except Failed as failed:
            self.repetition.note({"absent.read_seconds": f"failed: {failed.reason}"})
            return
        if done.exit_code:
            self.repetition.note({"absent.read_seconds": f"failed: its own reader says: {_last_line(done)}"})
            return
        report = _report(done)
        self._require_all(report)
        wanted = self.written.bytes
        self.repetition.require(
            "cold_proof",
            read.read_bytes >= wanted,
            read.read_bytes,
            wanted,
            "B",
            "bytes that the device read, from its own counter, against those of all streams",
        )
        self.repetition.measure("read_seconds", report["seconds"])
        self._cost("read", done, read)

    def _require_all(self, report: dict[str, Any]) -> None:
        """The gate `completeness`: the reader saw as much as was written."""
        if self.whole:
            complaint = Seen(**{name: report[name] for name in Seen.__dataclass_fields__}).complaint(self.shape)
            self.repetition.require(
                "completeness",
                complaint is None,
                report["mobs"],
                self.shape.mobs,
                "1",
                f"mobs, clips and essence that were read{': ' + complaint if complaint else ''}",
            )
        else:
            found, wanted = report["bytes"], self.written.bytes
            self.repetition.require(
                "completeness", found == wanted, found, wanted, "B", "bytes of streams that were read"
            )

    def _cost(self, part: str, done: Finished, *parts: Step) -> None:
        self.repetition.measure(f"{part}_user_seconds", done.user_seconds)
        self.repetition.measure(f"{part}_system_seconds", done.system_seconds)
        self.repetition.measure(f"{part}_peak_bytes", _report(done)["peak_bytes"])
        self.repetition.measure_work(part, *parts)

    def ask_all(self) -> None:
        """Every library that is here reads the file. Raises Failed when none but the own one understands it."""
        with self.repetition.step("understand", cold=False):
            answers = {name: self._reader_report(each) for name, each in IMPLEMENTATIONS.items()}
        self.repetition.attachments["understanding"] = answers
        others = [
            answer["kept"]
            for name, answer in answers.items()
            if answer["kept"] is not None and IMPLEMENTATIONS[name] != self.own
        ]
        unanswered = any(answer["kept"] is None and IMPLEMENTATIONS[name].here() for name, answer in answers.items())
        if others and max(others) < 1 and not unanswered:
            raise Failed(f"no other reader gives back the tree: {json.dumps(answers)}")
        self.repetition.require(
            "content",
            max(others, default=0) == 1,
            max(others, default=0),
            1,
            "1",
            "storages and streams, by name, size and SHA-256, that the best other reader gave back",
        )
        self.repetition.measure("understood_ratio", sum(kept == 1 for kept in others) / len(others))

    def _reader_report(self, reader: Implementation) -> dict[str, Any]:
        """The share of the tree that a reader gives back, None where it gave no answer, and what it says."""
        if not reader.here():
            return {"kept": None, "says": "not here"}
        if reader != self.own and reader.reads_up_to and self.shape.sources > reader.reads_up_to:
            return {
                "kept": None,
                "says": f"not tried above {reader.reads_up_to:,} sources: its time grows with the square of their number",
            }
        self.came.unlink(missing_ok=True)
        limit = self.reader_limit * reader.reader_factor
        try:
            done = self.repetition.run([*reader.command, "read", self.file, self.came], limit, accept=(0, 1))
        except TimedOut:
            return {"kept": None, "says": f"stopped after {limit:g} s"}
        except Failed as failed:
            return {"kept": 0.0, "says": f"crashed: {failed.reason}"}
        if done.exit_code:
            return {"kept": 0.0, "says": f"refused: {_last_line(done)}"}
        return {"kept": round(trees.kept(self.written, trees.read(self.came)), 6), "says": "read"}


def _write_aaf(file: Path, shape: Shape) -> list[Any]:
    return [*AAF, "write", file, shape.sources, shape.sector_bytes, shape.essence_bytes]


def _report(done: Finished) -> dict[str, Any]:
    """The line of JSON that each program ends with."""
    return json.loads(done.stdout.splitlines()[-1])


def _last_line(done: Finished) -> str:
    return ((done.stderr.strip() or done.stdout.strip()).splitlines() or ["nothing"])[-1][:300]
