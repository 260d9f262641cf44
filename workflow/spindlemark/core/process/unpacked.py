"""Packages whose programs are wanted and whose services are not: fetched with apt, unpacked, never installed.

Installing a server starts it on the user's machine, and again at each boot. So what the group `unpacked` of
`envs/apt.yaml` names is fetched from the host's own sources, which apt verifies, with all that it needs and this machine
lacks, and unpacked where every user can reach it (a server runs as one without rights) and only root can change it:

<programs.UNPACKED>/<package>/     with package.json, which says the versions
<programs.UNPACKED>/.apt/          lists and archives of our own

No script of a package is run. What is installed already is used as it is. `programs.find` looks there last, and
`programs` gives what it starts there the libraries that came with it. Delete a package's folder to fetch it anew.
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
_SETTINGS: dict[str, str] = {}  # of apt, beside those of its configuration
_CHOSEN = re.compile(r"^Inst (\S+) (?:\[\S+\] )?\((\S+) ", re.MULTILINE)
# The loader of programs and what belongs to it must be the system's own.
_NEVER = ("libc6", "libc-bin", "base-files")


def missing(names: Iterable[str]) -> list[programs.Tool]:
    """Those of the group's programs called `names` that are neither installed nor unpacked here."""
    wanted = set(names)
    return [
        tool
        for tool in programs.declared_tools()
        if tool.group == GROUP and tool.name in wanted and find(tool.name) is None
    ]


def fetch(names: Iterable[str]) -> list[str]:
    """Fetch and unpack what is missing of the group's programs called `names`; root alone can.

    Returns, in words, what could not be had: experiments that need it will be unsupported.
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
                f"Fetching {', '.join(packages)} to unpack below {programs.UNPACKED}: nothing of it is installed, and no "
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
    """Package -> version, of the packages that were asked for and are unpacked here."""
    return {
        note.parent.name: json.loads(note.read_text())[note.parent.name]
        for note in programs.UNPACKED.glob(f"[!.]*/{NOTE}")
    }


def _require_tools() -> None:
    for tool in ("apt-get", "dpkg"):
        if find(tool) is None:
            raise Unsupported(
                f"there is no {tool} here, so no package can be unpacked: install servers with this system's own "
                "package manager, and see that they do not start by themselves"
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
    """Everything that installing it would add to this machine, laid into one folder."""
    problem, new = f"{package} cannot be fetched", programs.UNPACKED / f".{package}.partial"
    if (programs.UNPACKED / package).exists():
        raise Unsupported(f"{package} is unpacked here, but its program is not where programs are looked for")
    apt.prepare(_state())
    plan = apt.run([*_command(), "--simulate", "--no-install-recommends", "install", package], problem, _SECONDS)
    chosen = {name: version for name, version in _CHOSEN.findall(plan) if name.split(":")[0] not in _NEVER}
    if package not in chosen:
        raise Unsupported(f"{problem}: it is installed, but its program is not where programs are looked for")
    apt.run([*_command(), "download", *(f"{name}={version}" for name, version in chosen.items())], problem, _SECONDS)
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(mode=0o755)
    for archive in sorted(_state().glob("*.deb")):
        apt.run(["dpkg", "--extract", str(archive), str(new)], f"{archive.name} cannot be unpacked", _SECONDS)
        archive.unlink()
    (new / NOTE).write_text(json.dumps(chosen, indent=1) + "\n")
    new.rename(programs.UNPACKED / package)
