"""One repetition: frames are drawn, stored, read in three ways, and damaged."""

import json
import sys
from dataclasses import asdict, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from spindlemark.core import space
from spindlemark.core.errors import UserError
from spindlemark.core.outcome import Unsupported
from spindlemark.core.process import programs
from spindlemark.families.factors import volume
from spindlemark.families.frame_storage import frame_program
from spindlemark.families.frame_storage.layouts import DATASET, STORES
from spindlemark.families.frame_storage.sequence import DIGESTS, SAMPLES, Sequence
from spindlemark.families.shared import media
from spindlemark.harness import fill_check
from spindlemark.harness.repetition import Repetition

SEED = 20261126
TARGETS = {
    "raw": "frames",
    "dpx": "frames",
    "exr": "frames",
    "zarr": "frames.zarr",
    "tar": "frames.tar",
    "ffv1": "frames.mkv",
}
FOLDERS = ("raw", "dpx", "exr", "zarr")
# Longest time of one command: as if a frame took five seconds. A hung tool is what it must find.
_START_SECONDS, _SLOWEST = 120.0, 5.0
_INTACT = f"frames whose SHA-256 matches that of the drawn frame in {DIGESTS}"


def sequence_of(factors: dict[str, Any]) -> Sequence:
    """The sequence that the factors describe."""
    return Sequence(factors["frames"], *(factors["format"][key] for key in ("height", "width", "bits")))


def require_room(repetition: Repetition, memory: Path) -> None:
    """Raises UserError unless `memory` has room for the frames, for those that are read, and for the source of h5repack."""
    sequence, repacked = sequence_of(repetition.factors), repetition.factors["writer"] == "h5repack"
    needed = 2 * sequence.distinct * sequence.frame_bytes + repacked * sequence.payload + space.required_free(memory)
    if needed > (free := space.capacity(memory)[0]):
        raise UserError(
            f"{memory}: frames need {needed} bytes, {free} are free",
            "free some, or lower families.frame_storage.scale: frames in config/profiles/<profile>.yaml",
        )


def drawn(repetition: Repetition, memory: Path) -> Path:
    """The folder of the drawn frames, which is kept for the next store."""
    content, sequence = repetition.factors["content"], sequence_of(repetition.factors)

    def make(folder: Path) -> None:
        with repetition.step("draw", cold=False):
            _call(repetition, _START_SECONDS + _SLOWEST * sequence.frames, "draw", folder, "--content", content["name"])

    return media.kept(["frames", content, asdict(replace(sequence, frames=sequence.distinct))], memory, make)


def _call(repetition: Repetition, limit: float, task: str, frames: Path, *words: Any) -> dict[str, float]:
    """What the program answers; raises Unsupported where a filter is missing, Failed where it fails."""
    sequence = sequence_of(repetition.factors)
    given = ["--memory", frames, "--seed", repetition.factors["content"]["seed"], *words]
    given += [word for name, value in asdict(sequence).items() for word in (f"--{name}", value)]
    done = repetition.run(
        [*programs.PYTHON, "-m", frame_program.__name__, task, *map(str, given)], limit, (0, frame_program.UNAVAILABLE)
    )
    if done.exit_code:
        raise Unsupported(f"{task}: {done.stderr.strip()}: the Python package hdf5plugin brings filters")
    return json.loads(done.stdout)


