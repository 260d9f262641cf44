"""Libraries kept between repetitions. The caller holds the machine's lock, so no other process works here.

<source_directory>/spindlemark-<number of the project>/
    <hash of factors>/     a whole library: it grows under another name
    <hash of a key>        anything else that takes long to make

The folder is ours alone, so that whatever is in it was made by this program. It is opened once, and what is asked and
the content of the opened folder is deleted: nothing put in its place meanwhile is taken for it.
"""

import hashlib
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from spindlemark.core import paths, private_files, space
from spindlemark.core.errors import UserError
from spindlemark.core.record import canonical
from spindlemark.families.shared.media import library_space
from spindlemark.families.shared.media.library_writer import generate

SCRATCH, UNFINISHED = "scratch", "unfinished"
# Raised when the generator makes other files from the same factors.
GENERATOR = 1


def cached(library: dict[str, Any], source_directory: Path, keep_bytes: int | None = None) -> Path:
    """A folder below `source_directory` that holds the complete library; makes it when it is not there yet.

    Deletes the others: the kernel looks through every page in memory each time caches are dropped.
    `keep_bytes` must stay free (default: a quarter of the memory where the folder is in memory). Raises UserError when
    the library does not fit even so, or when another user could change it.
    """
    name = _name(library)
    with _opened(Path(source_directory)) as (base, inside):
        if not _is_whole(library, inside):
            private_files.empty(inside)
            library_space.require(library, base, space.required_free(base) if keep_bytes is None else keep_bytes)
            generate(library, base / name)
    return base / name


def kept(key: Any, source_directory: Path, make: Callable[[Path], None]) -> Path:
    """A folder below `source_directory` that `make` fills, kept until something else is wanted. Deletes the others.

    `key`: all that its content depends on, in types of JSON.
    """
    name = hashlib.sha256(canonical(["kept", key]).encode()).hexdigest()[:16]
    with _opened(Path(source_directory)) as (base, inside):
        if not (base / name).is_dir():
            private_files.empty(inside)
            os.mkdir(UNFINISHED, 0o700, dir_fd=inside)
            make(base / UNFINISHED)
            os.rename(UNFINISHED, name, src_dir_fd=inside, dst_dir_fd=inside)
    return base / name


def is_whole(library: dict[str, Any], source_directory: Path) -> bool:
    """Whether the library that was made below `source_directory` is still there with every file, folder and byte."""
    with _opened(Path(source_directory)) as (_, inside):
        return _is_whole(library, inside)


def folder(source_directory: Path) -> Path:
    """The folder of this project's libraries, made unless it is there."""
    with _opened(Path(source_directory)) as (base, _):
        return base


def clear(source_directory: Path) -> None:
    """Delete every library below `source_directory` that this project made, the unfinished ones too.

    Raises UserError when the folder in their place belongs to another user; that one is left alone.
    """
    base = Path(source_directory) / paths.folder_name()
    if not os.path.lexists(base):
        return
    with _opened(base.parent) as (_, inside):
        private_files.empty(inside)
        base.rmdir()


@contextmanager
def scratch(source_directory: Path) -> Iterator[Path]:
    """An empty folder in memory for as long as the context lasts; `clear` takes what a crash leaves of it."""
    with _opened(Path(source_directory)) as (base, inside):
        _remove(SCRATCH, inside)
        os.mkdir(SCRATCH, 0o700, dir_fd=inside)
        try:
            yield base / SCRATCH
        finally:
            _remove(SCRATCH, inside)


@contextmanager
def _opened(source_directory: Path) -> Iterator[tuple[Path, int]]:
    """Path and descriptor of the project's folder, made unless it is there.

    No other user can look into it, or move it away: else the path would not lead there for long.
    """
    base = source_directory / paths.folder_name()
    try:
        parent = os.open(source_directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise UserError(
            f"{source_directory}: {error.strerror}",
            "create it, or change source_directory in config/testbeds/<name>.yaml",
        ) from None
    try:
        _require_firm(source_directory, parent)
        with suppress(FileExistsError):
            os.mkdir(base.name, 0o700, dir_fd=parent)
        with private_files.opened(base, parent, private_files.ANY) as inside:
            yield base, inside
    finally:
        os.close(parent)


def _require_firm(source_directory: Path, descriptor: int) -> None:
    found = os.fstat(descriptor)
    sticky, ours = found.st_mode & stat.S_ISVTX, found.st_uid in (0, os.geteuid())
    if not ours or (found.st_mode & private_files.WRITE and not sticky):
        raise UserError(
            f"{source_directory}: another user can move away its content",
            "name a folder of root, or a sticky one as /dev/shm, as source_directory in config/testbeds/<name>.yaml",
        )


def _name(library: dict[str, Any]) -> str:
    return hashlib.sha256(canonical([GENERATOR, library]).encode()).hexdigest()[:16]


def _is_whole(library: dict[str, Any], inside: int) -> bool:
    return _tally(_name(library), inside) == (library["files"], library["directories"], library["total"])


def _tally(name: str, inside: int) -> tuple[int, int, int] | None:
    """(files, directories, bytes) of the library; None when there is none."""
    files, directories, size = 0, 0, 0
    try:
        for _, folders, names, descriptor in os.fwalk(name, onerror=_raise, dir_fd=inside):
            directories += len(folders)
            files += len(names)
            size += sum(os.stat(each, dir_fd=descriptor, follow_symlinks=False).st_size for each in names)
    except FileNotFoundError:
        return None
    return files, directories, size


def _raise(error: OSError) -> None:
    raise error


def _remove(name: str, inside: int) -> None:
    with suppress(FileNotFoundError):
        shutil.rmtree(name, dir_fd=inside)
