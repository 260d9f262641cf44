"""Family `frame_storage`: speed and size of an image sequence, as loose files or as frames of one HDF5 file, by layout and filter.

What was decided, and why:

- Frames are drawn by seed in memory (`sequence.py`), so that only the disk that is measured has to keep up.
  Content and bits decide what a filter gains, so they are factors.
- Loose files hold the samples alone, without the header that DPX or TIFF would put before them: no decoder is timed.
- `python` writes frame by frame, as a recorder does, HDF5 by h5py; `h5repack` makes the file out of a contiguous one in
  memory, as archives do. Both are read by h5py.
- What writes and reads in Python times itself: its own start and the check of the frames are not in any figure. h5repack
  is timed from its start to its end. The sync of the filesystem belongs to writing.
- h5repack prints nothing when it lacks a filter, and stores without it: the file must have the requested filters.
- The package's h5stat and h5dump verify the file: they open the file and decode a sample by another build of HDF5.
  More than one sample takes h5dump seconds, since it decodes a chunk larger than its cache again for each.
- All frames are read once in order, once in random order, and then a patch in the middle of each: on cold caches.
"""

import json
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pydantic import Field

from spindlemark.core import space
from spindlemark.core.errors import UserError
from spindlemark.core.outcome import Unsupported
from spindlemark.core.process import programs
from spindlemark.core.record import Closed
from spindlemark.families.factors import volume
from spindlemark.families.factors.filesystem import FILESYSTEM
from spindlemark.families.factors.scheduler import SCHEDULER
from spindlemark.families.family import Family
from spindlemark.families.frame_storage import frame_program
from spindlemark.families.frame_storage.frame_metrics import METRICS
from spindlemark.families.frame_storage.layouts import DATASET, LOOSE, PLUGINS, STORES
from spindlemark.families.frame_storage.sequence import DIGESTS, SAMPLES, Sequence
from spindlemark.families.shared import media
from spindlemark.families.shared.choices import require_known
from spindlemark.families.shared.media import pictures
from spindlemark.harness import fill_check
from spindlemark.harness.repetition import Repetition

METHOD = 2
FACTORS = (FILESYSTEM, SCHEDULER)
PACKAGE, VERIFIERS = "hdf5-tools", ("h5stat", "h5dump")
TOOLS = {PACKAGE: ("h5repack", "--version"), **{name: programs.version_of(name) for name in ("h5py", "hdf5plugin")}}

FORMATS = {
    "540p-8-bit": (540, 960, 8),
    "540p-12-bit": (540, 960, 12),
    "1080p-8-bit": (1080, 1920, 8),
    "1080p-12-bit": (1080, 1920, 12),
    "2160p-12-bit": (2160, 3840, 12),
}
WRITERS = ("python", "h5repack")
# Longest time of one command: as if a frame took five seconds. A hung tool is what it must find.
_START_SECONDS, _SLOWEST = 120.0, 5.0


class Scale(Closed):
    """How long the sequence is."""

    frames: int = Field(ge=2, le=10_000, description="frames of the sequence")


def factors(chosen: dict[str, str], scale: Scale, size: int) -> dict[str, Any]:
    """Store, writer, content and format; raises UserError naming what is not known or does not fit."""
    known: dict[str, Any] = {"store": STORES, "writer": WRITERS, "content": pictures.CONTENTS, "format": FORMATS}
    where = "config/experiments/frame_storage.yaml: sets: factors"
    require_known(chosen, known, "frame_storage")
    if (chosen["store"], chosen["writer"]) == (LOOSE, "h5repack"):
        raise UserError(f"{where}: writer: h5repack makes no loose files", "use python for them, in a set of their own")
    height, width, bits = FORMATS[chosen["format"]]
    sequence = Sequence(scale.frames, height, width, bits)
    fill_check.require_fit(sequence.payload, size, f"{scale.frames} frames of {chosen['format']}", "frame_storage")
    store = STORES[chosen["store"]]
    return {
        "store": {"name": chosen["store"], "cut": store.cut, "filters": list(store.repack)},
        "writer": chosen["writer"],
        "content": {"name": chosen["content"], "seed": 1},
        "format": {"name": chosen["format"], "height": height, "width": width, "bits": bits},
        "frames": scale.frames,
    }


def expected(factors: dict[str, Any], size: int) -> tuple[float, float]:
    """Seconds at any speed, and bytes moved: starts of Python, drawing and coding; written once and read twice."""
    sequence = _sequence(factors)
    return 4.0 + 6e-8 * sequence.payload, 3.0 * sequence.payload


