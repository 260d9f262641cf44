"""What became of a fault: one of five outcomes, from what its trial showed."""

from spindlemark.families.integrity.faults import Fault
from spindlemark.families.integrity.read_program import DIFFERENT, ERROR, LISTING, MISSING
from spindlemark.families.integrity.trial import Seen, Unwhole

REPAIRED, DETECTED, HARMLESS, SILENT, LOST = OUTCOMES = ("repaired", "detected", "harmless", "silent", "lost")
MOUNT, READ, SCRUB, CHECK = "mount", "read", "scrub", "check"


def signals(seen: Seen, at: int, fault: Fault) -> list[str]:
    """What noticed the fault number `at` of a trial: mount, read, scrub, check. Faults of a batch are distinguished by file.

    A scrub noticed a fault of a batch if it restored the block.
    """
    first = seen.reads[0]
    if fault.place.file is None:
        scrubbed, read = bool(seen.scrub), first is not None and bool(first[ERROR] or first[LISTING])
    else:
        scrubbed, read = seen.restored[at], first is not None and fault.place.file in first[ERROR]
    found = {MOUNT: first is None, READ: read, SCRUB: scrubbed, CHECK: seen.checks[0]}
    return [name for name, noticed in found.items() if noticed]


def outcome(seen: Seen, fault: Fault, noticed: list[str]) -> str:
    """Return the outcome of a fault at the end of its trial.

    Repaired: noticed, and at the end all files are whole and the check finds no errors. Detected: noticed and not repaired.
    Silent: not noticed, and a file is wrong or missing. Lost: the filesystem cannot be mounted at the end.
    """
    last = seen.reads[-1]
    if last is None:
        return LOST
    damaged = bool(_damaged(last) if fault.place.file is None else fault.place.file in _damaged(last))
    if not noticed:
        return SILENT if damaged else HARMLESS
    return DETECTED if damaged or seen.checks[-1] else REPAIRED


def wrong_read(seen: Seen, at: int, fault: Fault) -> bool:
    """Whether the first reading returned wrong files, or left some out, and neither it nor the mount reported an error."""
    first = seen.reads[0]
    if first is None or {MOUNT, READ} & set(signals(seen, at, fault)):
        return False
    damaged = _damaged(first)
    return bool(damaged) if fault.place.file is None else fault.place.file in damaged


def _damaged(read: Unwhole) -> set[int]:
    return {*read[ERROR], *read[MISSING], *read[DIFFERENT]}
