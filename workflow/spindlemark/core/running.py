"""`data/build/running.json`: what is measured at this moment. For progress bar and clean-up."""

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
    """Write to `path` instead, as inside a virtual machine, which cannot write to the project."""
    global _place
    _place = path


def write(spec: Spec, repetition: int, step: str, started: datetime) -> None:
    """Replace the file with the present step."""
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
    """What is measured now, or was when the process that measured crashed; None where nothing is, or nobody can tell."""
    try:
        return read_model(Running, _place, "")
    except UserError:
        return None


def alive() -> Running | None:
    """What a process that is alive measures now; None where nothing is, or only a crashed process left its file."""
    found = read()
    return found if found and Path(f"/proc/{found.pid}").exists() else None


def crashed_folders() -> Iterator[Path]:
    """The folder in which a process that crashed may have left an unfinished record."""
    if found := read():
        yield ROOT / found.folder


def remove() -> None:
    """Remove the file: nothing is measured any more. Raises UserError where something else has its name."""
    try:
        for path in (_place, *_place.parent.glob(f".{_place.name}.*{atomic_write.PARTIAL}")):
            path.unlink(missing_ok=True)
    except OSError as error:
        raise UserError(f"{error.filename}: cannot be removed: {error.strerror}", "move it away") from None
