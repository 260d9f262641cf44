"""What others did to the disk below a testbed while a step ran: its own counters, less what our device asked for."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from spindlemark.testbeds.device import Traffic, traffic
from spindlemark.testbeds.load import TELLABLE_SECONDS

# The filesystem below an image writes some of its own beside our bytes, as when it notes what is no longer unwritten.
_OWN_BYTES, _OWN_SHARE = 1 << 20, 0.1
_BUSY_FIELD = 9  # of `stat`: milliseconds in which the disk had anything to do


@dataclass(frozen=True)
class Below:
    """The disk's counters at the beginning of a step."""

    stat: Path
    begun: Traffic
    busy: int  # milliseconds

    @classmethod
    def of(cls, counters: Mapping[str, Path]) -> "Below | None":
        """Read them now; None where no disk lies below, as below a file in memory."""
        if "backing" not in counters:
            return None
        return cls(counters["backing"], *_read(counters["backing"]))

    def others(self, ours: Traffic, seconds: float) -> float:
        """Share of `seconds` in which the disk was busy with what our device did not ask for, 0 to 1.

        Of the time in which it was busy, others have the share that they have of its bytes. What the filesystem below
        adds to our bytes, and less than TELLABLE_SECONDS, count as none.
        """
        moved, busy = _read(self.stat)
        total = moved.since(self.begun).bytes
        foreign = total - (1 + _OWN_SHARE) * ours.bytes - _OWN_BYTES
        if foreign <= 0:
            return 0.0
        used = (busy - self.busy) / 1000 * foreign / total
        return min(1.0, used / seconds) if used >= TELLABLE_SECONDS else 0.0


def _read(stat: Path) -> tuple[Traffic, int]:
    text = stat.read_text()
    return traffic(text), int(text.split()[_BUSY_FIELD])
