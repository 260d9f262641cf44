"""Processor time of a control group. Uses the standard library alone, because clients read it too."""

from contextlib import suppress
from pathlib import Path


def seconds(group: Path) -> float | None:
    """Processor seconds of the group so far, with either version of control groups; None if it does not report them."""
    with suppress(OSError):
        if (group / "cpuacct.usage").exists():
            return int((group / "cpuacct.usage").read_text()) / 1e9
        fields = dict(line.split() for line in (group / "cpu.stat").read_text().splitlines())
        return int(fields["usage_usec"]) / 1e6
    return None
