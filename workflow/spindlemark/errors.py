"""The one exception that means: the user can mend this. And how each of our commands tells it."""

import contextlib
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from spindlemark import paths

MARK = "spindlemark: error: "
# DuckDB and Hugo tell a disk's state in words only; they, Python and the C library share these.
DISK = {"no space left on device": ("the disk is full", "free some space there"),
        "disk quota exceeded": ("your quota of this disk is used up", "free some space there"),
        "read-only file system": ("nothing can be written here, the filesystem is read-only",
                                  "make it writable, or work in a clone elsewhere"),
        "no usable temporary directory": ("no folder for temporary files can be written",
                                          "free some space there, or name another folder in TMPDIR")}
PLACE = re.compile(r"/[^\s\"'\\:;,]+")


class UserError(Exception):
    """Bad input or a bad machine state, with what to do about it; commands print it and exit with 2."""

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(f"{problem}\n  {remedy}")
        self.problem = problem
        self.remedy = remedy


def command(main: Callable[[], int | None]) -> None:
    """Run a stage's command: a UserError is printed with a mark that the engine finds in logs, exit code 2."""
    try:
        sys.exit(main() or 0)
    except Exception as error:
        told = error if isinstance(error, UserError) else of_disk(error)
        if told is None:
            raise
        with contextlib.suppress(OSError):  # the log may lie on the disk that is full
            print(f"{MARK}{told}", file=sys.stderr, flush=True)
        sys.exit(2)


def of_disk(error: BaseException) -> UserError | None:
    """A full or read-only disk behind `error` as a UserError that names the place; None for all else."""
    text = str(error)
    for words, (problem, remedy) in DISK.items():
        before, found, _ = text.lower().partition(words)
        if found:
            place = _written(error) or _last_path(text[:len(before)]) or _fullest()
            return UserError(f"{place}: {problem}", f"{remedy} and run the same again: what was finished before is kept")
    return None


def _written(error: BaseException) -> str | None:
    """The file that an OSError names: the second one of a copy, which is where it wrote."""
    name = getattr(error, "filename2", None) or getattr(error, "filename", None)
    return str(name) if name else None


def _last_path(text: str) -> str | None:
    """The path in the line that ends with `text`, the one nearest to its end."""
    found = PLACE.findall(text.rpartition("\n")[2])
    return found[-1] if found else None


def _fullest() -> Path:
    """A failed write names no file: of the folders that we write to, the one with the least space."""
    try:
        places = (paths.BUILD if paths.BUILD.exists() else paths.ROOT, Path(tempfile.gettempdir()))
    except OSError:  # no temporary folder can be written
        return Path("/tmp")
    return min(places, key=lambda place: shutil.disk_usage(place).free)


def find_in_log(text: str) -> list[str]:
    """The distinct user errors in a log, each with its indented lines, the last of which is the remedy."""
    found: list[list[str]] = []
    inside = False
    for line in text.splitlines():
        if line.startswith(MARK):
            found.append([line.removeprefix(MARK)])
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
