"""The recovery state of an HDF5 file after a crash: as its edit promises, or repairable, or lost.

Verification is by h5dump -A of the package hdf5-tools, not the library that edited. It sees all attributes and the shape of
groups and datasets, and no values of datasets, which no edit of attributes touches.
"""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from spindlemark.core import durability
from spindlemark.core.process import programs
from spindlemark.families.hdf5_edit.editor import onion
from spindlemark.families.hdf5_edit.editor.atomicity import backup_of

DUMP, CLEAR = "h5dump", "h5clear"
LIMIT_SECONDS = 60
Outcome = Literal["kept", "mended", "by_hand", "lost"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
BEFORE, AFTER, OTHER, UNREADABLE = "before", "after", "other", "unreadable"


class Found(NamedTuple):
    """`state` of the file without any repair: before, after, after-<k>-commands, other, unreadable; `outcome` after any repair.

    kept: without any repair it is as promised. `mended`: h5clear, or unlocking a history, makes it so. by_hand: a whole copy is
    next to it, or the file below its damaged history, and a person has to take it. lost: none of these. `rule_loses`: taking the
    copy whenever there is one, as a rule without a look, leaves nothing that was promised.
    """

    state: str
    outcome: Outcome
    rule_loses: bool


@dataclass(frozen=True)
class Known:
    """What the file is after 0, 1, ... all commands, as `dumped`, and what its edit promises."""

    texts: Sequence[str]
    level: str
    backup: str

    def promised(self, acknowledged: int) -> set[int]:
        """Numbers of commands after which the file may be whole, when so many were acknowledged; level no promises nothing.

        There any whole number of commands counts as whole.
        """
        last = len(self.texts) - 1
        if acknowledged >= last:
            return {last}
        return {
            durability.NO: set(range(last + 1)),
            durability.YES: {0, last},
            durability.INC: {acknowledged, acknowledged + 1},
            durability.SWMR: {acknowledged, acknowledged + 1},
        }[self.level]

    def commands(self, text: str | None) -> int | None:
        """After how many commands the file looks so; None for no such number."""
        return self.texts.index(text) if text in self.texts else None

    def name(self, text: str | None) -> str:
        """The state's name."""
        if text is None:
            return UNREADABLE
        number = self.commands(text)
        names = {None: OTHER, 0: BEFORE, len(self.texts) - 1: AFTER}
        return names.get(number, f"after-{number}-commands")


def dumped(path: Path) -> str | None:
    """What h5dump -A says of a file, without its name; None where it cannot read it."""
    done = _run([DUMP, "-A", str(path)])
    return done.partition("\n")[2] if done is not None else None


Tool = Callable[[Sequence[str]], object]


def tool(words: Sequence[str]) -> None:
    """The editor, with its own words, in a new process: a damaged history may crash the library."""
    _run([*programs.PYTHON, "-m", "spindlemark.families.hdf5_edit.editor.worker", *words])


def judge(path: Path, known: Known, acknowledged: int, work: Path, editor: Tool = tool) -> Found:
    """Judge the file `path` after a crash; so many of its commands were acknowledged.

    Nothing next to `path` is changed: all is tried on copies in `work`, a folder that is removed. `editor` runs the
    editor, for example to open histories.
    """
    good = known.promised(acknowledged)
    work.mkdir()
    try:
        text = _as_it_lies(path, work, editor)
        if known.commands(text) in good:
            outcome: Outcome = "kept"
        elif known.commands(_mended(path, work, editor)) in good:
            outcome = "mended"
        elif known.commands(_by_hand(path)) in good:
            outcome = "by_hand"
        else:
            outcome = "lost"
        loses = known.commands(dumped(backup_of(path))) not in good if backup_of(path).exists() else outcome == "lost"
        return Found(known.name(text), outcome, rule_loses=loses)
    finally:
        shutil.rmtree(work)


def _as_it_lies(path: Path, work: Path, editor: Tool) -> str | None:
    if not onion.history(path).exists():
        return dumped(path)
    return _exported(_copied(path, work / "seen"), work, editor)


def _mended(path: Path, work: Path, editor: Tool) -> str | None:
    """After the tool that is made for it: h5clear -s, or our own for a locked history."""
    copy = _copied(path, work / "mended")
    if onion.history(copy).exists():
        return _exported(copy, work, editor, "--unlock")
    _run([CLEAR, "-s", str(copy)])
    return dumped(copy)


def _by_hand(path: Path) -> str | None:
    """What a person finds: the copy, or the file below its history."""
    if backup_of(path).exists():
        return dumped(backup_of(path))
    return dumped(path) if onion.history(path).exists() else None


def _copied(path: Path, folder: Path) -> Path:
    folder.mkdir()
    for name in (path, onion.history(path), path.with_name(path.name + onion.RECOVERY)):
        if name.exists():
            shutil.copyfile(name, folder / name.name)
    return folder / path.name


def _exported(path: Path, work: Path, editor: Tool, *words: str) -> str | None:
    """The newest revision of a history."""
    target = work / "exported"
    target.unlink(missing_ok=True)
    editor([str(path), *words, "--export", str(target)])
    return dumped(target) if target.exists() else None


def _run(argv: Sequence[str]) -> str | None:
    """What a program printed; None where it failed, crashed or did not end."""
    try:
        done = programs.run(
            argv, stdout=programs.PIPE, stderr=programs.DEVNULL, timeout=LIMIT_SECONDS, text=True, errors="replace"
        )
    except programs.TimeoutExpired:
        return None
    return done.stdout if done.returncode == 0 else None
