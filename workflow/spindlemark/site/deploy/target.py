"""What every place has in common where a site is put: a branch of a repository, a folder, an archive."""

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from spindlemark.core.errors import UserError

FOREIGN = "no ordinary file"  # the digest of a link, a pipe, a submodule: never followed, never replaced
NAME = re.compile(r"[^/\\\x00-\x1f\x7f]+(/[^/\\\x00-\x1f\x7f]+)*")


class Target(Protocol):
    """A place, opened once. Paths are relative to the site's root, with / between folders."""

    words: str

    def listing(self) -> dict[str, str]:
        """Path -> digest of what is there now."""

    def digest(self, file: Path) -> str:
        """The digest that a file of this machine would have there."""

    def read(self, path: str, most: int) -> bytes:
        """The first `most` bytes of what is at `path`."""

    def put(self, site: Path, paths: list[str], message: str) -> None:
        """Add or replace these files of `site`, in this order, and nothing else; raises UserError where it cannot."""


def sha256(file: Path) -> str:
    """The digest of a file where places have none of their own, in hexadecimal digits."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def require_names(names: Iterable[str], where: str) -> None:
    """Raises UserError for a path that could lead elsewhere or cannot be written everywhere."""
    for name in names:
        if not NAME.fullmatch(name) or {".", "..", ".git"} & set(name.split("/")):
            raise UserError(f"{where}: {name!r} is no name for a file of a site", "publish to a place of its own")
