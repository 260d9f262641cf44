"""Kernel packages: fetched with apt into a folder of the project, unpacked with dpkg, never installed.

<kernels>/apt/         own lists, archives and configuration; the host's are neither used nor changed
<kernels>/<suite>/     the unpacked package; kernel.json, which is written last, identifies it

The archive and its keys are those of the host's sources. envs/kernels.yaml pins the packages.
"""

import fcntl
import hashlib
import json
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from spindlemark.core import atomic_write, dry_run, paths, safe_read
from spindlemark.core.errors import UserError
from spindlemark.core.outcome import Unsupported
from spindlemark.core.process import apt
from spindlemark.core.process.command import execute
from spindlemark.core.process.programs import find
from spindlemark.core.record import Scalar
from spindlemark.testbeds import kernel_modules
from spindlemark.testbeds.vm import pins
from spindlemark.testbeds.vm.pins import Pin
from spindlemark.testbeds.vm.sources import Source, debian

NOTE = "kernel.json"
_FETCH_SECONDS = 900
_QUICK_SECONDS = 120
_MOST_BYTES = 1 << 16
_REMEMBERED_SECONDS = 600
_TOOLS = {"apt-get": "apt", "apt-cache": "apt", "dpkg": "dpkg", "depmod": "kmod"}


@dataclass(frozen=True)
class Kernel:
    """One unpacked kernel package."""

    release: str
    package: str
    version: str
    sha256: str
    folder: Path

    @property
    def image(self) -> Path:
        """The kernel image."""
        return self.folder / "boot" / f"vmlinuz-{self.release}"

    @property
    def modules(self) -> Path:
        """The folder of the kernel's modules."""
        return self.folder / "lib" / "modules" / self.release

    def has(self, module: str) -> bool:
        """Whether the kernel has the module, built in or loadable."""
        return module in kernel_modules.modules(self.modules)


def cached(folder: str, suite: str) -> Kernel | None:
    """The kernel of `suite` that was fetched before, None when there is none or when it is not the pinned one."""
    place = paths.ROOT / folder / suite
    try:
        kernel = Kernel(**json.loads(safe_read.read(place / NOTE, _MOST_BYTES, "")), folder=place)
    except (UserError, ValueError, TypeError):
        return None
    return (
        kernel
        if Pin.model_construct(package=kernel.package, version=kernel.version, sha256=kernel.sha256)
        == pins.pinned(suite)
        else None
    )


def facts(folder: str, suite: str) -> dict[str, Scalar]:
    """Environment fields of the fetched kernel package; null where there is none."""
    kernel = cached(folder, suite)
    return {f"kernel.fetched.{key}": getattr(kernel, key, None) for key in ("package", "version", "sha256")}


def fetch(folder: str, suite: str) -> Kernel:
    """The kernel of `suite`, fetched now if needed. Raises Unsupported with the reason when this fails."""
    base = paths.ROOT / folder
    found = cached(folder, suite)
    if found is not None:
        return found
    if dry_run.active():
        raise Unsupported(f"the kernel of {suite} is fetched by the first run, and there was none yet")
    for tool, package in _TOOLS.items():
        if find(tool) is None:
            raise Unsupported(
                f"the kernel of {suite} cannot be fetched: {tool} is not installed: the package {package} brings it"
            )
    base.mkdir(parents=True, exist_ok=True)
    with _locked(base):
        return cached(folder, suite) or _fetch_unless_failed(base, suite)


def _fetch_unless_failed(base: Path, suite: str) -> Kernel:
    """Fetch it; a failure is remembered for ten minutes, so that not every experiment waits for a missing network."""
    note = base / f"{suite}.failed"
    since = max(time.time() - _REMEMBERED_SECONDS, pins.LIST.stat().st_mtime)
    if note.exists() and note.stat().st_mtime > since:
        raise Unsupported(note.read_text().strip())
    try:
        kernel = _fetch(base, suite, debian())
    except Unsupported as unsupported:
        atomic_write.write(note, unsupported.reason)
        raise
    note.unlink(missing_ok=True)
    return kernel


