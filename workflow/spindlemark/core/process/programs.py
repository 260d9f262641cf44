"""Programs: which are declared, where to find them, and the only place that starts them.

`envs/apt.yaml` declares them, each with its package, and a declared filesystem adds its own. No other program is started
on any machine, including virtual ones. This Python interpreter counts as declared.

Uses the standard library alone, so that it also runs during a timed command and before the environment exists.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from subprocess import DEVNULL, PIPE, STDOUT, CompletedProcess, TimeoutExpired
from typing import Any

from spindlemark.core.errors import UserError
from spindlemark.core.paths import PROJECT
from spindlemark.core.private_files import STATE

__all__ = [
    "DEVNULL",
    "LIST",
    "PIPE",
    "PYTHON",
    "STDOUT",
    "CompletedProcess",
    "Process",
    "TimeoutExpired",
    "Tool",
    "UndeclaredProgramError",
    "declare",
    "declared_tools",
    "environment",
    "find",
    "link_all",
    "packages",
    "resolve",
    "run",
    "run_in_copy",
    "search_path",
    "start",
    "version_of",
    "with_libraries",
]

LIST = PROJECT / "envs" / "apt.yaml"
HEADING = re.compile(r"([a-z]+):")
ENTRY = re.compile(r"  ([A-Za-z0-9._+-]+): ([a-z0-9][a-z0-9.+-]+)")
# A user's PATH lacks them on Debian, but mkfs is there.
SYSTEM_FOLDERS = ("/usr/local/sbin", "/usr/sbin", "/sbin")
# Packages that are not installed, because that would start a service; each is unpacked in its own folder, see unpacked.py.
UNPACKED = STATE / "packages"
_BINARIES, _LIBRARIES = ("usr/sbin", "usr/bin", "sbin"), ("usr/lib", "lib")
# The variable with the only folder of programs in the virtual machine, which contains the declared ones.
ONLY = "SPINDLEMARK_PROGRAMS"
_INTERPRETER = ("PYTHONHOME", "PYTHONPLATLIBDIR", "PYTHONDONTWRITEBYTECODE")
# This interpreter; with -P it imports no module from the working folder.
PYTHON = (sys.executable, "-P")
_VERSION = "import sys, importlib.metadata as m; print(*(found.version for found in m.Distribution.discover(name=sys.argv[1])))"
Process = subprocess.Popen
# Programs that start another one: the first argument that is neither an option nor a setting. No option has a separate value.
_WRAPPERS = ("env", "nsenter", "setpriv", "sudo", "unshare")
_of_filesystems: dict[str, str] = {}


class UndeclaredProgramError(RuntimeError):
    """A defect: code starts an undeclared program, which a machine may lack."""


@dataclass(frozen=True)
class Tool:
    """A program of the list, with its package."""

    name: str
    package: str
    group: str


def declared_tools(path: Path | None = None) -> list[Tool]:
    """Tools and shared libraries of the list, in its order; raises UserError naming an invalid line."""
    path, found, group = path or LIST, [], None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if heading := HEADING.fullmatch(line):
            group = heading[1]
        elif group and (entry := ENTRY.fullmatch(line)):
            found.append(Tool(entry[1], entry[2], group))
        else:
            raise UserError(
                f"{path}: line {number} is neither `group:` nor `  tool: package`", f"it is {line!r}: correct it"
            )
    return found


def packages() -> dict[str, str]:
    """Program -> package, of all programs that may be started."""
    return _declared() | _of_filesystems


def version_of(package: str) -> tuple[str, ...]:
    """The command that prints the version of a Python package, or nothing if it is not installed."""
    return (*PYTHON, "-c", _VERSION, package)


def declare(names: Iterable[str], package: str) -> None:
    """Allow the programs of a declared filesystem, each by name or by path."""
    _of_filesystems.update(dict.fromkeys(names, package))


def environment() -> dict[str, str]:
    """The variables of a timed command: the same on each machine, and in the virtual one where its Python has its modules."""
    kept = {key: os.environ[key] for key in _INTERPRETER if ONLY in os.environ and key in os.environ}
    return {"LC_ALL": "C", "HOME": "/", "PATH": search_path()} | kept


def search_path() -> str:
    """The folders that are searched for programs, in the format of PATH, without relative ones."""
    if ONLY in os.environ:
        return os.environ[ONLY]
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    unpacked = (str(package / place) for package in _unpacked() for place in _BINARIES)
    return os.pathsep.join([*(folder for folder in folders if folder.startswith("/")), *SYSTEM_FOLDERS, *unpacked])


def find(name: str) -> str | None:
    """Path of a program in `search_path`; None if it is missing."""
    return shutil.which(name, path=search_path())


def link_all(folder: Path) -> Path:
    """Create a folder with a link to each declared program of this machine: the PATH for programs that foreign code starts."""
    folder.mkdir()
    for name in packages():
        if "/" not in name and (found := find(name)):
            (folder / name).symlink_to(found)
    return folder


def resolve(argv: Sequence[str | Path]) -> str:
    """Path of the program that `argv` starts. If that is a wrapper, the program that it starts is checked too.

    Raises UndeclaredProgramError for an undeclared program, and UserError for a missing one.
    """
    named = [(name, _package(name)) for name in _programs_in([str(word) for word in argv])]
    found = [_at(name, search_path(), package) for name, package in named]  # all of them must exist, not only the first
    return found[0]


def run(argv: Sequence[str | Path], **how: Any) -> CompletedProcess:
    """Start a program and wait for it, with the arguments of subprocess.run.

    By default its input is empty and its folder is `/`, because many programs obey files in their folder and above, and
    the caller's may belong to someone else. Raises as `resolve` does.
    """
    settings: dict[str, Any] = {"executable": resolve(argv), "stdin": DEVNULL, "check": False, "cwd": "/"}
    return subprocess.run(argv, **settings | with_libraries(argv, how))


def start(argv: Sequence[str | Path], **how: Any) -> Process:
    """Start a program without waiting, with the arguments of subprocess.Popen and the defaults of `run`.

    Raises as `resolve` does.
    """
    settings: dict[str, Any] = {"executable": resolve(argv), "stdin": DEVNULL, "cwd": "/"}
    return subprocess.Popen(argv, **settings | with_libraries(argv, how))


def run_in_copy(task: Callable[[], int]) -> int:
    """Run `task` in a copy of this process and return the copy's process ID for os.waitpid; `task` returns its exit code.

    Cheaper than a new interpreter for each of many short tasks.
    """
    child = os.fork()
    if child == 0:
        os._exit(task())
    return child


def with_libraries(argv: Sequence[str | Path], how: dict[str, Any]) -> dict[str, Any]:
    """`how`, with the libraries of an unpacked program in `env`; unchanged for other programs."""
    for name in _programs_in([str(word) for word in argv]):
        found = find(name) or ""
        # The virtual machine finds links to the programs.
        path = next((path for path in (found, os.path.realpath(found)) if path.startswith(f"{UNPACKED}/")), None)
        if path:
            root = UNPACKED / Path(path).relative_to(UNPACKED).parts[0]
            folders = sorted({str(file.parent) for place in _LIBRARIES for file in (root / place).glob("**/*.so*")})
            environment = how.get("env")
            return how | {
                "env": dict(os.environ if environment is None else environment)
                | {"PATH": search_path(), "LD_LIBRARY_PATH": os.pathsep.join(folders)}
            }
    return how


def _unpacked() -> list[Path]:
    """Folders of the unpacked packages; an unfinished one starts with a dot."""
    return sorted(UNPACKED.glob("[!.]*")) if UNPACKED.is_dir() else []


def _programs_in(argv: Sequence[str | Path]) -> Iterator[str]:
    words = [str(word) for word in argv]
    yield words[0]
    if words[0] in _WRAPPERS:
        inner = next((n for n, word in enumerate(words) if n and not word.startswith("-") and "=" not in word), None)
        if inner is not None:
            yield from _programs_in(words[inner:])


def _package(name: str) -> str:
    package = "python3" if name == sys.executable else packages().get(name)
    if package is None:
        raise UndeclaredProgramError(f"{name} is declared neither in {LIST} nor by a filesystem")
    return package


@cache  # the time of a command includes this search
def _at(name: str, path: str, package: str) -> str:
    # `which` uses access(2), which ignores capabilities; this interpreter certainly can be executed.
    found = name if name == sys.executable else shutil.which(name, path=path)
    if found is None:
        raise UserError(f"{name}: no such tool", f"install the package that brings it: {package}")
    return found


@cache
def _declared() -> dict[str, str]:
    return {tool.name: tool.package for tool in declared_tools()}
