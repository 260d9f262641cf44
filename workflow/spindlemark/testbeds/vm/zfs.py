"""ZFS for a virtual machine: modules built from Debian's sources for the packaged kernel, and the programs of its pools.

<kernels>/<suite>/lib/modules/<release>/updates/zfs/   the modules, and packages.json, which identifies them
<programs.UNPACKED>/zfsutils-linux/                    the programs and their libraries
<FOLDER>/                                              apt's lists and archives, and the build while it runs

Debian distributes ZFS as sources (section contrib), because the licences of ZFS and Linux may forbid to distribute the
modules. envs/zfs.yaml pins the packages. A kernel's headers name each other by paths below /usr, so the build sees the
unpacked packages there, in a mount namespace of its own. It runs as root, in folders that only root can write.
"""

import json
import shutil
from dataclasses import replace
from pathlib import Path

from spindlemark.core.outcome import Unsupported
from spindlemark.core.private_files import STATE, folder
from spindlemark.core.process import programs
from spindlemark.core.process.command import execute
from spindlemark.core.process.lock import file_lock
from spindlemark.testbeds import kernel_modules
from spindlemark.testbeds.vm import packages, pins
from spindlemark.testbeds.vm.archive import Archive
from spindlemark.testbeds.vm.packages import Kernel
from spindlemark.testbeds.vm.pins import Pin
from spindlemark.testbeds.vm.sources import debian

FILESYSTEM = MODULE = "zfs"
FOLDER = STATE / "zfs"
NOTE = "packages.json"
_NEEDED = {
    "gcc-12": "gcc-12",
    "make": "make",
    "unshare": "util-linux",
    "apt-get": "apt",
    "dpkg": "dpkg",
    "depmod": "kmod",
}
_SECONDS = 3600
# $1: the unpacked packages, $2: the sources, $3: the release of the kernel. Ends with the modules, without debug symbols.
_BUILD = """
mount -t overlay -o lowerdir="$1"/usr:/usr overlay /usr
cd "$2"
headers=/usr/src/linux-headers-$3
./configure --with-config=kernel --with-linux="${headers%-*}-common" --with-linux-obj="$headers" CC=gcc-12
make -j "$(nproc)" CC=gcc-12
find module -name '*.ko' -exec strip --strip-debug {} +
"""


def make(kernels: str, suite: str) -> list[str]:
    """Build the modules for the kernel of `suite` and unpack the programs, unless that was done; needs root.

    Return a message for each failure: experiments with ZFS are unsupported then.
    """
    try:
        kernel, pinned = packages.fetch(kernels, suite), pins.zfs(suite)
        if pinned is None:
            raise Unsupported(
                f"ZFS cannot be built for the kernel of {suite}: envs/{pins.ZFS_LIST.name} pins no packages"
            )
        with file_lock(folder(FOLDER) / ".lock", "the folder of ZFS", _SECONDS, "building ZFS"):
            if not is_made(kernel, suite):
                _make(kernel, pinned, suite)
    except Unsupported as unsupported:
        return [unsupported.reason]
    return []


def is_made(kernel: Kernel, suite: str) -> bool:
    """Whether the modules for this kernel and the programs are there, of exactly the pinned packages."""
    pinned = pins.zfs(suite)
    return (
        pinned is not None
        and _has(modules_of(kernel), pinned.build)
        and _has(programs.UNPACKED / pinned.programs[0].package, pinned.programs)
    )


def missing_tools() -> list[str]:
    """Tools that the build needs and this machine lacks, each with its package."""
    return [f"{tool} (package {package})" for tool, package in _NEEDED.items() if programs.find(tool) is None]


def modules_of(kernel: Kernel) -> Path:
    """The folder of the modules of ZFS."""
    return kernel.modules / "updates" / "zfs"


def _versions(pinned: list[Pin]) -> dict[str, str]:
    return {pin.package: pin.version for pin in pinned}


def _has(made: Path, pinned: list[Pin]) -> bool:
    """Whether a folder was made of exactly these packages."""
    note = made / NOTE
    return note.is_file() and json.loads(note.read_text(encoding="utf-8")) == _versions(pinned)


def _make(kernel: Kernel, pinned: pins.ZfsPins, suite: str) -> None:
    if absent := missing_tools():
        raise Unsupported(f"ZFS cannot be built: {', '.join(absent)} is not installed")
    print(f"Building ZFS for Linux {kernel.release} from Debian's sources; this takes about 10 minutes", flush=True)
    work = FOLDER / "build"
    shutil.rmtree(work, ignore_errors=True)
    try:
        source = replace(debian(), components="main contrib")
        archive = Archive(FOLDER / "apt", suite, source, f"ZFS cannot be built for the kernel of {suite}")
        archive.update()
        for name, wanted in (("sources", pinned.build), ("programs", pinned.programs)):
            (work / name).mkdir(parents=True)
            for pin in wanted:
                archive.unpack(pin, work / name)
        built = _built(work, kernel.release)
        _put(built, modules_of(kernel), pinned.build)
        kernel_modules.write_lists(kernel.folder, kernel.release)
        _put(work / "programs", folder(programs.UNPACKED) / pinned.programs[0].package, pinned.programs)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _built(work: Path, release: str) -> Path:
    """Build in the folder `work` and return the folder with the modules alone."""
    (sources,) = (work / "sources" / "usr" / "src").glob("zfs-*")
    words = ["sh", "-ec", _BUILD, "build", str(work / "sources"), str(shutil.copytree(sources, work / "zfs")), release]
    done = execute(["unshare", "--mount", "--", *words], _SECONDS)
    if done.exit_code:
        lines = [line for line in done.stderr.splitlines() if "rror" in line] or [done.stderr[-300:]]
        raise Unsupported(f"ZFS cannot be built for Linux {release}: {lines[0].strip() or 'it printed no error'}")
    modules = work / "modules"
    modules.mkdir()
    for file in (work / "zfs" / "module").rglob("*.ko"):
        shutil.copy(file, modules)
    return modules


def _put(made: Path, place: Path, pinned: list[Pin]) -> None:
    """Move a folder to its place, with the note of its packages, instead of an older one."""
    (made / NOTE).write_text(json.dumps(_versions(pinned)) + "\n", encoding="utf-8")
    made.chmod(0o755)
    shutil.rmtree(place, ignore_errors=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(made, place)
