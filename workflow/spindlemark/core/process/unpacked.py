"""Packages with a service: fetched with apt and unpacked, never installed.

Installing a server would start it on the user's machine, and again at each boot. Therefore the packages in group
`unpacked` of `envs/apt.yaml` are fetched from the host's own sources, which apt verifies, with the dependencies that this
machine lacks. They are unpacked where every user can read them (servers run without privileges) and only root can write:

<programs.UNPACKED>/<package>/     with package.json, which contains the versions
<programs.UNPACKED>/.apt/          lists and archives

No script of a package is run. Installed packages are used as they are. `programs.find` searches these folders last, and
`programs` adds the libraries that were unpacked with a program. Delete a package's folder to fetch it again.
"""

import json
import re
import shutil
from collections.abc import Iterable
from pathlib import Path

from spindlemark.core.outcome import Unsupported
from spindlemark.core.private_files import folder
from spindlemark.core.process import apt, programs
from spindlemark.core.process.lock import file_lock
from spindlemark.core.process.programs import find

GROUP = "unpacked"
NOTE = "package.json"
_SECONDS = 900
_SETTINGS: dict[str, str] = {}  # further settings of apt
_CHOSEN = re.compile(r"^Inst (\S+) (?:\[\S+\] )?\((\S+) ", re.MULTILINE)
# The dynamic loader and its files must be those of the system.
_NEVER = ("libc6", "libc-bin", "base-files")


def missing(names: Iterable[str]) -> list[programs.Tool]:
    """Programs of the group, among `names`, that are neither installed nor unpacked here."""
    wanted = set(names)
    return [
        tool
        for tool in programs.declared_tools()
        if tool.group == GROUP and tool.name in wanted and find(tool.name) is None
    ]


def fetch(names: Iterable[str]) -> list[str]:
    """Fetch and unpack the missing programs among `names`; needs root.

    Return a message for each failure. Experiments that need such a program will be unsupported.
    """
    names = list(names)
    failed: list[str] = []
    if not missing(names):
        return failed
    try:
        _require_tools()
        with file_lock(
            folder(programs.UNPACKED) / ".lock", "the folder of unpacked packages", _SECONDS, "fetching packages"
        ):
            packages = sorted({tool.package for tool in missing(names)})  # another process may have fetched some
            print(
                f"Fetching {', '.join(packages)} to unpack below {programs.UNPACKED}: nothing is installed, and no "
                "service is started",
                flush=True,
            )
            apt.prepare(_state())
            apt.run([*_command(), "update"], "the list of packages cannot be fetched", _SECONDS)
            for package in packages:
                failed += _try_unpack(package)
    except Unsupported as unsupported:
        failed.append(unsupported.reason)
    return failed


def versions() -> dict[str, str]:
    """Package -> version, of the packages that are unpacked here, without dependencies."""
    return {
        note.parent.name: json.loads(note.read_text())[note.parent.name]
        for note in programs.UNPACKED.glob(f"[!.]*/{NOTE}")
    }


def _require_tools() -> None:
    for tool in ("apt-get", "dpkg"):
        if find(tool) is None:
            raise Unsupported(
                f"there is no {tool} here, so no package can be unpacked: install servers with this system's own "
                "package manager, and disable their services"
            )


def _state() -> Path:
    return programs.UNPACKED / ".apt"


def _command() -> list[str]:
    return apt.command_line(_state(), "apt-get", _SETTINGS)


def _try_unpack(package: str) -> list[str]:
    try:
        _unpack(package)
    except Unsupported as unsupported:
        return [unsupported.reason]
    return []


def _unpack(package: str) -> None:
    """Unpack everything that an installation would add to this machine into one folder."""
    problem, new = f"{package} cannot be fetched", programs.UNPACKED / f".{package}.partial"
    if (programs.UNPACKED / package).exists():
        raise Unsupported(f"{package} is unpacked here, but its program is not in the search path")
    apt.prepare(_state())
    plan = apt.run([*_command(), "--simulate", "--no-install-recommends", "install", package], problem, _SECONDS)
    chosen = {name: version for name, version in _CHOSEN.findall(plan) if name.split(":")[0] not in _NEVER}
    if package not in chosen:
        raise Unsupported(f"{problem}: it is installed, but its program is not in the search path")
    apt.run([*_command(), "download", *(f"{name}={version}" for name, version in chosen.items())], problem, _SECONDS)
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(mode=0o755)
    for archive in sorted(_state().glob("*.deb")):
        apt.run(["dpkg", "--extract", str(archive), str(new)], f"{archive.name} cannot be unpacked", _SECONDS)
        archive.unlink()
    (new / NOTE).write_text(json.dumps(chosen, indent=1) + "\n")
    new.rename(programs.UNPACKED / package)
