"""One suite of Debian's archive: pinned packages are fetched with apt and unpacked with dpkg, never installed.

apt gets its own sources, lists and archives; the host's are neither used nor changed.
"""

import hashlib
import re
from pathlib import Path

from spindlemark.core.outcome import Unsupported
from spindlemark.core.process import apt
from spindlemark.core.process.command import execute
from spindlemark.testbeds.vm.pins import Pin
from spindlemark.testbeds.vm.sources import Source

_FETCH_SECONDS = 900
_QUICK_SECONDS = 120


class Archive:
    """apt with its own sources and state in `folder`; `problem` begins the messages of its errors."""

    def __init__(self, folder: Path, suite: str, source: Source, problem: str) -> None:
        self.folder, self.problem, self._suite = folder, problem, suite
        apt.prepare(folder)
        (folder / "own.sources").write_text(source.stanza(suite))

    def update(self) -> None:
        """Fetch the lists of packages; raises Unsupported if that fails."""
        self._run(["apt-get", "update"], _FETCH_SECONDS)

    def offered(self, package: str, version: str) -> Pin | None:
        """The package in the suite's index, None when this version is not there."""
        done = execute([*self._words("apt-cache"), "show", f"{package}={version}"], _QUICK_SECONDS)
        digest = re.search(r"^SHA256: ([0-9a-f]{64})$", done.stdout, re.MULTILINE)
        return Pin(package=package, version=version, sha256=digest[1]) if done.exit_code == 0 and digest else None

    def newest(self, metapackage: str) -> Pin:
        """The kernel package that the suite's metapackage depends on."""
        shown = self._run(["apt-cache", "show", f"{metapackage}/{self._suite}"], _QUICK_SECONDS)
        requested = re.search(r"^Depends:.*?\b(linux-image-\S+) \(= ([^)]+)\)", shown, re.MULTILINE)
        found = requested and self.offered(requested[1], requested[2])
        if found is None:
            raise Unsupported(f"{self.problem}: {metapackage} names no kernel there")
        return found

    def unpack(self, pin: Pin, folder: Path) -> None:
        """Fetch a package and unpack it in `folder`; raises Unsupported if that fails or the file is not the pinned one."""
        self._run(["apt-get", "download", f"{pin.package}={pin.version}"], _FETCH_SECONDS)
        (file,) = self.folder.glob("*.deb")
        require_pinned(file, pin)
        apt.run(["dpkg", "--extract", str(file), str(folder)], f"{pin} cannot be unpacked", _FETCH_SECONDS)
        file.unlink()

    def _run(self, argv: list[str], limit: float) -> str:
        return apt.run([*self._words(argv[0]), *argv[1:]], self.problem, limit)

    def _words(self, tool: str) -> list[str]:
        return apt.command_line(
            self.folder,
            tool,
            {
                "Dir::Etc::SourceList": self.folder / "own.sources",
                "Dir::Etc::SourceParts": self.folder / "none",
                "Dir::State::Status": "/dev/null",
                "APT::Update::Error-Mode": "any",
            },
        )


def require_pinned(file: Path, pin: Pin) -> None:
    """Raise Unsupported unless the package's file is the pinned one; delete another one."""
    with file.open("rb") as opened:
        found = hashlib.file_digest(opened, "sha256").hexdigest()
    if found != pin.sha256:
        file.unlink()
        raise Unsupported(
            f"{pin.package} {pin.version} was fetched with SHA-256 {found}, not {pin.sha256}; it was deleted"
        )
