"""Folders and files of root that nobody else can write to: what is kept of a machine beside any project on it."""

import json
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from spindlemark.core.errors import UserError

RUN = Path("/run/spindlemark")  # forgotten with the kernel
STATE = Path("/var/lib/spindlemark")  # kept
MARK = "trusted.spindlemark"  # the attribute of what this program made: see testbeds/mark.py
WRITE, ANY = 0o022, 0o077  # what others may not do


def folder(path: Path, mode: int = 0o755) -> Path:
    """The folder, made unless it is there; raises UserError when somebody else owns it or can write to it."""
    try:
        path.mkdir(mode=mode, parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(
            f"{path}: cannot be made: {error.strerror}", "move away what is in its place; measuring needs root"
        ) from None
    with opened(path):
        return path


@contextmanager
def opened(path: Path, inside: int | None = None, forbidden: int = WRITE) -> Iterator[int]:
    """A descriptor of the folder, which is ours alone to change; raises UserError when it is not, or a link.

    Owner and mode are those of what was opened, so that nothing put in its place meanwhile is taken for it. With
    `inside`, the descriptor of its parent, only the last part of the path is looked up.
    """
    try:
        descriptor = os.open(
            path if inside is None else path.name,
            os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC,
            dir_fd=inside,
        )
    except OSError as error:
        raise UserError(f"{path}: is no folder of this program's: {error.strerror}", "move it away") from None
    try:
        _require_ours(path, os.fstat(descriptor), forbidden)
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def file(path: Path) -> Iterator[int]:
    """A descriptor to read and write the file, made unless it is there, in a folder that is ours alone to change.

    Raises UserError for anything else in its place (a link, a FIFO, somebody else's file), and never waits for it.
    """
    with opened(folder(path.parent)) as parent:
        try:
            descriptor = os.open(
                path.name, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600, dir_fd=parent
            )
        except OSError as error:
            raise UserError(f"{path}: is no file of this program's: {error.strerror}", "move it away") from None
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise UserError(f"{path}: is no file of this program's", "move it away")
        _require_ours(path, found, WRITE)
        yield descriptor
    finally:
        os.close(descriptor)


def empty(descriptor: int) -> None:
    """Delete everything in the opened folder. No link is followed, and no path is looked up again."""
    with os.scandir(descriptor) as entries:
        found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    for name, is_folder in found:
        if is_folder:
            shutil.rmtree(name, dir_fd=descriptor)
        else:
            os.unlink(name, dir_fd=descriptor)


def write_note(name: str, content: dict[str, Any]) -> None:
    """Keep `content` under a name until it is forgotten, or until the machine's next start. Only root can read it."""
    path = _note(name)
    partial = path.with_name(f".{path.name}.partial")
    with file(partial) as descriptor:
        os.ftruncate(descriptor, 0)
        os.write(descriptor, json.dumps({"boot": boot(), "content": content}).encode())
    partial.replace(path)


def read_note(name: str) -> dict[str, Any]:
    """What was noted under the name since this machine's start; nothing when there is no such note."""
    path = _note(name)
    if not os.path.lexists(path):
        return {}
    with file(path) as descriptor:
        text = os.pread(descriptor, os.fstat(descriptor).st_size, 0)
    with suppress(ValueError, KeyError, TypeError):
        kept = json.loads(text)
        if kept["boot"] == boot():
            return dict(kept["content"])
    return {}


def remove_note(name: str) -> None:
    """Take a note away, if there is one."""
    _note(name).unlink(missing_ok=True)


@cache
def boot() -> str:
    """What tells this start of the kernel from any other."""
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def _note(name: str) -> Path:
    return RUN / f"{name}.json"


def _require_ours(path: Path, found: os.stat_result, forbidden: int) -> None:
    if found.st_uid != os.geteuid() or found.st_mode & forbidden:
        raise UserError(
            f"{path}: belongs to somebody else, or others can write to it", "move it away, or change its owner and mode"
        )
