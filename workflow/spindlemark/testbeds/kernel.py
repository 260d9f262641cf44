"""Mounts, loop devices and disks that the kernel reports. Everything except `own_mount_namespace` only reads."""

import ctypes
import fcntl
import os
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LOOP_MAJOR = 7
_LOOP_GET_STATUS64 = 0x4C05
LOOP_INFO64 = struct.Struct("=QQQQQ4I64s64s32s2Q")  # struct loop_info64 of linux/loop.h
_CLONE_NEWNS, _MS_REC, _MS_SLAVE = 0x00020000, 1 << 14, 1 << 19
_DELETED = " (deleted)"


@dataclass(frozen=True)
class Mount:
    """One line of mountinfo."""

    number: str  # major:minor as the filesystem reports it; anonymous for btrfs
    point: Path
    filesystem: str
    source: str
    options: str


@dataclass(frozen=True)
class Loop:
    """A loop device with a file behind it."""

    name: str
    backing: Path
    deleted: bool
    device: int  # of the backing file, as st_dev
    inode: int
    backing_number: int  # st_rdev where the backing file is itself a block device, else 0
    offset: int
    size_limit: int

    @property
    def node(self) -> Path:
        """The device node."""
        return Path("/dev") / self.name

    @property
    def file(self) -> tuple[int, int]:
        """(device, inode) of the backing file, independent of its name."""
        return self.device, self.inode


def mounts(mountinfo: Path = Path("/proc/self/mountinfo")) -> list[Mount]:
    """All mounts of one mount namespace, oldest first."""
    found = []
    for line in mountinfo.read_text(errors="surrogateescape").splitlines():
        before, _, after = line.partition(" - ")
        fields, rest = before.split(" "), after.split(" ")
        point = Path(_unescaped(fields[4]))
        options = dict.fromkeys(f"{fields[5]},{rest[2]}".split(","))
        found.append(Mount(fields[2], point, rest[0], _unescaped(rest[1]), ",".join(options)))
    return found


def mounts_everywhere() -> Iterator[Mount]:
    """Yield all mounts of every mount namespace that a process of this machine is in, as far as they can be read."""
    seen = set()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            namespace = (process / "ns" / "mnt").readlink()
            if namespace not in seen:
                yield from mounts(process / "mountinfo")
                seen.add(namespace)
        except OSError:
            continue  # it ended meanwhile; another process may be in its namespace, and O_EXCL would notice the mount


def own_mount_namespace() -> None:
    """Move this process into a mount namespace of its own, which still receives unmounts from outside.

    No other process sees its mounts, so no service or container that starts meanwhile can keep them busy. The kernel
    unmounts them when the last process of the namespace ends, in whatever way. Raises OSError without the permission.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_CLONE_NEWNS) or libc.mount(b"none", b"/", None, ctypes.c_ulong(_MS_REC | _MS_SLAVE), None):
        raise OSError(ctypes.get_errno(), "cannot make a mount namespace of its own")


def swaps() -> list[str]:
    """Files and devices that are used as swap."""
    return [_unescaped(line.split()[0]) for line in Path("/proc/swaps").read_text().splitlines()[1:]]


def loops() -> list[Loop]:
    """Every loop device that is attached to a file."""
    found = []
    for entry in Path("/sys/block").glob("loop*/loop/backing_file"):
        loop = loop_of(entry.parts[3])
        if loop is not None:
            found.append(loop)
    return found


def loop_of(name: str) -> Loop | None:
    """One loop device; None when no file is attached to it."""
    try:
        backing = Path(f"/sys/block/{name}/loop/backing_file").read_text().rstrip("\n")
        descriptor = os.open(f"/dev/{name}", os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        status = fcntl.ioctl(descriptor, _LOOP_GET_STATUS64, bytes(LOOP_INFO64.size))
    except OSError:
        return None
    finally:
        os.close(descriptor)
    device, inode, number, offset, size_limit = LOOP_INFO64.unpack(status)[:5]
    file, deleted = Path(backing.removesuffix(_DELETED)), backing.endswith(_DELETED)
    return Loop(name, file, deleted, device, inode, number, offset, size_limit)


def block_name(number: int) -> str | None:
    """Kernel name of the block device `number` (st_rdev), such as loop3 or sda1; None when it does not exist."""
    link = Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}")
    return link.resolve().name if link.exists() else None


def disk_below(folder: Path) -> tuple[Mount, str | None]:
    """The mount that contains `folder` (or its nearest existing parent) and the kernel name of the whole disk below it."""
    while not folder.exists():
        folder = folder.parent
    folder = folder.resolve()
    holding = [m for m in mounts() if m.point == folder or m.point in folder.parents]
    mount = max(reversed(holding), key=lambda m: len(m.point.parts))  # the last of equals, which hides the others
    return mount, _whole_disk(mount)


def _whole_disk(mount: Mount) -> str | None:
    major, minor = map(int, mount.number.split(":"))
    name = block_name(os.makedev(major, minor))
    if name is None and mount.source.startswith("/dev/"):
        try:
            name = block_name(Path(mount.source).stat().st_rdev)
        except OSError:
            return None
    if name is None:
        return None
    entry = Path("/sys/class/block") / name
    return entry.resolve().parent.name if (entry / "partition").exists() else name


def _unescaped(text: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda m: chr(int(m[1], 8)), text)
