"""An edit under each of the promises, by each way of the backup."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import h5py

from spindlemark.core.durability import (
    BACKUPS,
    IN_THE_FILE,
    INC,
    LEVELS,
    NONE,
    ONION,
    RENAMED,
    SWMR,
    Durability,
    why_impossible,
)
from spindlemark.core.errors import UserError
from spindlemark.families.hdf5_edit.editor import alone, attributes, copying, onion
from spindlemark.families.hdf5_edit.editor.commands import Command

# What HDF5 says somewhere in its many lines, and what it means.
_CAUSES = {
    "unable to lock file": ("another program has it open", "end that one, and edit then"),
    "No space left on device": ("the disk is full", "free some space there"),
    "Disk quota exceeded": ("your quota of this disk is used up", "free some space there"),
    "Read-only file system": ("the disk is read-only", "make it writable, or edit a copy on another disk"),
    "Permission denied": ("it may not be written", "change its rights, or edit a copy"),
}


@dataclass(frozen=True)
class Watch:
    """What others want to know meanwhile: `done(commands)` when so many are safe, `fullest()` where most space is taken.

    `go_on()` is asked before each command, and raises what shall end the edit.
    """

    done: Callable[[int], None] = lambda commands: None
    fullest: Callable[[], None] = lambda: None
    go_on: Callable[[], None] = lambda: None


def backup_of(path: Path) -> Path:
    """The copy from which a file is restored."""
    return path.with_name(f".{path.name}.bck")


def aside_of(path: Path) -> Path:
    """The copy that is edited instead of a file."""
    return path.with_name(f".{path.name}.new")


def edit(path: Path, commands: Sequence[Command], durability: Durability, watch: Watch = Watch()) -> None:
    """Apply the commands to a file. Raises UserError; the file is then what the level promises."""
    if why := why_impossible(durability.level, durability.backup, durability.libver):
        raise UserError(why, f"levels: {', '.join(LEVELS)}; backups: {', '.join(BACKUPS)}")
    parts = [[command] for command in commands] if durability.level == INC else [commands]
    way = _onion if durability.backup == ONION else _renamed if durability.backup in RENAMED else _in_place
    with alone.only_edit(path.parent):
        for number, part in enumerate(parts, 1):
            try:
                way(path, part, durability, watch)
            except UserError as error:
                raise UserError(error.problem, f"{error.remedy}; {_left(durability.level, number - 1)}") from None
            watch.done(number if durability.level == INC else len(commands))


def _left(level: str, done: int) -> str:
    if level in IN_THE_FILE:
        return "commands before it may have changed the file"
    return f"the file is as after command {done}" if done else "the file is as it was"


def _in_place(path: Path, commands: Sequence[Command], durability: Durability, watch: Watch) -> None:
    backup = backup_of(path)
    with alone.unwritten(path):
        pass  # only a look: the library locks it itself
    if durability.backup == NONE:
        _apply(path, commands, durability, watch)
        watch.fullest()
        return
    try:
        copying.copy(path, backup, durability.backup, durability.sync)
    except FileExistsError:
        raise UserError(
            f"{backup}: an edit has not ended, and left it",
            f"see which is whole (h5dump -A): rename it to {path.name}, or remove it",
        ) from None
    with _restoring(path, backup, durability.sync):
        _apply(path, commands, durability, watch)
    watch.fullest()
    backup.unlink()
    if durability.sync:
        copying.sync_folder(path.parent)


@contextmanager
def _restoring(path: Path, backup: Path, sync: bool) -> Iterator[None]:
    try:
        yield
    except BaseException:
        backup.replace(path)
        if sync:
            copying.sync_folder(path.parent)
        raise


def _renamed(path: Path, commands: Sequence[Command], durability: Durability, watch: Watch) -> None:
    """What a killed edit left is worth nothing: the file itself was never touched."""
    aside = aside_of(path)
    with alone.unwritten(path):
        aside.unlink(missing_ok=True)
        copying.copy(path, aside, RENAMED[durability.backup], False)
        try:
            _apply(aside, commands, durability, watch)
            watch.fullest()
            aside.replace(path)
        except BaseException:
            aside.unlink(missing_ok=True)
            raise
    if durability.sync:
        copying.sync_folder(path.parent)


def _onion(path: Path, commands: Sequence[Command], durability: Durability, watch: Watch) -> None:
    with alone.unwritten(path):
        pass  # only a look: the library locks it itself
    if onion.history(path).exists() and onion.locked(path):
        raise UserError(
            f"{onion.history(path)}: an edit has not ended, and left it locked",
            "see what its last revision is: spindlemark-h5edit FILE --unlock",
        )
    before = onion.Kept(path)
    try:
        with _reported(path), onion.opened(path, write=True) as file:
            _all(file, commands, watch)
        with _reported(path), onion.opened(path, write=False) as file:
            attributes.require(file, commands[-1])
    except BaseException:
        before.restore()
        raise
    watch.fullest()
    if durability.sync:
        copying.sync_file(onion.history(path))
        copying.sync_file(path)
        copying.sync_folder(path.parent)


def _apply(path: Path, commands: Sequence[Command], durability: Durability, watch: Watch) -> None:
    with _reported(path), h5py.File(path, "r+", libver=(durability.libver, "latest"), locking=True) as file:
        if durability.level == SWMR:
            _flushed(path, file, commands, durability, watch)
        else:
            _all(file, commands, watch)
    if durability.sync:
        copying.sync_file(path)


def _flushed(path: Path, file: h5py.File, commands: Sequence[Command], durability: Durability, watch: Watch) -> None:
    """As a writer with readers: the file stays open, and each command is flushed."""
    file.swmr_mode = True
    for number, command in enumerate(commands, 1):
        watch.go_on()
        attributes.apply(file, command)
        file.flush()
        if durability.sync:
            copying.sync_file(path)
        watch.done(number)


def _all(file: h5py.File, commands: Sequence[Command], watch: Watch) -> None:
    for command in commands:
        watch.go_on()
        attributes.apply(file, command)


@contextmanager
def _reported(path: Path) -> Iterator[None]:
    """Report what the library refuses in one line."""
    try:
        yield
    except (OSError, RuntimeError, ValueError, KeyError) as error:
        for words, (why, remedy) in _CAUSES.items():
            if words in str(error):
                raise UserError(f"{path}: {why}", remedy) from None
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise UserError(
            f"{path}: HDF5 refuses the edit: {first}", "is it an HDF5 file that is whole (h5dump -A)?"
        ) from None
