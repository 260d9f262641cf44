"""Kernel packages: fetched with apt into a folder of the project, unpacked with dpkg, never installed.

<kernels>/apt/         own lists, archives and configuration; the host's are neither used nor changed
<kernels>/<suite>/     the unpacked package; kernel.json, which is written last, identifies it

The archive and its keys are those of the host's sources. envs/kernels.yaml pins the packages.
"""

import fcntl
import json
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from spindlemark.core import atomic_write, dry_run, paths, safe_read
from spindlemark.core.errors import UserError
from spindlemark.core.outcome import Unsupported
from spindlemark.core.process.programs import find
from spindlemark.core.record import Scalar
from spindlemark.testbeds import kernel_modules
from spindlemark.testbeds.vm import pins
from spindlemark.testbeds.vm.archive import Archive
from spindlemark.testbeds.vm.pins import Pin
from spindlemark.testbeds.vm.sources import Source, debian

NOTE = "kernel.json"
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
    archive = Archive(base / "apt", suite, source, f"the kernel of {suite} cannot be fetched")
    archive.update()
    pin = _require_offered(archive, suite, pins.pinned(suite))
    new = base / f".{suite}.partial"
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir()
    archive.unpack(pin, new)
    release = next((new / "lib" / "modules").iterdir()).name
    kernel = Kernel(release, pin.package, pin.version, pin.sha256, base / suite)
    kernel_modules.write_lists(new, release)
    fields = {key: value for key, value in asdict(kernel).items() if key != "folder"}
    (new / NOTE).write_text(json.dumps(fields) + "\n")
    shutil.rmtree(kernel.folder, ignore_errors=True)
    new.rename(kernel.folder)
    return kernel


def _require_offered(archive: Archive, suite: str, pin: Pin | None) -> Pin:
    """Return the pin if the archive offers exactly that package; raises Unsupported with the package it offers."""
    offered = pin and archive.offered(pin.package, pin.version)
    if pin and offered == pin:
        return pin
    found = offered or archive.newest(f"linux-image-{pins.ARCHITECTURE}")
    raise Unsupported(
        f"{archive.problem}: envs/{pins.LIST.name} pins {pin or 'none'}, "
        f"the archive offers {found}; {pins.lines(suite, found)}"
    )


@contextmanager
def _locked(base: Path) -> Iterator[None]:
    with (base / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
