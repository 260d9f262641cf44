"""Writing a record or a spec: atomically and only once."""

import os
from collections.abc import Iterable
from pathlib import Path

from spindlemark.core import atomic_write
from spindlemark.core.errors import UserError
from spindlemark.core.record import Spec
from spindlemark.core.sync_folder import sync_folder

PARTIAL = ".partial"


def write_once(path: Path, text: str) -> None:
    """Write and sync a temporary file, then give it its name. Raises UserError if `path` exists."""
    partial = path.with_name(f".{path.name}{PARTIAL}")
    with partial.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(partial, path)  # unlike a rename it never replaces
    except FileExistsError:
        raise UserError(f"{path}: exists already, and a result is never overwritten", "move it away") from None
    finally:
        partial.unlink()
    sync_folder(path.parent)


def write_spec(path: Path, spec: Spec) -> None:
    """Write a spec and its folder; one that is there already stays, since its identity fixes its content."""
    if not path.exists():
        atomic_write.write(path, spec.model_dump_json(indent=1) + "\n")


def remove_partials(folders: Iterable[Path]) -> None:
    """Delete unfinished records of a crashed process; the caller holds the lock, so no process is writing one."""
    for folder in folders:
        for partial in folder.glob(f".rep-*.json{PARTIAL}"):
            partial.unlink(missing_ok=True)
