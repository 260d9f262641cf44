"""System tools: which are missing for a group, and their installation from the distribution."""

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from spindlemark.core.errors import UserError
from spindlemark.core.process import programs
from spindlemark.core.process.programs import LIST, Tool, declared_tools, find

PROGRESS_SECONDS = 20


def present(name: str) -> bool:
    """Whether a tool can be called, or a shared library (as libatomic.so.1) be loaded."""
    if ".so" not in name:
        return find(name) is not None
    # In a process of its own: this one would not notice a library that is installed while it runs.
    return (
        programs.run(
            [*programs.PYTHON, "-c", f"import ctypes; ctypes.CDLL({name!r})"], stderr=programs.DEVNULL
        ).returncode
        == 0
    )


def missing(group: str, path: Path = LIST) -> list[Tool]:
    """The tools of a group that this machine does not have."""
    tools = [tool for tool in declared_tools(path) if tool.group == group]
    if not tools:
        raise UserError(f"{path}: there is no group {group!r}", "see the headings in that file")
    return [tool for tool in tools if not present(tool.name)]


def command(tools: Iterable[Tool]) -> list[str]:
    """The command that installs the packages of `tools`, as an administrator would type it."""
    return ["apt-get", "install", "--yes", "--no-install-recommends", *sorted({tool.package for tool in tools})]


def install(tools: list[Tool], ask: Callable[[str], bool]) -> None:
    """Install the packages of `tools` with apt-get, after `ask` said yes to a question that names them.

    Raises UserError with the exact command when it may not or cannot be done here, and when apt-get fails.
    """
    if not tools:
        return
    line = " ".join(command(tools))
    names = ", ".join(tool.name for tool in tools)
    if find("apt-get") is None:
        raise UserError(
            f"missing here: {names}", "there is no apt-get: install them with this system's own package manager"
        )
    prefix = _prefix(names, line)
    if not ask(f"Missing here: {names}. Install {', '.join(sorted({tool.package for tool in tools}))} with apt-get?"):
        raise UserError(f"missing here: {names}", f"install them with: {line}")
    print(f"Installing what is missing ({names}): {line}", flush=True)
    _run([*prefix, "apt-get", "update", "-qq"], line)
    _run([*prefix, *command(tools)], line)
    absent = [tool.name for tool in tools if not present(tool.name)]
    if absent:
        raise UserError(
            f"still missing after the installation: {', '.join(absent)}",
            "is its package known under another name here? correct envs/apt.yaml",
        )


def _prefix(names: str, line: str) -> list[str]:
    """What makes a command run as root here."""
    if os.geteuid() == 0:
        return []
    if find("sudo") is None:
        raise UserError(f"missing here: {names}", f"installing needs root, and there is no sudo; as root run: {line}")
    return ["sudo"]


def _run(argv: list[str], line: str) -> None:
    # Through env: sudo drops the variable, and a question of debconf would wait for ever.
    at = argv.index("apt-get")
    quiet = [*argv[:at], "env", "DEBIAN_FRONTEND=noninteractive", *argv[at:]]
    with _progress(f"Still busy with {' '.join(argv[at : at + 2])}"):
        code = programs.run(quiet, stdin=None, stdout=programs.DEVNULL).returncode
    if code:
        raise UserError(f"{' '.join(argv)} failed with exit code {code}: see above", f"try it by hand: {line}")


@contextmanager
def _progress(words: str) -> Iterator[None]:
    """Say every now and then that something goes on that is silent itself."""
    begun, done = time.monotonic(), threading.Event()

    def repeat() -> None:
        while not done.wait(PROGRESS_SECONDS):
            print(f"{words} ({time.monotonic() - begun:.0f} s so far)", flush=True)

    voice = threading.Thread(target=repeat, name="voice", daemon=True)
    voice.start()
    try:
        yield
    finally:
        done.set()
        voice.join()
