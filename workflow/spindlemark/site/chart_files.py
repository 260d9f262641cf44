"""Files of charts and pictures, with the hash of their content as their name, so that versions share them."""

import hashlib
from pathlib import Path

from spindlemark.site import gzip_files

FOLDER = "charts"
JSON, PNG = ".json.gz", ".png"
Files = dict[str, bytes]  # address below the root of the site -> content, as it is before compression


def add(files: Files, content: bytes, suffix: str) -> str:
    """Add a file, and return its address."""
    place = f"{FOLDER}/{hashlib.sha256(content).hexdigest()[:32]}{suffix}"
    files[place] = content
    return place


def write(files: Files, static: Path) -> None:
    """Write files below `static`; JSON is compressed."""
    for place, content in files.items():
        target = static / place
        if place.endswith(JSON):
            gzip_files.write(target, content)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
