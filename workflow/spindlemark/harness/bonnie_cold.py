"""Program: run bonnie++ so that each of its tests begins on cold caches. Needs the standard library alone.

bonnie++ reads what it has just written, which would come from memory. Set to ask before each test (-yp), it prints the
test's number and waits for a line; here everything is synced, clean pages are dropped and the device's counters are read
before that line is sent. None of this is on bonnie++'s clocks.

Usage: prompted STAT OUTPUT COMMAND..., where STAT is the device's counters (/sys/block/<name>/stat) and OUTPUT takes
JSON: {"text": all that was printed, "tests": [{"test", "read_bytes", "written_bytes"}]}. Ends with the command's exit
code; what it printed last is repeated on standard error.
"""

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

from spindlemark.core.process import programs

PROMPT = re.compile(rb"(?:^|\n)(\d+):\n$")
_DIE_WITH_US = ("setpriv", "--pdeathsig=KILL", "--")


def main(stat: Path, output: Path, command: list[str]) -> int:
    """Run `command`, answer its prompts, write OUTPUT; returns its exit code."""
    process = programs.start(
        [*_DIE_WITH_US, *command], stdin=programs.PIPE, stdout=programs.PIPE, stderr=programs.STDOUT
    )
    assert process.stdin and process.stdout  # both are pipes
    printed, tests, begun = b"", [], None
    while chunk := os.read(process.stdout.fileno(), 65536):
        printed += chunk
        if prompt := PROMPT.search(printed):
            os.sync()
            now = _transferred(stat)
            tests += _ended(begun, now)
            Path("/proc/sys/vm/drop_caches").write_text("3")
            begun = int(prompt[1]), _transferred(stat)
            os.write(process.stdin.fileno(), b"\n")
    code = process.wait()
    os.sync()
    tests += _ended(begun, _transferred(stat))
    text = printed.decode("utf-8", errors="replace")
    output.write_text(json.dumps({"text": text, "tests": tests}))
    sys.stderr.write(text[-2000:])
    return code if code >= 0 else 128 - code


def _transferred(stat: Path) -> tuple[int, int]:
    """(read, written) bytes of the device since it is there."""
    fields = stat.read_text().split()
    return int(fields[2]) * 512, int(fields[6]) * 512


def _ended(begun: tuple[int, tuple[int, int]] | None, now: tuple[int, int]) -> list[dict[str, Any]]:
    """What the device transferred during the test that has just ended."""
    if begun is None:
        return []
    test, (read, written) = begun
    return [{"test": test, "read_bytes": now[0] - read, "written_bytes": now[1] - written}]


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]))
