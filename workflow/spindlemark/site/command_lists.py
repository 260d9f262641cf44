"""Commands of an experiment, listed once for all repetitions with the same commands."""

import re
import shlex
from collections import Counter, defaultdict
from typing import Any

from spindlemark.analysis.format import number
from spindlemark.site.query import Row

PIECES = re.compile(r": (\d+) extents? found", re.MULTILINE)
Page = dict[str, Any]


def shown(rows: list[Row]) -> list[Page]:
    """List the commands with their times and output in the first of the repetitions that ran the same ones."""
    found: dict[int, list[Row]] = defaultdict(list)
    for r in rows:
        found[r["repetition"]].append(r)
    return [
        {
            "n": n,
            "repetitions": _ranges(own[0]["repetitions"]),
            "others": len(own[0]["repetitions"]) - 1,
            "commands": [_command(r) for r in own],
        }
        for n, own in sorted(found.items())
    ]


def _command(row: Row) -> Page:
    took = dict(zip(row["repetitions"], row["took"], strict=True))
    return {
        "step": row["step"],
        "line": shlex.join(row["argv"]),
        "exit_code": row["exit_code"],
        "seconds": number(row["seconds"], "s"),
        "used": used(row),
        "others": [{"n": n, "text": number(s, "s")} for n, s in took.items() if n != row["repetition"]],
        "output": "\n".join(o for o in (row["stdout"], row["stderr"]) if o).strip(),
    }


def _ranges(numbers: list[int]) -> str:
    """Ascending numbers in words, such as `1 to 3, 5, 6`."""
    runs: list[list[int]] = []
    for n in numbers:
        if runs and n == runs[-1][-1] + 1:
            runs[-1].append(n)
        else:
            runs.append([n])
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)


def used(row: Row) -> str:
    """CPU time and page faults of a command, as far as they were recorded."""
    cpu = [
        f"{number(row[key], 's')} {name}"
        for key, name in (("user_seconds", "user"), ("system_seconds", "system"))
        if row.get(key) is not None
    ]
    faults = [
        f"{row[key]:,} {name}"
        for key, name in (("minor_faults", "minor"), ("major_faults", "major"))
        if row.get(key) is not None
    ]
    return "; ".join(f"{what}: {', '.join(own)}" for what, own in (("CPU", cpu), ("page faults", faults)) if own)


def pieces(rows: list[Row]) -> list[Page]:
    """Number of recordings by their number of extents, per repetition and step. `rows`: the commands that counted extents."""
    found: dict[tuple[int, str], list[int]] = defaultdict(list)
    for r in rows:
        found[r["repetition"], r["step"]] += map(int, PIECES.findall(r["stdout"] or ""))
    return [
        {
            "n": n,
            "step": step.replace("-", " "),
            "recordings": len(own),
            "pieces": f"{sum(own):,}",
            "most": f"{max(own):,}",
            "spread": ", ".join(f"{count} in {many:,}" for many, count in sorted(Counter(own).items())),
        }
        for (n, step), own in found.items()
        if own
    ]
