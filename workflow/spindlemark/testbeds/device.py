"""What every testbed on a block device of this machine gives a family: counters, mount options, facts of its queue."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from spindlemark.record import Scalar
from spindlemark.testbeds import disk, kernel

QUEUE = ("scheduler", "nr_requests", "read_ahead_kb", "rotational", "logical_block_size", "physical_block_size",
         "max_sectors_kb", "discard_max_bytes", "write_cache")


@dataclass(frozen=True)
class Device:
    """A device to claim and format, and a folder to mount it on."""

    name: str  # the kernel's
    testbed: str
    node: Path
    mount_point: Path
    size: int  # bytes

    def transferred(self) -> tuple[int, int]:
        """(read, written) bytes since it appeared, from the kernel's counters of this device."""
        fields = self._counters.read_text().split()
        return int(fields[2]) * disk.SECTOR, int(fields[6]) * disk.SECTOR

    def mount_options(self) -> str | None:
        """The options in force of what is mounted on the mount point, None when nothing is."""
        found = [mount.options for mount in kernel.mounts() if mount.point == self.mount_point]
        return found[-1] if found else None

    def counters(self) -> Mapping[str, Path]:
        """Files of the load sampler."""
        return {"device": self._counters}

    @property
    def _counters(self) -> Path:
        return disk.sysfs_of(self.name) / "stat"


def queue_facts(prefix: str, name: str | None, keys: tuple[str, ...] = QUEUE) -> dict[str, Scalar]:
    """Environment fields of a whole disk's queue."""
    return {f"{prefix}.queue.{key}": disk.attribute(name, f"queue/{key}") for key in keys}
