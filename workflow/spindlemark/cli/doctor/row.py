"""One row of the doctor's table, and functions that fill it."""

from dataclasses import dataclass

from spindlemark.core.errors import UserError
from spindlemark.core.process import programs

SECONDS = 10


@dataclass(frozen=True)
class Row:
    """`ok` is false if something requested is not possible here; `remedy` then says what to do."""

    what: str
    ok: bool
    detail: str
    remedy: str = ""


def gibibytes(size: float) -> str:
    """Bytes as GiB with one decimal."""
    return f"{size / 2**30:.1f} GiB"


def first_line(argv: list[str], starts: str = "") -> str:
    """First line that a command prints and that begins with `starts`; empty if it fails to start or takes too long."""
    try:
        done = programs.run(argv, capture_output=True, text=True, timeout=SECONDS)
    except (OSError, UserError, programs.TimeoutExpired):
        return ""
    lines = (done.stdout or done.stderr).strip().splitlines()
    return next((line for line in lines if line.startswith(starts)), "")
