"""Two archives for the guest's memory: the byte-compiled Python modules of its agent, and the timed tools.

Loading the same modules one by one from the host's folders took more than half a minute under emulation, mostly for
finding files. `python -m spindlemark.measure.vm_bundle ARCHIVE` writes the first.
"""

import io
import json
import marshal
import os
import shlex
import sys
import tarfile
from collections.abc import Iterator
from importlib import import_module
from importlib.util import MAGIC_NUMBER
from pathlib import Path

from spindlemark.core import paths
from spindlemark.core.process import programs
from spindlemark.core.process.interrupts import interruptible
from spindlemark.families import registry as families

ARCHIVE, TOOLS = "python.tar", "tools.tar"
PLACE = "/run/spindlemark-python"
PROGRAMS = "/run/spindlemark-programs"
AGENT = "spindlemark.measure.vm_agent"
# Drivers that udev would load; a host without udev has a guest without udev.
_DRIVERS = ("virtio_blk",)
# udev would read the disk after each write, and tools would find the disk in use.
_NO_UDEV = """\
for file in /proc/[0-9]*/comm; do
    read -r name 2> /dev/null < "$file" || continue
    case $name in *udevd|*udev-worker*) file=${file%/comm}; kill -9 "${file#/proc/}" ;; esac
done"""
# Modules that Python loads only when it needs them.
_LATER = ("encodings.ascii", "encodings.idna", "encodings.latin_1", "encodings.unicode_escape", "traceback", "runpy")
_LIMIT_SECONDS = 120
# A header that prevents the comparison with a source file.
_HEADER = MAGIC_NUMBER + bytes(12)


def install(folder: Path, place: Path, tools: list[str], idle_seconds: float) -> None:
    """Write archives and start script into `folder`, which the guest sees at `place`; see `write` for `tools`.

    The agent ends when no request comes for `idle_seconds`.
    """
    with interruptible():
        write(folder, tools)
    (folder / "start").write_text(start_script(place, idle_seconds))


def write(folder: Path, tools: list[str]) -> None:
    """Write both archives into `folder`; `tools` are programs and libraries of the host.

    The first is written by a process that loads nothing else; raises CalledProcessError when that fails.
    """
    with tarfile.open(folder / TOOLS, "w") as archive:
        for file in sorted(set(map(os.path.realpath, tools))):
            archive.add(file)
        for path in map(Path, tools):
            if path.name in programs.packages():
                link = tarfile.TarInfo(f"{PROGRAMS}/{path.name}".lstrip("/"))
                link.type, link.linkname = tarfile.SYMTYPE, os.path.realpath(path)
                archive.addfile(link)
    programs.run(
        [*programs.PYTHON, "-W", "ignore::RuntimeWarning", "-m", __name__, str(folder / ARCHIVE)],
        check=True,
        timeout=_LIMIT_SECONDS,
        cwd=paths.ROOT,
    )


def start_script(shared: Path, idle_seconds: float) -> str:
    """The shell script that the guest runs once. The machine ends with it, when the agent ends."""
    environment = {
        "PYTHONHOME": PLACE,
        "PYTHONPLATLIBDIR": "lib",
        "PYDANTIC_DISABLE_PLUGINS": "__all__",
        "SPINDLEMARK_ROOT": str(paths.ROOT),
        programs.ONLY: PROGRAMS,
        "LC_ALL": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    words = [
        "env",
        *(f"{key}={value}" for key, value in environment.items()),
        os.path.realpath(sys.executable),
        "-P",
        "-S",
        "-m",
        AGENT,
        str(shared),
        str(idle_seconds),
        json.dumps([place for place in sys.path if place]),
    ]
    return "\n".join(
        [
            f"mkdir -p {PLACE}",
            f"tar -C / -xf {shared}/{TOOLS}",  # into overlays, whose upper layer is memory
            f"tar -C {PLACE} -xf {shared}/{ARCHIVE} || exit 1",
            f"export PATH={PROGRAMS}",
            f"echo {PROGRAMS}/modprobe > /proc/sys/kernel/modprobe",
            _NO_UDEV,
            f"modprobe -a {' '.join(_DRIVERS)}",
            f"exec {shlex.join(words)}",
            "",
        ]
    )


def main() -> None:
    """Load everything that the agent needs and write it to the archive in the first argument."""
    for name in (AGENT, *_LATER):
        import_module(name)
    for family in families.names():
        families.get(family)
    base = f"lib/python{sys.version_info.major}.{sys.version_info.minor}"
    with tarfile.open(sys.argv[1], "w") as archive:
        for name, data in _files():
            entry = tarfile.TarInfo(f"{base}/{name}")
            entry.size, entry.mode = len(data), 0o755
            archive.addfile(entry, io.BytesIO(data))
        # In the folder that paths.PROJECT is in the guest.
        archive.add(programs.LIST, Path(base).parent / programs.LIST.relative_to(paths.PROJECT))


def _files() -> Iterator[tuple[str, bytes]]:
    """Yield (path below the library folder, content) of each module loaded from a file, and of its shared libraries."""
    libraries: set[Path] = set()
    for name, module in sorted(sys.modules.items()):
        spec = getattr(module, "__spec__", None)
        loader = getattr(spec, "loader", None)
        if spec is None or loader is None or not hasattr(loader, "get_code") or not spec.has_location:
            continue  # a part of the interpreter
        code = loader.get_code(spec.name)
        if code is not None:
            yield (
                f"{name.replace('.', '/')}{'/__init__' if spec.submodule_search_locations else ''}.pyc",
                _HEADER + marshal.dumps(code),
            )
            continue
        file = Path(spec.origin)
        yield "/".join([*name.split(".")[:-1], file.name]), file.read_bytes()
        libraries.add(file.parents[name.count(".")] / f"{name.partition('.')[0]}.libs")
    for file in sorted(file for folder in libraries for file in folder.glob("*")):
        yield f"{file.parent.name}/{file.name}", file.read_bytes()


if __name__ == "__main__":
    main()
