"""The step that cuts the power: the testbed's device gets what a recorded disk had."""

import json
from pathlib import Path

from spindlemark.core.process import programs
from spindlemark.families.shared.crash import cut_program
from spindlemark.harness.repetition import Repetition


def give(repetition: Repetition, log: Path, end: int, image: Path, limit: float, *seed: str) -> dict[str, int]:
    """Run the step `cut`: the device gets what the disk had when its log had `end` bytes; returns the program's report.

    `image` is a file that does not exist, for the time of the step. With a `seed` the disk had a volatile cache.
    """
    with repetition.step("cut", cold=False) as step, repetition.testbed.claimed() as device:
        argv = [*programs.PYTHON, "-m", cut_program.__name__, log, str(end), image, device, *seed]
        done = json.loads(repetition.run(argv, limit).stdout)
    image.unlink()
    repetition.require(
        "completeness",
        step.written_bytes >= done["copied"],
        step.written_bytes,
        done["copied"],
        "B",
        "bytes that the device wrote, from its own counter, against those that it was given",
    )
    return done
