"""Room for a library: what it needs against the free space and inodes of a folder."""

import os
from pathlib import Path
from typing import Any

from spindlemark.core.errors import UserError
from spindlemark.core.space import capacity
from spindlemark.families.shared.media.file_sizes import sizes
from spindlemark.families.shared.media.library_factors import needed_inodes


def needed_bytes(library: dict[str, Any], block: int = 4096) -> int:
    """Bytes that the library takes where space comes in blocks of `block` bytes, one block for each directory."""
    return int((-(-sizes(library) // block)).sum() + library["directories"]) * block


def require(library: dict[str, Any], folder: Path, kept: int = 0) -> None:
    """Raise UserError unless `folder` has room for the library and for `kept` bytes more."""
    stat = os.statvfs(folder)
    free, needed = capacity(folder)[0], needed_bytes(library, stat.f_frsize)
    if needed + kept > free:
        raise no_space(library, folder, needed, free, kept)
    inodes = needed_inodes(library)
    if stat.f_files and inodes > stat.f_favail:
        raise UserError(
            f"{folder}: library {library['name']} needs {inodes} inodes, {stat.f_favail} are free", _remedy(library)
        )


def no_space(library: dict[str, Any], folder: Path, needed: int, free: int, kept: int = 0) -> UserError:
    """The error that says what is short and where to change it."""
    spare = f" and {kept} must stay free" if kept else ""
    return UserError(
        f"{folder}: library {library['name']} needs {needed} bytes, {free} are free{spare}", _remedy(library)
    )


def _remedy(library: dict[str, Any]) -> str:
    return (
        f"free some, name another source_directory in config/testbeds/<name>.yaml, or lower files or size under "
        f"libraries.{library['name']} in config/profiles/<profile>.yaml"
    )
