"""`data/build/running.json`: what is measured at this moment. For progress bar and clean-up."""

import json
import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from spindlemark.paths import ROOT, RUNNING, spec_path
from spindlemark.record import Spec

_place = RUNNING


def use(path: Path) -> None:
    """Write to `path` instead, as inside a virtual machine, which cannot write to the project."""
    global _place
    _place = path


def say(spec: Spec, repetition: int, step: str, started: datetime) -> None:
    """Replace the file with the present step."""
    e = spec.experiment
    _place.parent.mkdir(parents=True, exist_ok=True)
    partial = _place.with_suffix(".partial")
    partial.write_text(json.dumps({
        "experiment": e.experiment, "repetition": repetition, "step": step,
        "started_at": started.isoformat(), "pid": os.getpid(),
        "folder": str(spec_path(e.testbed, e.family, e.experiment, spec.identity).parent)}))
    partial.replace(_place)


def folders_of_crashed() -> Iterator[Path]:
    """The folder in which a process that crashed may have left an unfinished record."""
    try:
        yield ROOT / json.loads(_place.read_text())["folder"]
    except (OSError, ValueError, KeyError):
        return  # nothing crashed here


def forget() -> None:
    """Remove the file: nothing is measured any more."""
    _place.with_suffix(".partial").unlink(missing_ok=True)
    _place.unlink(missing_ok=True)
