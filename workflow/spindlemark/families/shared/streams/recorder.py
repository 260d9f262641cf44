"""How the recorder program is called."""

from pathlib import Path

from spindlemark.core.process import programs
from spindlemark.families.shared.streams import recorder_program
from spindlemark.harness.repetition import Repetition

# As if the device wrote 2 MB/s. A hung filesystem is what it must find.
_START_SECONDS, _SLOWEST_BYTES = 300.0, 2e6


def record(
    repetition: Repetition,
    folder: Path,
    target: int,
    *,
    tuners: int,
    block: int,
    flush: int,
    smallest: int,
    largest: int,
    budget: int,
    seed: int,
) -> int:
    """Record `target` bytes into `folder` (see recorder.py), and sync the filesystem, as commands of the present step.

    Returns the bytes recorded: the last recordings are not cut short. Raises Failed with the system's
    words when the filesystem refuses, as when it is full.
    """
    values = {
        "tuners": tuners,
        "block": block,
        "flush": flush,
        "smallest": smallest,
        "largest": largest,
        "budget": budget,
        "target": target,
        "seed": seed,
    }
    words = [word for name, value in values.items() for word in (f"--{name}", str(value))]
    reserve = ["--preallocate"] if repetition.factors["filesystem"].get("preallocate", False) else []
    folder.mkdir(exist_ok=True)
    limit = _START_SECONDS + target / _SLOWEST_BYTES
    done = repetition.run(
        [*programs.PYTHON, str(Path(recorder_program.__file__)), str(folder), *words, *reserve], limit
    )
    repetition.run(["sync", "-f", str(folder)], limit)
    return int(done.stdout)
