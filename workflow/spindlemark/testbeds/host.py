"""Which machine this is, so that samples of two machines never meet in one cell, and nobody learns which it was."""

import hashlib
import hmac
import os
from functools import cache
from pathlib import Path
from uuid import uuid4

from spindlemark.core import atomic_write, dry_run, private_files

# The identity that the system gave itself; its manual asks to publish no more than a keyed hash of it (machine-id(5)).
SYSTEM = (Path("/etc/machine-id"), Path("/var/lib/dbus/machine-id"))
OWN = private_files.STATE / "machine-id"  # where the system gave itself none, as in a container
_PURPOSE = b"spindlemark: which machine a sample was measured on"
_DIGITS = 12


@cache
def identity(files: tuple[Path, ...] = SYSTEM, own: Path = OWN) -> str | None:
    """Hex digits that are the same for every project on this machine; None where only root could find out or note it.

    None, too, where somebody only looks and none was noted yet.
    """
    for file in (*files, own):
        if name := _read(file):
            return hmac.new(name.encode(), _PURPOSE, hashlib.sha256).hexdigest()[:_DIGITS]
    if os.geteuid() != 0 or dry_run.only():
        return None
    private_files.folder(own.parent)
    atomic_write.write(own, uuid4().hex)
    return identity.__wrapped__(files, own)


def _read(file: Path) -> str:
    """The file's word, empty where there is none (an image that was never started has an empty file, or this word)."""
    try:
        word = file.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""
    return "" if word == "uninitialized" else word
