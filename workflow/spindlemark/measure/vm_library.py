"""Media libraries for the guest: generated once on the host, sent as one archive, kept in the guest's memory."""

import json
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from spindlemark.config import VmTestbed
from spindlemark.core import atomic_write
from spindlemark.core.errors import UserError
from spindlemark.core.process.interrupts import interruptible
from spindlemark.core.record import Experiment
from spindlemark.families import shared_factors
from spindlemark.families.shared import media

SENT = "sent.json"
SHARE = 0.4  # of the guest's memory for all libraries together; the page cache and the tools need the rest


@contextmanager
def sent(experiment: Experiment, folder: Path, declared: VmTestbed) -> Iterator[dict[str, Any]]:
    """Yield the request's fields for the library: the archive to unpack, whether the guest first deletes the others.

    Raises UserError when the library is too large for the guest's memory.
    """
    none = {"library": None, "forget": False}
    library = shared_factors.library(experiment.family, experiment.factors)
    if library is None:
        yield none
        return
    room, size = int(SHARE * declared.memory), media.needed_bytes(library)
    if size > room:
        raise UserError(
            f"library {library['name']} needs {size} bytes of the guest's memory, {room} are available for it",
            "raise memory in config/testbeds/<name>.yaml, or lower the library's scale for this testbed in "
            "config/profiles/<profile>.yaml",
        )
    with interruptible():
        entry = media.cached(library, _made(folder))
    there = _there(folder)
    if entry.name in there:
        yield none
        return
    forget = sum(there.values()) + size > room
    archive = folder / "shared" / f"{entry.name}.tar"
    with interruptible(), tarfile.open(archive, "w") as tar:
        tar.add(entry, entry.name)
    try:
        yield {"library": archive.name, "forget": forget}
        atomic_write.write(folder / SENT, json.dumps(({} if forget else there) | {entry.name: size}))
    finally:
        archive.unlink()


def _made(folder: Path) -> Path:
    made = folder / "sources"
    made.mkdir(exist_ok=True)
    return made


def _there(folder: Path) -> dict[str, int]:
    """Name -> bytes of each library that the guest has."""
    try:
        return json.loads((folder / SENT).read_text())
    except (OSError, ValueError):
        return {}
