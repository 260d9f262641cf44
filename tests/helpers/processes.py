"""Whether a process runs, as tests ask it."""

import time
from pathlib import Path


def alive(pid: int | str) -> bool:
    """Whether it runs. One that nobody has waited for yet has ended: in some containers nobody waits for orphans."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def ended(pid: int | str, seconds: float = 30) -> bool:
    """Whether it has ended within `seconds`."""
    give_up = time.monotonic() + seconds
    while alive(pid) and time.monotonic() < give_up:
        time.sleep(0.02)
    return not alive(pid)
