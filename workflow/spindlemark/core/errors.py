"""The one exception that means: the user can mend this. And how each of our commands tells it."""

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

MARK = "spindlemark: error: "
# DuckDB and Hugo tell a disk's state in words only; they, Python and the C library share these.
DISK = {
    "no space left on device": ("the disk is full", "free some space there"),
    "disk quota exceeded": ("your quota of this disk is used up", "free some space there"),
    "read-only file system": ("the disk is read-only", "make it writable or work in a clone elsewhere"),
    "no usable temporary directory": (
        "no folder for temporary files can be written",
        "free some space there or name another folder in TMPDIR",
    ),
}
# Something else lies where a file or folder of the project belongs, or it may not be read or changed.
IN_THE_WAY = {
    errno.EISDIR,
    errno.ENOTDIR,
    errno.EEXIST,
    errno.ELOOP,
    errno.EACCES,
    errno.EPERM,
    errno.ENXIO,
    errno.ENAMETOOLONG,
}
PLACE = re.compile(r"[^\s\"'\\:;,()\[\]]*/[^\s\"'\\:;,()\[\]]+")
LEAST_FREE = 64 << 10  # bytes: with less not even a log can be written


def plain(text: str) -> str:
    """`text` with control characters written out: what others wrote must not command the terminal that shows it."""
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode("ascii") for c in text)


class UserError(Exception):
    """Bad input or a bad machine state, with what to do about it; commands print it and exit with 2.

    What lies in the project is told by its path from there.
    """

    def __init__(self, problem: str, remedy: str) -> None:
        self.problem, self.remedy = (plain(text.replace(f"{paths.ROOT}/", "")) for text in (problem, remedy))
        super().__init__(f"{self.problem}\n  {self.remedy}")


class WorkflowError(Exception):
    """A defect of the program in one of its stages; carries the end of the log."""


class ProfileError(UserError):
    """What a profile asks for cannot be: the problem begins with the key, and who knows the profile names its file."""

    def of(self, profile: str) -> UserError:
        """The same, told with the file."""
        return UserError(f"config/profiles/{profile}.yaml: {self.problem}", self.remedy)


def command(main: Callable[[], int | None]) -> None:
    """Run a stage's command: a UserError is printed with a mark that the engine finds in logs, exit code 2."""
    with exit_on_user_error():
        sys.exit(main() or 0)


@contextmanager
def exit_on_user_error() -> Iterator[None]:
    """The same for a part of a program, as where Snakemake reads the rules: it would make another exit code of it."""
    try:
        yield
    except Exception as error:
        told = as_user_error(error)
        if told is None:
            events.emit("defect", traceback="".join(traceback.format_exception(error)))
            raise
        events.emit("user_error", problem=told.problem, remedy=told.remedy)
        with suppress(OSError):  # the log may lie on the disk that is full
            print(f"{MARK}{told}", file=sys.stderr, flush=True)
        sys.exit(2)


def as_user_error(error: BaseException) -> UserError | None:
    """`error` as what the user can mend: itself, the full or read-only disk behind it, or what lies in the place of a
    file or folder of the project; None for a defect.
    """
    if isinstance(error, UserError):
        return error
    if isinstance(error, OSError) and error.errno in IN_THE_WAY and (place := _written(error)) and _is_ours(place):
        return UserError(
            f"{place}: cannot be used: {error.strerror}",
            "move it away, or make it a place that can be read and written to; then run the same again",
        )
    text = str(error)
    for words, (problem, remedy) in DISK.items():
        before, found, _ = text.lower().partition(words)
        if found:
            return _of_disk(_written(error) or _last_path(text[: len(before)]) or _fullest(), problem, remedy)
    return None


def disk_full() -> UserError | None:
    """For a program that broke without a word: a disk on which nothing can be written any more."""
    place = _fullest()
    return _of_disk(place, *DISK["no space left on device"]) if shutil.disk_usage(place).free < LEAST_FREE else None


def _of_disk(place: str | Path, problem: str, remedy: str) -> UserError:
    return UserError(f"{place}: {problem}", f"{remedy}, and run the same again: what was finished before is kept")


def _written(error: BaseException) -> str | None:
    """The file that an OSError names: the second one of a copy, which is where it wrote."""
    name = getattr(error, "filename2", None) or getattr(error, "filename", None)
    return str(name) if name else None


def _is_ours(name: str) -> bool:
    return Path(name).is_relative_to(paths.ROOT) and Path(name) != paths.ROOT


def _last_path(text: str) -> str | None:
    """The path in the line that ends with `text`, the one nearest to its end."""
    found = PLACE.findall(text.rpartition("\n")[2])
    return found[-1] if found else None


def _fullest() -> Path:
    """A failed write names no file: of the folders that we may write to, the one with the least space."""
    named = [paths.BUILD, paths.RELEASES, *(Path(word) for word in sys.argv[1:] if "/" in word)]
    with suppress(OSError):  # there is none that can be written
        named.append(Path(tempfile.gettempdir()))
    folders = {next(p for p in (name, *name.parents) if p.is_dir()) for name in named}
    return min(sorted(folders), key=lambda folder: shutil.disk_usage(folder).free)


def find_in_log(text: str) -> list[str]:
    """The distinct user errors in a log, each with its indented lines, the last of which is the remedy."""
    found: list[list[str]] = []
    inside = False
    for line in text.splitlines():
        if MARK in line:  # behind the rest of a line that a full disk cut off, if it lies there
            found.append([line.partition(MARK)[2]])
            inside = True
        elif inside and line.startswith("  "):
            found[-1].append(line)
        else:
            inside = False
    return list(dict.fromkeys("\n".join(lines) for lines in found))


def parts(told: str) -> tuple[str, str]:
    """Problem and remedy of a user error as found in a log."""
    problem, _, remedy = told.rpartition("\n")
    return (problem, remedy.strip()) if problem else (remedy, "see the log")
