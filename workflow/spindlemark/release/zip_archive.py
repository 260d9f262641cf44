"""Zip archives whose bytes depend only on their content."""

import zipfile
from collections.abc import Mapping
from pathlib import Path

# The earliest time of the format: the time of writing must not change the bytes.
MOMENT = (1980, 1, 1, 0, 0, 0)
ORDINARY, PROGRAM, FOLDER = 0o100644, 0o100755, 0o040755
LEVEL = 6


def pack(target: Path, files: Mapping[str, Path | bytes]) -> None:
    """Write `files` (name in the archive -> file or its bytes) to `target`, sorted by name; folders end in /."""
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name, MOMENT)
            entry.create_system, entry.compress_type = 3, zipfile.ZIP_DEFLATED  # 3: Unix, whose modes these are
            runs = isinstance(content, Path) and bool(content.stat().st_mode & 0o100)
            entry.external_attr = (FOLDER if name.endswith("/") else PROGRAM if runs else ORDINARY) << 16
            data = content.read_bytes() if isinstance(content, Path) else content
            archive.writestr(entry, data, compresslevel=LEVEL)