def recipe(settings: Mapping[str, str]) -> list[str]:
    """What stores a sequence so: the words of h5py, or of h5repack."""
    store = STORES.get(settings.get("store.name", ""))
    if store is None:
        return []
    if settings["store.name"] == LOOSE:
        return ["# One file for each frame: its samples, row by row."]
    shape = (int(settings["format.height"]), int(settings["format.width"]), 3)
    if settings.get("writer") == "h5repack":
        return [f"HDF5_PLUGIN_PATH={PLUGINS} h5repack {' '.join(store.repacking(shape))} INPUT.h5 OUTPUT.h5"]
    words = {"chunks": store.chunk(shape), **store.python}
    options = ", ".join(f"{name}={value!r}" for name, value in words.items()).replace(
        "'", '"'
    )  # the shell's quotes enclose it
    kind = "u1" if settings["format.bits"] == "8" else "u2"
    return [
        "# The empty file, in which frame n is then file['frames'][n]; FRAMES is how many there are.",
        f"""python3 -c 'import h5py, hdf5plugin; h5py.File("OUTPUT.h5", "w").create_dataset("{DATASET}", """
        f"""(FRAMES, {", ".join(map(str, shape))}), "{kind}", {options})'""",
    ]


def steps(repetition: Repetition) -> None:
    """Draw the frames, store them on a new filesystem, let others open them, and read them in three ways."""
    volume.require(repetition)
    repetition.need_tools(["h5repack", *VERIFIERS], PACKAGE)
    with media.scratch(Path(repetition.declared.source_directory)) as memory:
        _Work(repetition, memory).run()


def _sequence(factors: dict[str, Any]) -> Sequence:
    return Sequence(factors["frames"], *(factors["format"][key] for key in ("height", "width", "bits")))


class _Work:
    """One experiment, on what is drawn in the folder `memory`."""

    def __init__(self, repetition: Repetition, memory: Path) -> None:
        self.repetition, self.memory, self.sequence = repetition, memory, _sequence(repetition.factors)
        self.name, self.store = repetition.factors["store"]["name"], STORES[repetition.factors["store"]["name"]]
        self.repacked = repetition.factors["writer"] == "h5repack"
        self.target = repetition.testbed.mount_point / ("frames" if self.name == LOOSE else "frames.h5")
        self.source = memory / "source.h5"
        self.limit = _START_SECONDS + _SLOWEST * self.sequence.frames

    def run(self) -> None:
        self._require_room()
        with self.repetition.step("draw", cold=False):
            self._call("draw", "--content", self.repetition.factors["content"]["name"])
            if self.repacked:
                self._call("source", "--target", self.source)
        volume.make(self.repetition, self.limit, cold=False)
        volume.mount(self.repetition, self.limit, cold=False)
        self._write()
        if self.name != LOOSE:
            self._verify()
        for way in frame_program.READS:
            self._read(way)

    def _require_room(self) -> None:
        """Frames are in memory, once more as HDF5 for h5repack, and once more in the one that reads them."""
        needed = (3 if self.repacked else 2) * self.sequence.payload + space.required_free(self.memory)
        if needed > (free := space.capacity(self.memory)[0]):
            raise UserError(
                f"{self.memory.parent}: frames need {needed} bytes, {free} are free",
                "free some, or lower families.frame_storage.scale: frames in config/profiles/<profile>.yaml",
            )

    def _call(self, task: str, *words: Any) -> dict[str, float]:
        """What the worker answers; raises Unsupported where a filter is missing, Failed where it fails."""
        f = self.sequence
        given = [
            "--memory",
            self.memory,
            "--frames",
            f.frames,
            "--height",
            f.height,
            "--width",
            f.width,
            "--bits",
            f.bits,
            "--seed",
            self.repetition.factors["content"]["seed"],
            *words,
        ]
        done = self.repetition.run(
            [*programs.PYTHON, "-m", frame_program.__name__, task, *map(str, given)],
            self.limit,
            (0, frame_program.UNAVAILABLE),
        )
        if done.exit_code:
            raise Unsupported(
                f"{task}: {self.name}: {done.stderr.strip()}: the Python package hdf5plugin brings filters"
            )
        return json.loads(done.stdout)

    def _stored(self, task: str) -> dict[str, float]:
        return self._call(task, "--store", self.name, "--target", self.target)

    def _write(self) -> None:
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
        files, size = fill_check.tally(self.target) if self.name == LOOSE else (1, self.target.stat().st_size)
        wanted = self.sequence.frames if self.name == LOOSE else 1
        written = write.written_bytes + sync.written_bytes
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
        with (self.memory / SAMPLES).open("rb") as file:
            decoded, drawn = (int.from_bytes(data, sys.byteorder) for data in (back.read_bytes(), file.read(sample)))
        self.repetition.require(
            "content", decoded == drawn, decoded, drawn, "1", "the first sample, as h5dump of the package decodes it"
        )

    def _read(self, way: str) -> None:
        with self.repetition.step(way) as read:
            report = self._stored(way)
            read.cpu_seconds = report["cpu_seconds"]
        frames, least = self.sequence.frames, report["least_bytes"]
        self.repetition.require(
            "content",
            report["intact"] == frames,
            report["intact"],
            frames,
            "1",
            f"frames whose SHA-256 matches that of the drawn frame in {DIGESTS}",
        )
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


def _with_plugins(tool: str) -> list[str]:
    """A tool of the package that finds the filters of the Python package, without loading that one."""
    found = find_spec("hdf5plugin")
    return ["env", f"HDF5_PLUGIN_PATH={Path(found.origin).parent / 'plugins' if found and found.origin else ''}", tool]


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
