"""Libraries for the guest: made on the host once, sent as one archive, kept in the guest's memory."""

import json
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from spindlemark.config import VmTestbed
from spindlemark.core import atomic_write
from spindlemark.core.errors import UserError
from spindlemark.core.process.interrupts import interruptible
from spindlemark.families.shared import media

SENT = "sent.json"
# Of the guest's memory: what all libraries may take together. The rest is for the page cache and the tools.
SHARE = 0.4


@contextmanager
def sent(factors: Mapping[str, Any], folder: Path, declared: VmTestbed) -> Iterator[dict[str, Any]]:
    """The request's words about the library: the archive to unpack, whether the guest is to forget the others first.

    Raises UserError when the library is too large for the guest's memory.
    """
    none = {"library": None, "forget": False}
    library = factors.get("library")
    if library is None:
        yield none
        return
    room, size = int(SHARE * declared.memory), media.needed_bytes(library)
    if size > room:
        raise UserError(
            f"library {library['name']} needs {size} bytes of the guest's memory, {room} are for it",
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
