"""What all targets of a deployment have in common: a branch of a repository, a folder, an archive."""

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from spindlemark.core.errors import UserError

EMPTY = "a folder without files"  # stands for the digest of one, which only matters where a file is to be
FOREIGN = "no ordinary file"  # stands for the digest of a link, pipe or submodule, which is never followed or replaced
NAME = re.compile(r"[^/\\\x00-\x1f\x7f]+(/[^/\\\x00-\x1f\x7f]+)*")


class Target(Protocol):
    """A target, opened once. Paths are relative to the site's root, with / between folders."""

    name: str

    def listing(self) -> dict[str, str]:
        """Return path -> digest of each file that is there now."""

    def digest(self, file: Path) -> str:
        """Return the digest that a local file would have there."""

    def read(self, path: str, most: int) -> bytes:
        """Return the first `most` bytes of the file at `path`."""

    def put(self, site: Path, paths: list[str], message: str) -> None:
        """Add or replace these files of `site`, in this order, and nothing else; raises UserError if it cannot."""


def sha256(file: Path) -> str:
    """Return the hexadecimal SHA-256 of a file, for targets without digests of their own."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def require_names(names: Iterable[str], where: str) -> None:
    """Raise UserError for a path that could lead out of the target or that some systems cannot store."""
    for name in names:
        if not NAME.fullmatch(name) or {".", "..", ".git"} & set(name.split("/")):
            raise UserError(
                f"{where}: {name!r} is not a valid name for a file of a site", "deploy to a target of its own"
            )
