"""Machine ID: a keyed hash, so that samples of two machines are kept apart and the machine stays anonymous."""

import hashlib
import hmac
import os
from functools import cache
from pathlib import Path
from uuid import uuid4

from spindlemark.core import atomic_write, dry_run, private_files

# The identity of the system. machine-id(5) asks to publish only a keyed hash of it.
SYSTEM = (Path("/etc/machine-id"), Path("/var/lib/dbus/machine-id"))
OWN = private_files.STATE / "machine-id"  # where the system has none, for example in a container
_PURPOSE = b"spindlemark: which machine a sample was measured on"
_DIGITS = 12


@cache
def identity(files: tuple[Path, ...] = SYSTEM, own: Path = OWN) -> str | None:
    """Return 12 hex digits that are the same for each project on this machine.

    Return None where only root could read or create the identity, and in a dry run before it was created.
    """
    for file in (*files, own):
        if name := _read(file):
            return hmac.new(name.encode(), _PURPOSE, hashlib.sha256).hexdigest()[:_DIGITS]
    if os.geteuid() != 0 or dry_run.active():
        return None
    private_files.folder(own.parent)
    atomic_write.write(own, uuid4().hex)
    return identity.__wrapped__(files, own)


def _read(file: Path) -> str:
    """Return the content of the file, or an empty text. An image that never booted has an empty file or "uninitialized"."""
    try:
        word = file.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""
    return "" if word == "uninitialized" else word
