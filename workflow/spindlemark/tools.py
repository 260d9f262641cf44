"""System tools: which are missing for a wing, and their installation from the distribution.

Uses the standard library alone, so that it also runs before the project's environment exists.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from spindlemark.errors import UserError
from spindlemark.paths import ROOT

LIST = ROOT / "envs" / "apt.yaml"
WING = re.compile(r"([a-z]+):")
ENTRY = re.compile(r"  ([A-Za-z0-9._+-]+): ([a-z0-9][a-z0-9.+-]+)")
# Debian keeps a user's PATH free of them, but that is where mkfs lives.
SYSTEM_FOLDERS = ("/usr/local/sbin", "/usr/sbin", "/sbin")


@dataclass(frozen=True)
class Tool:
    name: str
    package: str
    wing: str


def wanted(path: Path = LIST) -> list[Tool]:
    """Every tool or shared library of the list, in its order; raises UserError naming the line that cannot be read."""
    found, wing = [], None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if heading := WING.fullmatch(line):
            wing = heading[1]
        elif wing and (entry := ENTRY.fullmatch(line)):
            found.append(Tool(entry[1], entry[2], wing))
        else:
            raise UserError(f"{path}: line {number} is neither `wing:` nor `  tool: package`",
                            f"it is {line!r}: mend it")
    return found


def find(name: str) -> str | None:
    """Path of a tool, looked for in PATH and in the folders of system tools; None when there is none."""
    folders = [folder for folder in os.environ.get("PATH", os.defpath).split(os.pathsep) if folder]
    return shutil.which(name, path=os.pathsep.join([*folders, *SYSTEM_FOLDERS]))


def present(name: str) -> bool:
    """Whether a tool can be called, or a shared library (as libatomic.so.1) be loaded."""
    if ".so" not in name:
        return find(name) is not None
    # In a process of its own: this one would not notice a library that is installed while it runs.
    return subprocess.run([sys.executable, "-c", f"import ctypes; ctypes.CDLL({name!r})"], check=False,
                          stderr=subprocess.DEVNULL).returncode == 0


def missing(wing: str, path: Path = LIST) -> list[Tool]:
    """The tools of a wing that this machine does not have."""
    tools = [tool for tool in wanted(path) if tool.wing == wing]
    if not tools:
        raise UserError(f"{path}: there is no wing {wing!r}", "see the headings in that file")
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
        raise UserError(f"missing here: {names}",
                        "there is no apt-get: install them with this system's own package manager")
    prefix = _prefix(names, line)
    if not ask(f"Missing here: {names}. Install {', '.join(sorted({tool.package for tool in tools}))} with apt-get?"):
        raise UserError(f"missing here: {names}", f"install them with: {line}")
    print(f"Installing what is missing ({names}): {line}", flush=True)
    _run([*prefix, "apt-get", "update", "-qq"], line)
    _run([*prefix, *command(tools)], line)
    absent = [tool.name for tool in tools if not present(tool.name)]
    if absent:
        raise UserError(f"still missing after the installation: {', '.join(absent)}",
                        "is its package known under another name here? correct envs/apt.yaml")


def _prefix(names: str, line: str) -> list[str]:
    """What makes a command run as root here."""
    if os.geteuid() == 0:
        return []
    sudo = find("sudo")
    if sudo is None:
        raise UserError(f"missing here: {names}", f"installing needs root, and there is no sudo; as root run: {line}")
    return [sudo]


def _run(argv: list[str], line: str) -> None:
    # Through env: sudo drops the variable, and a question of debconf would wait for ever.
    at = argv.index("apt-get")
    quiet = [*argv[:at], "env", "DEBIAN_FRONTEND=noninteractive", *argv[at:]]
    code = subprocess.run(quiet, check=False, stdout=subprocess.DEVNULL).returncode
    if code:
        raise UserError(f"{' '.join(argv)} failed with exit code {code}: see above", f"try it by hand: {line}")
