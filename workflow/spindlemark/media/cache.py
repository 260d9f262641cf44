"""Libraries kept between repetitions. The caller holds the testbed's lock, so nobody else is at work here.

<source_directory>/spindlemark-sources/<hash of factors>/
    .spindlemark-source    says that the folder is ours; first to come, last to go
    library/               the files
    complete.json          written last: factors, files and bytes; its modification time is that of the last use
"""

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from spindlemark.errors import UserError
from spindlemark.media import space
from spindlemark.media.writer import generate
from spindlemark.record import canonical

FOLDER = "spindlemark-sources"
MARKER = ".spindlemark-source"
COMPLETE = "complete.json"
LIBRARY = "library"
# Raised when the generator makes other files from the same factors.
GENERATOR = 1
# Share of the tmpfs or of the memory that stays free when the caller says nothing else.
KEPT_FREE = 0.25


def cached(library: dict[str, Any], source_directory: Path, keep_bytes: int | None = None) -> Path:
    """A folder below `source_directory` that holds the complete library; makes it when it is not there yet.

    Deletes the others: the kernel looks through every page that lies in memory each time caches are dropped. `keep_bytes`
    must stay free (default: a quarter of the filesystem, or of the memory if it is smaller). Raises UserError when the
    library does not fit even so.
    """
    base = _base(Path(source_directory))
    entry = base / hashlib.sha256(canonical([GENERATOR, library]).encode()).hexdigest()[:16]
    if not _is_complete(entry, library):
        _remove(entry)
        _make_room(base, library, keep_bytes)
        _make(entry, library)
    return entry / LIBRARY


def clear(source_directory: Path) -> None:
    """Delete every library below `source_directory` that this program made, the unfinished ones too."""
    base = Path(source_directory) / FOLDER
    if not base.is_dir() or base.is_symlink():
        return
    for entry in base.iterdir():
        _remove(entry, only_ours=True)
    if not any(base.iterdir()):
        base.rmdir()


@contextmanager
def scratch(source_directory: Path) -> Iterator[Path]:
    """An empty folder in memory for as long as the context lasts; `clear` takes what a crash leaves of it."""
    entry = _base(Path(source_directory)) / "scratch"
    _remove(entry)
    entry.mkdir()
    try:
        (entry / MARKER).touch()
        yield entry
    finally:
        _remove(entry)


def _base(source_directory: Path) -> Path:
    if not source_directory.is_dir():
        raise UserError(f"{source_directory}: no such folder",
                        "create it, or change source_directory in config/testbeds/<name>.yaml")
    base = source_directory / FOLDER
    base.mkdir(mode=0o700, exist_ok=True)
    stat = base.lstat()
    if base.is_symlink() or not base.is_dir() or stat.st_uid != os.geteuid():
        raise UserError(f"{base}: belongs to somebody else", "delete it, or change source_directory in "
                                                             "config/testbeds/<name>.yaml")
    return base


def _is_complete(entry: Path, library: dict[str, Any]) -> bool:
    """True if the entry was finished with these factors and still has as many files, folders and bytes."""
    try:
        stored = json.loads((entry / COMPLETE).read_text(encoding="utf-8"))
        expected = (library["files"], library["directories"], library["total"])
        return stored == library and _tally(entry / LIBRARY) == expected
    except (OSError, ValueError):
        return False


def _tally(folder: Path) -> tuple[int, int, int]:
    """(files, directories, bytes) below `folder`."""
    files, directories, size, todo = 0, 0, 0, [os.fspath(folder)]
    while todo:
        with os.scandir(todo.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    directories += 1
                    todo.append(entry.path)
                else:
                    files += 1
                    size += entry.stat(follow_symlinks=False).st_size
    return files, directories, size


def _make(entry: Path, library: dict[str, Any]) -> None:
    entry.mkdir()
    try:
        (entry / MARKER).touch()
        generate(library, entry / LIBRARY)
        written = entry / f"{COMPLETE}.new"
        written.write_text(json.dumps(library), encoding="utf-8")
        written.rename(entry / COMPLETE)
    except BaseException:
        _remove(entry)
        raise


def _make_room(base: Path, library: dict[str, Any], keep_bytes: int | None) -> None:
    for entry in base.iterdir():
        _remove(entry, only_ours=True)
    space.require(library, base, int(space.capacity(base)[1] * KEPT_FREE) if keep_bytes is None else keep_bytes)


def _remove(entry: Path, only_ours: bool = False) -> None:
    """Delete an entry, its marker last, so that a removal that is cut short can be ended later.

    An entry without marker goes only if it is empty: a kill between its creation and its marker leaves that. Another
    one is not ours; `only_ours` leaves it alone, otherwise it is in the way and raises UserError.
    """
    if not entry.is_symlink() and not entry.exists():
        return
    ours = entry.is_dir() and not entry.is_symlink() and ((entry / MARKER).is_file() or not any(entry.iterdir()))
    if not ours:
        if only_ours:
            return
        raise UserError(f"{entry}: was not made by this program", "move it away")
    (entry / COMPLETE).unlink(missing_ok=True)
    for child in entry.iterdir():
        if child.is_dir() and not child.is_symlink():
            shutil.rmtree(child)
        elif child.name != MARKER:
            child.unlink()
    (entry / MARKER).unlink(missing_ok=True)
    entry.rmdir()
