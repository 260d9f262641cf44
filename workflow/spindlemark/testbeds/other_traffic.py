"""Traffic of other processes on the disk below a testbed during a step: the disk's counters minus our device's."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from spindlemark.testbeds.device import Traffic, traffic
from spindlemark.testbeds.load import MEASURABLE_SECONDS

# The filesystem below an image also writes metadata, for example when unwritten extents are written.
_OWN_BYTES, _OWN_SHARE = 1 << 20, 0.1
_BUSY_FIELD = 9  # of `stat`: milliseconds in which the disk was busy


@dataclass(frozen=True)
class DiskBelow:
    """The disk's counters at the beginning of a step."""

    stat: Path
    begun: Traffic
    busy: int  # milliseconds

    @classmethod
    def of(cls, counters: Mapping[str, Path]) -> "DiskBelow | None":
        """Read them now; None where there is no disk below, for example below a file in memory."""
        if "backing" not in counters:
            return None
        return cls(counters["backing"], *_read(counters["backing"]))

    def others(self, ours: Traffic, seconds: float) -> float:
        """Share of `seconds` in which the disk was busy with requests that did not come from our device, 0 to 1.

        The disk's busy time is divided in proportion to the bytes. Bytes that the filesystem below adds to ours, and
        less than MEASURABLE_SECONDS, count as none.
        """
        moved, busy = _read(self.stat)
        total = moved.since(self.begun).bytes
        foreign = total - (1 + _OWN_SHARE) * ours.bytes - _OWN_BYTES
        if foreign <= 0:
            return 0.0
        used = (busy - self.busy) / 1000 * foreign / total
        return min(1.0, used / seconds) if used >= MEASURABLE_SECONDS else 0.0


def _read(stat: Path) -> tuple[Traffic, int]:
    text = stat.read_text()
    return traffic(text), int(text.split()[_BUSY_FIELD])
