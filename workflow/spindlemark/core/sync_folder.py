"""Sync a folder, so that the names in it survive a power cut. Standard library alone, for programs of their own too."""

import os
from pathlib import Path


def sync_folder(folder: Path) -> None:
    """Sync the names of a folder; raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
