"""Block devices of this machine as testbeds: counters, mount options, facts of the device's queue."""

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from spindlemark.core.record import Scalar
from spindlemark.testbeds import disk, kernel

QUEUE = (
    "scheduler",
    "nr_requests",
    "read_ahead_kb",
    "rotational",
    "logical_block_size",
    "physical_block_size",
    "max_sectors_kb",
    "discard_max_bytes",
    "write_cache",
)
_BELOW = ("scheduler", "nr_requests", "read_ahead_kb", "rotational", "logical_block_size", "write_cache")


class Traffic(NamedTuple):
    """Requests that reached a device, after the kernel merged neighbouring ones, and their bytes."""

    reads: int = 0
    writes: int = 0
    read_bytes: int = 0
    written_bytes: int = 0

    @property
    def bytes(self) -> int:
        """Bytes read and written."""
        return self.read_bytes + self.written_bytes

    def plus(self, other: "Traffic") -> "Traffic":
        """The sum of two steps."""
        return Traffic(*(a + b for a, b in zip(self, other, strict=True)))

    def since(self, before: "Traffic") -> "Traffic":
        """The difference between two readings of the same counters."""
        return Traffic(*(now - then for now, then in zip(self, before, strict=True)))


@dataclass(frozen=True)
class Device(ABC):
    """A device to claim and format, and a folder to mount it on."""

    name: str  # the kernel's
    testbed: str
    node: Path
    mount_point: Path
    size: int  # bytes

    @abstractmethod
    def claimed(self) -> AbstractContextManager[str]:
        """Context that yields the device's node for one destructive command; see guard.claim."""

    @abstractmethod
    def facts(self) -> dict[str, Scalar]:
        """Environment fields of the device."""

    def transferred(self) -> Traffic:
        """Traffic since the device appeared, from the kernel's counters."""
        return traffic(self._counters.read_text())

    def after_mount(self) -> None:
        """Change the settings of a filesystem that was just mounted: none, except in a network."""
        return

    def at_full_speed(self) -> AbstractContextManager[None]:
        """Context in which the device is as fast as this machine, to prepare files on it: its own speed, for most."""
        return nullcontext()

    def mount_options(self) -> str | None:
        """The options in force of the filesystem on the mount point, None when none is mounted."""
        found = [mount.options for mount in kernel.mounts() if mount.point == self.mount_point]
        return found[-1] if found else None

    def counters(self) -> Mapping[str, Path]:
        """Files of the load sampler: `device`, and `backing`, the whole disk below it, where there is one."""
        return {"device": self._counters}

    @property
    def _counters(self) -> Path:
        return disk.sysfs_of(self.name) / "stat"


def traffic(stat: str) -> Traffic:
    """The counters in a `stat` file of a disk or partition in sysfs."""
    fields = [int(field) for field in stat.split()]
    return Traffic(fields[0], fields[4], fields[2] * disk.SECTOR, fields[6] * disk.SECTOR)


def queue_facts(prefix: str, name: str | None, keys: tuple[str, ...] = QUEUE) -> dict[str, Scalar]:
    """Environment fields of a whole disk's queue."""
    return {f"{prefix}.queue.{key}": disk.attribute(name, f"queue/{key}") for key in keys}


def backing_identity(folder: Path) -> dict[str, Any]:
    """What may change a number of the disk below an image in `folder`: the same for two clones on one disk."""
    mount, below = kernel.disk_below(folder)
    sectors, rotational = disk.attribute(below, "size"), disk.attribute(below, "queue/rotational")
    return {
        "filesystem": mount.filesystem,
        "model": disk_model(below),
        "bytes": int(sectors) * disk.SECTOR if sectors else None,
        "rotational": rotational == "1" if rotational else None,
    }


def backing_facts(folder: Path) -> dict[str, Scalar]:
    """Environment fields of the filesystem and disk below an image in `folder`."""
    mount, below = kernel.disk_below(folder)
    stat = os.statvfs(folder)
    return {
        "backing.filesystem": mount.filesystem,
        # Options of layered filesystems contain paths, which may name a user.
        "backing.mount_options": ",".join(o for o in mount.options.split(",") if "/" not in o),
        "backing.bytes": stat.f_blocks * stat.f_frsize,
        "backing.free_bytes": stat.f_bavail * stat.f_frsize,
        "backing.disk": below,
        "backing.model": disk_model(below),
        **queue_facts("backing", below, _BELOW),
    }


def disk_model(name: str | None) -> str | None:
    """Vendor and model that a disk reports, None where it reports none (for example virtio disks)."""
    parts = [disk.attribute(name, f"device/{key}") for key in ("vendor", "model")]
    words = [part for part in parts if isinstance(part, str) and not part.startswith("0x")]
    return " ".join(words) or None
