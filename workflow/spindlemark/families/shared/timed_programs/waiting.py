"""Wait for programs of a trial, and notice when one of them has ended before its time."""

import time
from collections.abc import Sequence
from pathlib import Path

from spindlemark.core.outcome import Failed
from spindlemark.core.process.interrupts import interruptible
from spindlemark.families.shared.timed_programs import clocks
from spindlemark.testbeds.background import Background

_LOOK_SECONDS, _WATCH_SECONDS = 0.05, 0.5


def sleep_until(moment: float, running: Sequence[Background]) -> None:
    """Sleep until `moment` of CLOCK_MONOTONIC; raises Failed soon after one of them has ended."""
    while (left := moment - time.monotonic()) > 0:
        clocks.sleep_until(min(moment, time.monotonic() + _WATCH_SECONDS))
        if left > _WATCH_SECONDS:
            for each in running:
                each.require()


def until_files(running: Sequence[Background], files: Sequence[Path], seconds: float) -> None:
    """Wait until all files are there; raises Failed when a program ended instead, or in time nothing came."""
    limit = time.monotonic() + seconds
    with interruptible():
        while missing := [file for file in files if not file.exists()]:
            for each in running:
                each.require()
            if time.monotonic() > limit:
                raise Failed(f"{missing[0].stem} had not ended after {seconds:g} s")
            time.sleep(_LOOK_SECONDS)
