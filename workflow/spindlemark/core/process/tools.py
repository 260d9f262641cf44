"""System tools: which ones of a group are missing, and their installation from the distribution."""

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
    """Whether a tool can be called, or a shared library (such as libatomic.so.1) can be loaded."""
    if ".so" not in name:
        return find(name) is not None
    # In its own process: this one would not notice a library that is installed while it runs.
    return (
        programs.run(
            [*programs.PYTHON, "-c", f"import ctypes; ctypes.CDLL({name!r})"], stderr=programs.DEVNULL
        ).returncode
        == 0
    )


def missing(group: str, path: Path = LIST) -> list[Tool]:
    """The tools of a group that this machine lacks."""
    tools = [tool for tool in declared_tools(path) if tool.group == group]
    if not tools:
        raise UserError(f"{path}: no group {group!r}", "see the headings in that file")
    return [tool for tool in tools if not present(tool.name)]


def command(tools: Iterable[Tool]) -> list[str]:
    """The command that installs the packages of `tools`, as an administrator would type it."""
    return ["apt-get", "install", "--yes", "--no-install-recommends", *sorted({tool.package for tool in tools})]


def install(tools: list[Tool], ask: Callable[[str], bool]) -> None:
    """Install the packages of `tools` with apt-get, after `ask` agreed to a question that names them.

    Raises UserError with the exact command if the user declines, if it is impossible here, or if apt-get fails.
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
            "if the package has another name here, correct envs/apt.yaml",
        )


def _prefix(names: str, line: str) -> list[str]:
    """The start of a command line that runs a command as root."""
    if os.geteuid() == 0:
        return []
    if find("sudo") is None:
        raise UserError(f"missing here: {names}", f"installing needs root, and there is no sudo; as root run: {line}")
    return ["sudo"]


def _run(argv: list[str], line: str) -> None:
    # With env: sudo drops the variable, and debconf would wait for an answer.
    at = argv.index("apt-get")
    quiet = [*argv[:at], "env", "DEBIAN_FRONTEND=noninteractive", *argv[at:]]
    with _progress(f"Still busy with {' '.join(argv[at : at + 2])}"):
        code = programs.run(quiet, stdin=None, stdout=programs.DEVNULL).returncode
    if code:
        raise UserError(f"{' '.join(argv)} failed with exit code {code}: see above", f"run it yourself: {line}")


@contextmanager
def _progress(text: str) -> Iterator[None]:
    """Print regularly that a silent command is still running."""
    begun, done = time.monotonic(), threading.Event()

    def repeat() -> None:
        while not done.wait(PROGRESS_SECONDS):
            print(f"{text} ({time.monotonic() - begun:.0f} s so far)", flush=True)

    thread = threading.Thread(target=repeat, name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
