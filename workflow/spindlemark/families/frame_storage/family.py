"""Family `frame_storage`: speed, size and robustness of an image sequence, as separate files or as frames of one file.

What was decided, and why:

- Frames are drawn by seed in memory (`sequence.py`), so that only the disk that is measured has to keep up. 48 different ones
  are repeated: no format compares frames with others, and ten seconds of 4K do not fit into memory.
  Content and bits decide what a filter gains, so they are factors.
- Loose files hold the samples alone: no decoder is timed. DPX has them after a head; OpenEXR, FFV1 and Zarr are those of the
  libraries that most programs use (OpenEXR, FFmpeg by PyAV, zarr), all without loss.
- `python` writes frame by frame, as a recorder does, HDF5 by h5py; `h5repack` makes the file out of a contiguous one in
  memory, as archives do. Both are read by h5py. Other formats have only the first.
- What writes and reads in Python times itself: its own start and the check of the frames are not in any figure. h5repack
  is timed from its start to its end. The sync of the filesystem belongs to writing.
- h5repack prints nothing when it lacks a filter, and stores without it: the file must have the requested filters.
- The package's h5stat and h5dump verify the file: they open the file and decode a sample by another build of HDF5.
  More than one sample takes h5dump seconds, since it decodes a chunk larger than its cache again for each.
- All frames are read once in order; then single frames in random order, and a patch in the middle of some: on cold caches.
- At the end one frame is written again, and one bit is flipped below the format: how many frames it costs, and who notices.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field

from spindlemark.core.errors import UserError
from spindlemark.core.process import programs
from spindlemark.core.record import Closed
from spindlemark.families.factors import volume
from spindlemark.families.factors.filesystem import FILESYSTEM
from spindlemark.families.factors.scheduler import SCHEDULER
from spindlemark.families.family import Family
from spindlemark.families.frame_storage import frame_recipes
from spindlemark.families.frame_storage.frame_metrics import METRICS
from spindlemark.families.frame_storage.frame_steps import Work, drawn, require_room, sequence_of
from spindlemark.families.frame_storage.layouts import STORES
from spindlemark.families.frame_storage.sequence import Sequence
from spindlemark.families.shared import media
from spindlemark.families.shared.choices import require_known
from spindlemark.families.shared.media import pictures
from spindlemark.harness import fill_check
from spindlemark.harness.repetition import Repetition

METHOD = 4
FACTORS = (FILESYSTEM, SCHEDULER)
PACKAGE, VERIFIERS = "hdf5-tools", ("h5stat", "h5dump")
LIBRARIES = ("av", "h5py", "hdf5plugin", "openexr", "zarr")
TOOLS = {PACKAGE: ("h5repack", "--version"), **{name: programs.version_of(name) for name in LIBRARIES}}

FORMATS = {
    "540p-8-bit": (540, 960, 8),
    "540p-12-bit": (540, 960, 12),
    "1080p-8-bit": (1080, 1920, 8),
    "1080p-12-bit": (1080, 1920, 12),
    "2160p-12-bit": (2160, 3840, 12),
}
WRITERS = ("python", "h5repack")
# Seconds for each byte of the frames, all steps together, as tried with 4K on two processors.
_CODING = {"ffv1": 7.5e-8, "exr": 6e-8, "gzip": 6e-8, "szip": 6e-8, "zstd": 4e-8}


class Scale(Closed):
    """How long the sequence is."""

    frames: int = Field(ge=2, le=10_000, description="frames of the sequence")


def factors(chosen: dict[str, str], scale: Scale, size: int) -> dict[str, Any]:
    """Store, writer, content and format; raises UserError naming what is not known or does not fit."""
    known: dict[str, Any] = {"store": STORES, "writer": WRITERS, "content": pictures.CONTENTS, "format": FORMATS}
    where = "config/experiments/frame_storage.yaml: sets: factors"
    require_known(chosen, known, "frame_storage")
    store, (height, width, bits) = STORES[chosen["store"]], FORMATS[chosen["format"]]
    if store.kind != "hdf5" and chosen["writer"] == "h5repack":
        raise UserError(
            f"{where}: writer: h5repack makes no {chosen['store']}", "use python for it, in a set of its own"
        )
    if store.kind == "exr" and bits == 8:
        raise UserError(f"{where}: store: exr has no samples of 8 bits", "use it with 12 bits, in a set of its own")
    sequence = Sequence(scale.frames, height, width, bits)
    fill_check.require_fit(sequence.payload, size, f"{scale.frames} frames of {chosen['format']}", "frame_storage")
    filters = list(store.repack) if store.kind == "hdf5" else []
    return {
        "store": {"name": chosen["store"], "cut": store.cut, "filters": filters},
        "writer": chosen["writer"],
        "content": {"name": chosen["content"], "seed": 1},
        "format": {"name": chosen["format"], "height": height, "width": width, "bits": bits},
        "frames": scale.frames,
    }


def expected(factors: dict[str, Any], size: int) -> tuple[float, float]:
    """Seconds at any speed, and bytes moved: starts of Python, drawing and coding; written once and read three times."""
    sequence = sequence_of(factors)
    return 8.0 + _CODING.get(factors["store"]["name"], 1e-8) * sequence.payload, 5.0 * sequence.payload


def most_repetitions(factors: Mapping[str, Any]) -> int | None:
    """Once in a session where coding ten seconds of 4K takes a quarter of an hour: the processor's time varies little."""
    return 1 if factors["format"]["name"].startswith("2160p") and factors["store"]["name"] in _CODING else None


def steps(repetition: Repetition) -> None:
    """Draw the frames, store them on a new filesystem, let others open them, and read them in three ways."""
    volume.require(repetition)
    repetition.need_tools(["h5repack", *VERIFIERS], PACKAGE)
    memory = Path(repetition.declared.source_directory)
    require_room(repetition, memory)
    frames = drawn(repetition, memory)
    with media.scratch(memory) as folder:
        Work(repetition, frames, folder).run()


FAMILY = Family(
    method=METHOD,
    metrics=METRICS,
    steps=steps,
    expected=expected,
    shared=FACTORS,
    scale=Scale,
    factors=factors,
    most_repetitions=most_repetitions,
    tools=TOOLS,
    recipe=frame_recipes.recipe,
)
