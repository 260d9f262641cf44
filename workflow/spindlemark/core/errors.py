"""`UserError`, for problems that the user can fix, and how commands report it."""

import errno
import re
import shutil
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from spindlemark.core import events, paths
from spindlemark.core.one_line import cut

MARK = "spindlemark: error: "
# DuckDB and Hugo report the state of a disk only as text, in the words of the C library.
DISK = {
    "no space left on device": ("the disk is full", "free some space there"),
    "disk quota exceeded": ("your quota of this disk is used up", "free some space there"),
    "read-only file system": ("the disk is read-only", "make it writable or work in a clone on another disk"),
    "no usable temporary directory": (
        "no folder for temporary files can be written",
        "free some space there or name another folder in TMPDIR",
    ),
}
# Something else has the name of a file or folder of the project, or it may not be read or changed.
IN_THE_WAY = {
    errno.EISDIR,
    errno.ENOTDIR,
    errno.EEXIST,
    errno.ELOOP,
    errno.EACCES,
    errno.EPERM,
    errno.ENXIO,
}
_PATH = re.compile(r"[^\s\"'\\:;,()\[\]]*/[^\s\"'\\:;,()\[\]]+")
LEAST_FREE = 64 << 10  # bytes: with less not even a log can be written


def plain(text: str) -> str:
    """Escape control characters: foreign text must not control the terminal that shows it."""
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode("ascii") for c in text)


class UserError(Exception):
    """Bad input or a bad machine state, and what to do about it. Commands print it and exit with code 2.

    Paths within the project are shown relative to its root.
    """

    def __init__(self, problem: str, remedy: str) -> None:
        self.problem, self.remedy = (plain(text.replace(f"{paths.ROOT}/", "")) for text in (problem, remedy))
        super().__init__(f"{self.problem}\n  {self.remedy}")


class WorkflowError(Exception):
    """A defect of the program in one of its stages; carries the end of the log."""


class ProfileError(UserError):
    """An impossible value in a profile. The problem starts with the key; the caller that knows the profile adds the file."""

    def of(self, profile: str) -> UserError:
        """The same error with the name of the profile's file."""
        return UserError(f"config/profiles/{profile}.yaml: {self.problem}", self.remedy)


def command(main: Callable[[], int | None]) -> None:
    """Run a stage's command. A UserError is printed with a mark for `find_in_log` and gives exit code 2."""
    with exit_on_user_error():
        sys.exit(main() or 0)


@contextmanager
def exit_on_user_error() -> Iterator[None]:
    """Do the same for a part of a program, such as reading the rules, where Snakemake would change the exit code."""
    try:
        yield
    except Exception as error:
        found = as_user_error(error)
        if found is None:
            events.emit("defect", traceback="".join(traceback.format_exception(error)))
            raise
        events.emit("user_error", problem=found.problem, remedy=found.remedy)
        with suppress(OSError):  # the log may be on the full disk
            print(f"{MARK}{found}", file=sys.stderr, flush=True)
        sys.exit(2)


def as_user_error(error: BaseException) -> UserError | None:
    """Convert `error` to a UserError: itself, a full or read-only disk, a name that is too long for a file, or a path of
    the project that cannot be used.

    Return None for a defect.
    """
    if isinstance(error, UserError):
        return error
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:  # the name itself is wrong, wherever it leads
        return UserError(f"{cut(_written(error) or '')}: the name is too long", "use a shorter name")
    if isinstance(error, OSError) and error.errno in IN_THE_WAY and (place := _written(error)) and _is_ours(place):
        return UserError(
            f"{place}: cannot be used: {error.strerror}",
            "move it away, or make it readable and writable; then run the same command again",
        )
    text = str(error)
    for words, (problem, remedy) in DISK.items():
        before, found, _ = text.lower().partition(words)
        if found:
            return _of_disk(_written(error) or _last_path(text[: len(before)]) or _fullest(), problem, remedy)
    return None


def disk_full() -> UserError | None:
    """An error if a disk has no space left: for a program that failed without a message."""
    place = _fullest()
    return _of_disk(place, *DISK["no space left on device"]) if shutil.disk_usage(place).free < LEAST_FREE else None


def _of_disk(place: str | Path, problem: str, remedy: str) -> UserError:
    return UserError(f"{place}: {problem}", f"{remedy}, and run the same command again: finished results are kept")


def _written(error: BaseException) -> str | None:
    """The file that an OSError names; of a copy the second one, which was being written."""
    name = getattr(error, "filename2", None) or getattr(error, "filename", None)
    return str(name) if name else None


def _is_ours(name: str) -> bool:
    return Path(name).is_relative_to(paths.ROOT) and Path(name) != paths.ROOT


def _last_path(text: str) -> str | None:
    """The last path in the last line of `text`."""
    found = _PATH.findall(text.rpartition("\n")[2])
    return found[-1] if found else None


def _fullest() -> Path:
    """The folder with the least free space, of those that we may write to: a failed write names no file."""
    named = [paths.BUILD, paths.RELEASES, *(Path(word) for word in sys.argv[1:] if "/" in word)]
    with suppress(OSError):  # none is writable
        named.append(Path(tempfile.gettempdir()))
    folders = {next(p for p in (name, *name.parents) if p.is_dir()) for name in named}
    return min(sorted(folders), key=lambda folder: shutil.disk_usage(folder).free)


def find_in_log(text: str) -> list[str]:
    """The distinct user errors in a log, each with its indented lines, the last of which is the remedy."""
    found: list[list[str]] = []
    inside = False
    for line in text.splitlines():
        if MARK in line:  # a full disk may have cut off the line before it
            found.append([line.partition(MARK)[2]])
            inside = True
        elif inside and line.startswith("  "):
            found[-1].append(line)
        else:
            inside = False
    return list(dict.fromkeys("\n".join(lines) for lines in found))


def parts(text: str) -> tuple[str, str]:
    """Problem and remedy of a user error as found in a log."""
    problem, _, remedy = text.rpartition("\n")
    return (problem, remedy.strip()) if problem else (remedy, "see the log")
