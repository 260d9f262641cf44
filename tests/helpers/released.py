"""Releases of this project as plain files, for tests that read their records."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from spindlemark.core.paths import RELEASES
from spindlemark.release import manifest


@cache
def records_of(version: str) -> Path:
    """A folder with every spec and record of a release; made once."""
    folder = Path(tempfile.mkdtemp(prefix="spindlemark-records-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for path, content in manifest.records(RELEASES / version):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder
