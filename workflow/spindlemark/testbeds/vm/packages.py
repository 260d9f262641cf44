"""Kernel packages: fetched with apt into a folder of the project, unpacked with dpkg, never installed.

<kernels>/apt/         lists, archives and configuration of our own: the host's are neither used nor changed
<kernels>/<suite>/     the unpacked package; kernel.json, written last, says which it is

The archive and its keys are those of the host's own sources. What the archive offers at the first fetch is kept.
"""

import fcntl
import json
import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from spindlemark import paths, testbeds, written
from spindlemark.measure.command import execute
from spindlemark.measure.outcome import Unsupported
from spindlemark.testbeds.vm.sources import Source, debian
from spindlemark.programs import find

NOTE = "kernel.json"
_FETCH_SECONDS = 900
_QUICK_SECONDS = 120
_REMEMBERED_SECONDS = 600
_TOOLS = {"apt-get": "apt", "dpkg": "dpkg", "depmod": "kmod"}


@dataclass(frozen=True)
class Kernel:
    """One unpacked kernel package."""

    release: str
    package: str
    version: str
    folder: Path

    @property
    def image(self) -> Path:
        return self.folder / "boot" / f"vmlinuz-{self.release}"

    @property
    def modules(self) -> Path:
        return self.folder / "lib" / "modules" / self.release

    def has(self, module: str) -> bool:
        """Whether the kernel has the module, built in or to be loaded."""
        return module in testbeds.modules(self.modules)


def kept(folder: str, suite: str) -> Kernel | None:
    """The kernel of `suite` that was fetched before, None when there is none."""
    place = paths.ROOT / folder / suite
    try:
        return Kernel(**json.loads((place / NOTE).read_text()), folder=place)
    except (OSError, ValueError, TypeError):
        return None


def fetched(folder: str, suite: str) -> Kernel:
    """The kernel of `suite`, fetched now unless it was before. Raises Unsupported with the reason when it cannot be."""
    base = paths.ROOT / folder
    found = kept(folder, suite)
    if found is not None:
        return found
    for tool, package in _TOOLS.items():
        if find(tool) is None:
            raise Unsupported(f"the kernel of {suite} cannot be fetched: {tool} is not installed: "
                              f"the package {package} brings it")
    base.mkdir(parents=True, exist_ok=True)
    with _alone(base):
        return kept(folder, suite) or _tried(base, suite)


def _tried(base: Path, suite: str) -> Kernel:
    """Fetch it; a failure is remembered for a while, so that not every experiment waits for a lost network."""
    note = base / f"{suite}.failed"
    if note.exists() and time.time() - note.stat().st_mtime < _REMEMBERED_SECONDS:
        raise Unsupported(note.read_text().strip())
    try:
        kernel = _fetch(base, suite, debian())
    except Unsupported as unsupported:
        written.write(note, unsupported.reason)
        raise
    note.unlink(missing_ok=True)
    return kernel


def _fetch(base: Path, suite: str, source: Source) -> Kernel:
    apt = _Apt(base / "apt", suite, source)
    apt.run(["apt-get", "update"], _FETCH_SECONDS)
    architecture = execute(["dpkg", "--print-architecture"], _QUICK_SECONDS).stdout.strip()
    package, version = apt.newest(f"linux-image-{architecture}")
    new = base / f".{suite}.partial"
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir()
    apt.run(["apt-get", "download", f"{package}={version}"], _FETCH_SECONDS)
    for archive in apt.folder.glob("*.deb"):
        _must(["dpkg", "--extract", str(archive), str(new)], f"{package} {version} cannot be unpacked", _FETCH_SECONDS)
        archive.unlink()
    release = next((new / "lib" / "modules").iterdir()).name
    _must(["depmod", "--basedir", str(new), release], f"the modules of {release} cannot be listed", _FETCH_SECONDS)
    kernel = Kernel(release, package, version, base / suite)
    fields = {key: value for key, value in asdict(kernel).items() if key != "folder"}
    (new / NOTE).write_text(json.dumps(fields) + "\n")
    shutil.rmtree(kernel.folder, ignore_errors=True)
    new.rename(kernel.folder)
    return kernel


class _Apt:
    """apt with lists, archives and sources of our own."""

    def __init__(self, folder: Path, suite: str, source: Source) -> None:
        self.folder, self._suite = folder, suite
        for part in ("lists/partial", "archives/partial", "none"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        for left in folder.glob("*.deb"):
            left.unlink()
        (folder / "kernel.sources").write_text(source.stanza(suite))
        hooks = ("APT::Update::Post-Invoke", "APT::Update::Post-Invoke-Success")
        (folder / "hooks.conf").write_text("".join(f"#clear {hook};\n" for hook in hooks))

    def run(self, argv: list[str], limit: float) -> str:
        """Output of apt on our own state; raises Unsupported with its last words when it fails."""
        return _must([*self._words(argv[0]), *argv[1:]], f"the kernel of {self._suite} cannot be fetched", limit)

    def newest(self, metapackage: str) -> tuple[str, str]:
        """(name, version) of the kernel package that the suite's metapackage asks for."""
        shown = self.run(["apt-cache", "show", f"{metapackage}/{self._suite}"], _QUICK_SECONDS)
        asked = re.search(r"^Depends:.*?\b(linux-image-\S+) \(= ([^)]+)\)", shown, re.MULTILINE)
        if asked is None:
            raise Unsupported(f"the kernel of {self._suite} cannot be fetched: {metapackage} names no kernel there")
        return asked[1], asked[2]

    def _words(self, tool: str) -> list[str]:
        settings = {"Dir::Etc::SourceList": self.folder / "kernel.sources",
                    "Dir::Etc::SourceParts": self.folder / "none",
                    "Dir::State::Lists": self.folder / "lists", "Dir::Cache": self.folder,
                    "Dir::State::Status": "/dev/null", "Acquire::Languages": "none", "APT::Sandbox::User": "root",
                    "Acquire::Retries": "1", "Acquire::http::Timeout": "15", "Acquire::https::Timeout": "15",
                    "APT::Update::Error-Mode": "any",
                    **{f"Acquire::{scheme}::Proxy": os.environ[f"{scheme}_proxy"] for scheme in ("http", "https")
                       if os.environ.get(f"{scheme}_proxy")}}
        options = [word for key, value in settings.items() for word in ("-o", f"{key}={value}")]
        # download writes to the working folder, and the hooks of the host's own lists are none of ours.
        return ["env", f"--chdir={self.folder}", f"APT_CONFIG={self.folder / 'hooks.conf'}", tool, "-q", *options]


def _must(argv: list[str], problem: str, limit: float) -> str:
    done = execute(argv, limit)
    if done.timed_out:
        raise Unsupported(f"{problem}: no end within {limit:g} s")
    if done.exit_code:
        words = [line for line in (done.stderr or done.stdout).splitlines() if line.startswith("E:")] or [done.stderr]
        raise Unsupported(f"{problem}: {words[0].strip() or 'it said nothing'}")
    return done.stdout


@contextmanager
def _alone(base: Path) -> Iterator[None]:
    with (base / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
