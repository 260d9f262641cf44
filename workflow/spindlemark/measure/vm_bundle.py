"""What the guest gets: a disk with the byte-compiled Python modules of its agent, and with an archive of the timed tools.

Loading the same modules one by one from the host's folders took more than half a minute under emulation, mostly for
finding files; unpacking 320 MB of them into memory took as long. The tools are unpacked there, since dropping caches
would slow down their start. `python -m spindlemark.measure.vm_bundle FOLDER` writes the modules.
"""

import json
import marshal
import os
import shlex
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from importlib.util import MAGIC_NUMBER
from pathlib import Path

from spindlemark.core import paths
from spindlemark.core.process import programs
from spindlemark.core.process.interrupts import interruptible
from spindlemark.families import registry as families
from spindlemark.testbeds import recorded
from spindlemark.testbeds.vm import machine

TOOLS = "tools.tar"
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
_MOUNT = f"""\
mkdir -p {PLACE}
for disk in /sys/block/vd*; do
    read -r serial < "$disk/serial"
    if [ "$serial" = {machine.AGENT_SERIAL} ]; then mount -t ext4 -o ro,noload "/dev/${{disk##*/}}" {PLACE}; fi
done"""
# Programs that no module imports, because their own library may be missing.
_PROGRAMS = (recorded.PROGRAM,)
# Modules that Python loads only when it needs them.
_LATER = ("encodings.ascii", "encodings.idna", "encodings.latin_1", "encodings.unicode_escape", "traceback", "runpy")
_LIMIT_SECONDS = 120
# A header that prevents the comparison with a source file.
_HEADER = MAGIC_NUMBER + bytes(12)
_ROOM = 1.2  # of the disk, for each byte of the files: what their last blocks and the filesystem itself need


def install(folder: Path, place: Path, tools: list[str], idle_seconds: float) -> None:
    """Write disk and start script into `folder`, which the guest sees at `place`; see `write` for `tools`.

    The agent ends when no request comes for `idle_seconds`.
    """
    with interruptible():
        write(folder, tools)
    (folder / "start").write_text(start_script(place, idle_seconds))


def write(folder: Path, tools: list[str]) -> None:
    """Write the disk machine.AGENT_DISK into `folder`; `tools` are programs and libraries of the host.

    The modules are written by a process that loads nothing else; raises CalledProcessError when that fails.
    """
    with tempfile.TemporaryDirectory(dir=folder) as root:
        _write_tools(Path(root) / TOOLS, tools)
        programs.run(
            [*programs.PYTHON, "-W", "ignore::RuntimeWarning", "-m", __name__, root],
            check=True,
            timeout=_LIMIT_SECONDS,
            cwd=paths.ROOT,
        )
        _make_disk(folder / machine.AGENT_DISK, Path(root))


def _write_tools(archive: Path, tools: list[str]) -> None:
    with tarfile.open(archive, "w") as opened:
        for file in sorted(set(map(os.path.realpath, tools))):
            opened.add(file)
        for path in map(Path, tools):
            if path.name in programs.packages():
                link = tarfile.TarInfo(f"{PROGRAMS}/{path.name}".lstrip("/"))
                link.type, link.linkname = tarfile.SYMTYPE, os.path.realpath(path)
                opened.addfile(link)


def _make_disk(disk: Path, root: Path) -> None:
    """Write a disk image with the files below `root`."""
    size = sum(file.stat().st_size for file in root.rglob("*") if file.is_file())
    with disk.open("wb") as file:
        file.truncate(int(size * _ROOM) >> 20 << 20)
    words = ["-q", "-F", "-O", "^has_journal", "-m", "0", "-d", str(root), str(disk)]
    programs.run(["mkfs.ext4", *words], check=True, timeout=_LIMIT_SECONDS)


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
            f"modprobe -a {' '.join(_DRIVERS)}",
            _MOUNT,
            f"tar -C / -xf {PLACE}/{TOOLS} || exit 1",  # into overlays, whose upper layer is memory
            f"export PATH={PROGRAMS}",
            f"echo {PROGRAMS}/modprobe > /proc/sys/kernel/modprobe",
            _NO_UDEV,
            f"exec {shlex.join(words)}",
            "",
        ]
    )


def main() -> None:
    """Load everything that the agent needs and write it below the folder in the first argument."""
    for name in (AGENT, *_LATER):
        import_module(name)
    for name in _PROGRAMS:
        with suppress(ImportError, OSError):
            import_module(name)
    for family in families.names():
        families.get(family)
    base = Path(sys.argv[1], "lib", f"python{sys.version_info.major}.{sys.version_info.minor}")
    for name, data in _files():
        _write(base / name, data)
    # In the folder that paths.PROJECT is in the guest.
    _write(base.parent / programs.LIST.relative_to(paths.PROJECT), programs.LIST.read_bytes())


def _write(file: Path, data: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    file.chmod(0o755)


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