class Work:
    """One experiment, on what is drawn in the folder `frames`; `memory` is an empty folder, in memory too."""

    def __init__(self, repetition: Repetition, frames: Path, memory: Path) -> None:
        self.repetition, self.frames, self.memory = repetition, frames, memory
        self.sequence = sequence_of(repetition.factors)
        self.name, self.store = repetition.factors["store"]["name"], STORES[repetition.factors["store"]["name"]]
        self.repacked = repetition.factors["writer"] == "h5repack"
        self.target = repetition.testbed.mount_point / TARGETS.get(self.store.kind, "frames.h5")
        self.source = memory / "source.h5"
        self.limit = _START_SECONDS + _SLOWEST * self.sequence.frames

    def run(self) -> None:
        """Measure everything; raises Unsupported without a filter, Failed."""
        if self.repacked:
            with self.repetition.step("draw", cold=False):
                self._call("source", "--target", self.source)
        volume.make(self.repetition, self.limit, cold=False)
        volume.mount(self.repetition, self.limit, cold=False)
        self._write()
        if self.store.kind == "hdf5":
            self._verify()
        for way in frame_program.READS:
            self._read(way)
        self._check()
        self._rewrite()
        self._flip()
        volume.unmount(self.repetition, self.limit)

    def _call(self, task: str, *words: Any) -> dict[str, float]:
        return _call(self.repetition, self.limit, task, self.frames, *words)

    def _stored(self, task: str, *words: Any) -> dict[str, float]:
        return self._call(task, "--store", self.name, "--target", self.target, *words)

    def _write(self) -> None:
        before = self.repetition.testbed.transferred()  # the kernel also writes between the steps
        with self.repetition.step("write") as write:
            if self.repacked:
                words = self.store.repacking(self.sequence.shape)
                self.repetition.run([*_with_plugins("h5repack"), *words, self.source, self.target], self.limit)
                seconds = write.seconds
            else:
                report = self._stored("write")
                seconds, write.cpu_seconds = report["seconds"], report["cpu_seconds"]
        with self.repetition.step("sync", cold=False) as sync:
            self.repetition.run(["sync", "-f", self.repetition.testbed.mount_point], self.limit)
        folder = self.store.kind in FOLDERS
        files, size = fill_check.tally(self.target) if folder else (1, self.target.stat().st_size)
        wanted = 1 if not folder else files if self.store.kind == "zarr" else self.sequence.frames
        written = self.repetition.testbed.transferred().since(before).written_bytes
        self.repetition.require("completeness", files == wanted, files, wanted, "1", "files that hold the frames")
        self.repetition.require(
            "cold_proof",
            written >= size,
            written,
            size,
            "B",
            "bytes that the device wrote until the sync ended, by its own counter, against the files",
        )
        fill_check.require_space(self.repetition)
        self.repetition.measure("stored_bytes", size)
        self.repetition.measure("write_frames_per_second", self.sequence.frames / (seconds + sync.seconds))
        self.repetition.measure_work("write", write, sync)

    def _verify(self) -> None:
        """Another build of the library opens the file, and decodes the first sample as it was drawn."""
        with self.repetition.step("witness", cold=False):
            self.repetition.run(["h5stat", self.target], self.limit)
            back = self.memory / "sample.raw"
            self.repetition.run(
                [
                    *_with_plugins("h5dump"),
                    "-d",
                    f"/{DATASET}",
                    "-s",
                    "0,0,0,0",
                    "-c",
                    "1,1,1,1",
                    "-b",
                    "NATIVE",
                    "-o",
                    back,
                    self.target,
                ],
                self.limit,
            )
        sample = self.sequence.dtype.itemsize
        with (self.frames / SAMPLES).open("rb") as file:
            decoded, drawn = (int.from_bytes(data, sys.byteorder) for data in (back.read_bytes(), file.read(sample)))
        self.repetition.require(
            "content", decoded == drawn, decoded, drawn, "1", "the first sample, as h5dump of the package decodes it"
        )

    def _read(self, way: str) -> None:
        with self.repetition.step(way) as read:
            report = self._stored(way)
            read.cpu_seconds = report["cpu_seconds"]
        frames, least = report["frames"], report["least_bytes"]
        self._require_intact(report["intact"], report["held"], f"{_INTACT}, of the last that were read")
        self.repetition.require(
            "cold_proof",
            read.read_bytes >= least,
            read.read_bytes,
            least,
            "B",
            "bytes that the device read, from its own counter, against those that hold the answer",
        )
        self.repetition.measure(f"{way}_frames_per_second", frames / report["seconds"])
        self.repetition.measure_work(way, read)
        if way == "row":
            self.repetition.measure("play_late_ratio", report["late"] / frames)

    def _check(self) -> None:
        """All frames are read again to be compared: that takes longer than to read them."""
        with self.repetition.step("witness", cold=False):
            report = self._stored("check")
        self._require_intact(report["intact"], report["frames"], _INTACT)

    def _rewrite(self) -> None:
        with self.repetition.step("rewrite"):
            report = self._stored("rewrite")
        self._require_intact(report["intact"], 1, "frames that were written again and read back")
        self.repetition.measure("rewrite_seconds", report["seconds"])

    def _flip(self) -> None:
        """One bit of the stored files is flipped, another one in each repetition."""
        with self.repetition.step("flip", cold=False):
            at = self._stored("flip", "--seed", SEED + self.repetition.number)["at"]
        with self.repetition.step("damaged"):
            report = self._stored("damaged")
        self.repetition.measure("flip_frames_count", report["frames"])
        self.repetition.measure("flip_lost_bytes", report["lost_bytes"])
        self.repetition.note({"flip.at": at, "flip.noticed": bool(report["noticed"])})

    def _require_intact(self, intact: float, wanted: float, what: str) -> None:
        self.repetition.require("content", intact == wanted, intact, wanted, "1", what)


def _with_plugins(tool: str) -> list[str]:
    """A tool of the package that finds the filters of the Python package, without loading that one."""
    found = find_spec("hdf5plugin")
    return ["env", f"HDF5_PLUGIN_PATH={Path(found.origin).parent / 'plugins' if found and found.origin else ''}", tool]
