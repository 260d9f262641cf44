"""`data/build/running.json`: the current measurement, for the progress bar and the clean-up."""

import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Annotated

from pydantic import AwareDatetime, StringConstraints

from spindlemark.core import atomic_write
from spindlemark.core.errors import UserError
from spindlemark.core.limits import Slug, Text
from spindlemark.core.paths import ROOT, RUNNING, spec_path
from spindlemark.core.record import Closed, Spec, read_model

_place = RUNNING


class Running(Closed):
    """The content of the file."""

    experiment: Slug
    repetition: int
    step: Text
    started_at: AwareDatetime
    pid: int
    folder: Annotated[str, StringConstraints(pattern=r"^data/raw(/[A-Za-z0-9][A-Za-z0-9._+@-]*){4}$")]


def write_to(path: Path) -> None:
    """Write to `path` instead, for example inside a virtual machine, which cannot write to the project."""
    global _place
    _place = path


def write(spec: Spec, repetition: int, step: str, started: datetime) -> None:
    """Replace the file with the current step."""
    e = spec.experiment
    folder = spec_path(e.testbed, e.family, e.experiment, spec.identity).parent
    now = Running(
        experiment=e.experiment,
        repetition=repetition,
        step=step,
        started_at=started,
        pid=os.getpid(),
        folder=str(folder),
    )
    atomic_write.write(_place, now.model_dump_json())


def read() -> Running | None:
    """The current measurement, or the last one of a crashed process; None without one, or if the file cannot be read."""
    try:
        return read_model(Running, _place, "")
    except UserError:
        return None


def alive() -> Running | None:
    """The current measurement of a live process; None without one, or if only a crashed process left its file."""
    found = read()
    return found if found and Path(f"/proc/{found.pid}").exists() else None


def crashed_folders() -> Iterator[Path]:
    """Yield the folder in which a crashed process may have left an unfinished record."""
    if found := read():
        yield ROOT / found.folder


def remove() -> None:
    """Remove the file after a measurement. Raises UserError if something else has its name."""
    try:
        for path in (_place, *_place.parent.glob(f".{_place.name}.*{atomic_write.PARTIAL}")):
            path.unlink(missing_ok=True)
    except OSError as error:
        raise UserError(f"{error.filename}: cannot be removed: {error.strerror}", "move it away") from None
