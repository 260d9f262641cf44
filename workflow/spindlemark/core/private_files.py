"""Folders and files that only root can write to: state of the machine, shared by all projects on it."""

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

RUN = Path("/run/spindlemark")  # emptied at each boot
STATE = Path("/var/lib/spindlemark")  # kept
MARK = "trusted.spindlemark"  # extended attribute of everything that this program created: see testbeds/mark.py
WRITE, ANY = 0o022, 0o077  # what others may not do


def folder(path: Path, mode: int = 0o755) -> Path:
    """Return the folder, created if missing; raises UserError if another user owns it or can write to it."""
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
    """Yield a descriptor of a folder that only we can change; raises UserError for any other folder and for a link.

    Owner and mode are read from the descriptor, so that a folder put in its place meanwhile is not accepted. With
    `inside`, the descriptor of its parent, only the last part of the path is looked up.
    """
    try:
        descriptor = os.open(
            path if inside is None else path.name,
            os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC,
            dir_fd=inside,
        )
    except OSError as error:
        raise UserError(f"{path}: is not a folder of this program: {error.strerror}", "move it away") from None
    try:
        _require_ours(path, os.fstat(descriptor), forbidden)
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def file(path: Path) -> Iterator[int]:
    """Yield a descriptor to read and write the file, created if missing, in a folder that only we can change.

    Raises UserError for anything else at that path (a link, a FIFO, a file of another user), and never blocks.
    """
    with opened(folder(path.parent)) as parent:
        try:
            descriptor = os.open(
                path.name, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600, dir_fd=parent
            )
        except OSError as error:
            raise UserError(f"{path}: is not a file of this program: {error.strerror}", "move it away") from None
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise UserError(f"{path}: is not a file of this program", "move it away")
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
    """Store `content` under a name until it is removed or the machine restarts. Only root can read it."""
    path = _note(name)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    with file(partial) as descriptor:
        os.ftruncate(descriptor, 0)
        os.write(descriptor, json.dumps({"boot": boot(), "content": content}).encode())
    partial.replace(path)


def read_note(name: str) -> dict[str, Any]:
    """Return the note that was stored under the name since the last boot; empty if there is none."""
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
    """Remove a note, if there is one."""
    _note(name).unlink(missing_ok=True)


def remove_partial_notes() -> None:
    """Remove the notes that killed processes were writing."""
    for partial in RUN.glob(".*.json.[0-9]*.partial"):
        if not Path("/proc", partial.name.split(".")[-2]).exists():
            partial.unlink(missing_ok=True)


@cache
def boot() -> str:
    """ID of this boot of the kernel."""
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def _note(name: str) -> Path:
    return RUN / f"{name}.json"


def _require_ours(path: Path, found: os.stat_result, forbidden: int) -> None:
    if found.st_uid != os.geteuid() or found.st_mode & forbidden:
        raise UserError(
            f"{path}: belongs to another user, or others can write to it", "move it away, or change its owner and mode"
        )