def _fetch(base: Path, suite: str, source: Source) -> Kernel:
    archives = _Apt(base / "apt", suite, source)
    archives.run(["apt-get", "update"], _FETCH_SECONDS)
    pin = _require_offered(archives, suite, pins.pinned(suite))
    new = base / f".{suite}.partial"
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir()
    archives.run(["apt-get", "download", f"{pin.package}={pin.version}"], _FETCH_SECONDS)
    (archive,) = archives.folder.glob("*.deb")
    _require_pinned(archive, pin)
    apt.run(["dpkg", "--extract", str(archive), str(new)], f"{pin} cannot be unpacked", _FETCH_SECONDS)
    archive.unlink()
    release = next((new / "lib" / "modules").iterdir()).name
    apt.run(["depmod", "--basedir", str(new), release], f"the modules of {release} cannot be listed", _FETCH_SECONDS)
    kernel = Kernel(release, pin.package, pin.version, pin.sha256, base / suite)
    fields = {key: value for key, value in asdict(kernel).items() if key != "folder"}
    (new / NOTE).write_text(json.dumps(fields) + "\n")
    shutil.rmtree(kernel.folder, ignore_errors=True)
    new.rename(kernel.folder)
    return kernel


def _require_offered(archives: "_Apt", suite: str, pin: Pin | None) -> Pin:
    """Return the pin if the archive offers exactly that package; raises Unsupported with the package it offers."""
    offered = pin and archives.offered(pin.package, pin.version)
    if pin and offered == pin:
        return pin
    found = offered or archives.newest(f"linux-image-{pins.ARCHITECTURE}")
    raise Unsupported(
        f"the kernel of {suite} cannot be fetched: envs/{pins.LIST.name} pins {pin or 'none'}, "
        f"the archive offers {found}; {pins.lines(suite, found)}"
    )


def _require_pinned(archive: Path, pin: Pin) -> None:
    with archive.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != pin.sha256:
        archive.unlink()
        raise Unsupported(
            f"{pin.package} {pin.version} was fetched with SHA-256 {found}, not {pin.sha256}; it was deleted"
        )


class _Apt:
    """apt with its own sources and state."""

    def __init__(self, folder: Path, suite: str, source: Source) -> None:
        self.folder, self._suite = folder, suite
        apt.prepare(folder)
        (folder / "kernel.sources").write_text(source.stanza(suite))

    def run(self, argv: list[str], limit: float) -> str:
        """Return the output of an apt command; raises Unsupported with its last line when it fails."""
        return apt.run([*self._words(argv[0]), *argv[1:]], f"the kernel of {self._suite} cannot be fetched", limit)

    def offered(self, package: str, version: str) -> Pin | None:
        """The package in the suite's index, None when this version is not there."""
        done = execute([*self._words("apt-cache"), "show", f"{package}={version}"], _QUICK_SECONDS)
        digest = re.search(r"^SHA256: ([0-9a-f]{64})$", done.stdout, re.MULTILINE)
        return Pin(package=package, version=version, sha256=digest[1]) if done.exit_code == 0 and digest else None

    def newest(self, metapackage: str) -> Pin:
        """The kernel package that the suite's metapackage depends on."""
        shown = self.run(["apt-cache", "show", f"{metapackage}/{self._suite}"], _QUICK_SECONDS)
        requested = re.search(r"^Depends:.*?\b(linux-image-\S+) \(= ([^)]+)\)", shown, re.MULTILINE)
        found = requested and self.offered(requested[1], requested[2])
        if found is None:
            raise Unsupported(f"the kernel of {self._suite} cannot be fetched: {metapackage} names no kernel there")
        return found

    def _words(self, tool: str) -> list[str]:
        return apt.command_line(
            self.folder,
            tool,
            {
                "Dir::Etc::SourceList": self.folder / "kernel.sources",
                "Dir::Etc::SourceParts": self.folder / "none",
                "Dir::State::Status": "/dev/null",
                "APT::Update::Error-Mode": "any",
            },
        )


@contextmanager
def _locked(base: Path) -> Iterator[None]:
    with (base / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
