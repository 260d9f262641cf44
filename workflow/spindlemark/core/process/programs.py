"""Programs: which are declared, where they lie, and the one place where any of them is started.

`envs/apt.yaml` declares them, each with the package that brings it, and a declared filesystem brings its own. Any other
is started on no machine, the virtual one included. Python itself is declared by running this.

Uses the standard library alone, so that it also runs beside a timed command and before the environment exists.
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
GROUP = re.compile(r"([a-z]+):")
ENTRY = re.compile(r"  ([A-Za-z0-9._+-]+): ([a-z0-9][a-z0-9.+-]+)")
# Debian keeps a user's PATH free of them, but that is where mkfs lives.
SYSTEM_FOLDERS = ("/usr/local/sbin", "/usr/sbin", "/sbin")
# Packages that are not installed, since that would start a service, each unpacked in a folder of its own; see unpacked.py.
UNPACKED = STATE / "packages"
_BINARIES, _LIBRARIES = ("usr/sbin", "usr/bin"), ("usr/lib", "lib")
# Names the one folder of programs in the virtual machine, which holds what is declared and nothing else.
ONLY = "SPINDLEMARK_PROGRAMS"
# This interpreter; a module in the folder that it is called in is none of ours.
PYTHON = (sys.executable, "-P")
_VERSION = "import sys, importlib.metadata as m; print(*(found.version for found in m.Distribution.discover(name=sys.argv[1])))"
Process = subprocess.Popen
# Each starts the first word that is neither an option nor a setting; an option has its value in the same word.
_WRAPPERS = ("env", "nsenter", "setpriv", "sudo", "unshare")
_of_filesystems: dict[str, str] = {}


class UndeclaredProgramError(RuntimeError):
    """A defect: code starts a program that is declared nowhere, so that a machine may lack it."""


@dataclass(frozen=True)
class Tool:
    """A program of the list, with the package that brings it."""

    name: str
    package: str
    group: str


def declared_tools(path: Path | None = None) -> list[Tool]:
    """Every tool or shared library of the list, in its order; raises UserError naming the line that cannot be read."""
    path, found, group = path or LIST, [], None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if heading := GROUP.fullmatch(line):
            group = heading[1]
        elif group and (entry := ENTRY.fullmatch(line)):
            found.append(Tool(entry[1], entry[2], group))
        else:
            raise UserError(
                f"{path}: line {number} is neither `group:` nor `  tool: package`", f"it is {line!r}: mend it"
            )
    return found


def packages() -> dict[str, str]:
    """Program -> package of all that may be started."""
    return _listed() | _of_filesystems


def version_of(package: str) -> tuple[str, ...]:
    """The command that prints the version of a Python package, and nothing where it is not installed."""
    return (*PYTHON, "-c", _VERSION, package)


def declare(names: Iterable[str], package: str) -> None:
    """Let programs be started that a declared filesystem names: by name or by path, as it has them."""
    _of_filesystems.update(dict.fromkeys(names, package))


def search_path() -> str:
    """The folders in which programs are looked for, as in PATH: never the folder that somebody works in."""
    if ONLY in os.environ:
        return os.environ[ONLY]
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    unpacked = (str(package / place) for package in _unpacked() for place in _BINARIES)
    return os.pathsep.join([*(folder for folder in folders if folder.startswith("/")), *SYSTEM_FOLDERS, *unpacked])


def find(name: str) -> str | None:
    """Path of a program, looked for in PATH and in the folders of system tools; None when there is none."""
    return shutil.which(name, path=search_path())


def link_all(folder: Path) -> Path:
    """Make a folder with a link to each declared program that is here: a PATH for what others' code starts."""
    folder.mkdir()
    for name in packages():
        if "/" not in name and (found := find(name)):
            (folder / name).symlink_to(found)
    return folder


def resolve(argv: Sequence[str | Path]) -> str:
    """Path of the program that `argv` starts; what it has a wrapper start in turn is looked at too.

    Raises UndeclaredProgramError for one that is not declared, and UserError for one that is not here.
    """
    named = [(name, _package(name)) for name in _started([str(word) for word in argv])]
    places = [_at(name, search_path(), package) for name, package in named]  # each is looked for, not the first alone
    return places[0]


def run(argv: Sequence[str | Path], **how: Any) -> CompletedProcess:
    """Start a program and wait for it, with the words of subprocess.run; nothing is typed into it, unless told so.

    Raises as `resolve` does.
    """
    settings: dict[str, Any] = {"executable": resolve(argv), "stdin": DEVNULL, "check": False}
    return subprocess.run(argv, **settings | with_libraries(argv, how))


def start(argv: Sequence[str | Path], **how: Any) -> Process:
    """Start a program and go on, with the words of subprocess.Popen; nothing is typed into it, unless told so.

    Raises as `resolve` does.
    """
    settings: dict[str, Any] = {"executable": resolve(argv), "stdin": DEVNULL}
    return subprocess.Popen(argv, **settings | with_libraries(argv, how))


def run_in_copy(task: Callable[[], int]) -> int:
    """Run `task` in a copy of this process, whose exit code it gives, and go on; the copy's number, for os.waitpid.

    For who would start Python anew for each of many short tasks.
    """
    child = os.fork()
    if child == 0:
        os._exit(task())
    return child


def with_libraries(argv: Sequence[str | Path], how: dict[str, Any]) -> dict[str, Any]:
    """The same words, with the libraries that an unpacked program brings along; all others get what they always get."""
    for name in _started([str(word) for word in argv]):
        path = find(name) or ""
        if path.startswith(f"{UNPACKED}/"):
            root = UNPACKED / Path(path).relative_to(UNPACKED).parts[0]
            folders = sorted({str(file.parent) for place in _LIBRARIES for file in (root / place).glob("**/*.so*")})
            environment = how.get("env")
            return how | {
                "env": dict(os.environ if environment is None else environment)
                | {"PATH": search_path(), "LD_LIBRARY_PATH": os.pathsep.join(folders)}
            }
    return how


def _unpacked() -> list[Path]:
    """Folders of the packages that are unpacked here; one that is being made begins with a dot."""
    return sorted(UNPACKED.glob("[!.]*")) if UNPACKED.is_dir() else []


def _started(argv: Sequence[str | Path]) -> Iterator[str]:
    words = [str(word) for word in argv]
    yield words[0]
    if words[0] in _WRAPPERS:
        inner = next((n for n, word in enumerate(words) if n and not word.startswith("-") and "=" not in word), None)
        if inner is not None:
            yield from _started(words[inner:])


def _package(name: str) -> str:
    package = "python3" if name == sys.executable else packages().get(name)
    if package is None:
        raise UndeclaredProgramError(f"{name} is declared neither in {LIST} nor by a filesystem")
    return package


@cache  # a command is timed from before its start
def _at(name: str, path: str, package: str) -> str:
    # access(2), which `which` asks, forgets capabilities: this interpreter runs, wherever it lies.
    found = name if name == sys.executable else shutil.which(name, path=path)
    if found is None:
        raise UserError(f"{name}: no such tool", f"install the package that brings it: {package}")
    return found


@cache
def _listed() -> dict[str, str]:
    return {tool.name: tool.package for tool in declared_tools()}
