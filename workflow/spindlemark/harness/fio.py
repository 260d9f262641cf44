"""fio: one call as a command of a step, with its JSON output kept whole."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from spindlemark.core.outcome import Failed
from spindlemark.core.paths import ROOT
from spindlemark.core.process.command import Finished
from spindlemark.harness.repetition import Repetition

TOOL = "fio"
PACKAGE = "fio"
# By default fio writes offset and time into its random buffer before each request, and again into what that left: the
# content of a long job becomes ever easier to compress.
_RANDOM_CONTENT = "--scramble_buffers=0"
# Any exit code of its own is answered here, from its JSON; an end by a signal is not one of them.
_EXIT_CODES = range(256)


def run(
    repetition: Repetition,
    arguments: Sequence[str | Path],
    limit_seconds: float = 600.0,
    attach: str | None = None,
    prefix: Sequence[str] = (),
) -> dict[str, Any]:
    """Run `fio ARGUMENTS` as a command of the present step and return its JSON output; `prefix` is what starts it.

    The output goes to memory that only this process holds, so neither the disk measured nor any other gets it, and
    nothing stays after a crash. It is kept in the record's attachments as `attach`, also when fio fails. Raises
    Unsupported when fio is not there and Failed with fio's own words when a job ends with an error or when it
    does not end within `limit_seconds`.
    """
    repetition.need_tools([TOOL], PACKAGE)
    with os.fdopen(os.memfd_create("fio"), "rb") as memory:
        output = Path(f"/proc/{os.getpid()}/fd/{memory.fileno()}")
        done = repetition.run(
            [*prefix, TOOL, "--output-format=json", f"--output={output}", _RANDOM_CONTENT, *arguments],
            limit_seconds,
            _EXIT_CODES,
        )
        printed = memory.read().decode("utf-8", errors="replace")
    parsed = _parsed(printed)
    if attach is not None and parsed is not None:
        repetition.attachments[attach] = parsed
    if done.exit_code != 0 or any(job["error"] for job in (parsed or {}).get("jobs", [])):
        raise Failed(_reason(attach, done, parsed))
    if parsed is None:
        raise ValueError(f"fio ended well and printed no JSON: {printed[:200]!r}")
    return parsed


def _parsed(printed: str) -> dict[str, Any] | None:
    """The JSON object in fio's output, which warnings may precede; None when there is none."""
    text = printed.replace(f"{ROOT}/", "")
    start = 0 if text.startswith("{") else text.find("\n{") + 1
    if not text.startswith("{", start):
        return None
    return json.JSONDecoder().raw_decode(text, start)[0]


def _reason(attach: str | None, done: Finished, parsed: dict[str, Any] | None) -> str:
    """What fio prints on standard error, or else the error that its JSON names."""
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    codes = [job["error"] for job in (parsed or {}).get("jobs", []) if job["error"]]
    words = lines[0] if lines else os.strerror(codes[0]) if codes else "it printed nothing"
    return f"{attach or TOOL}: fio ended with exit code {done.exit_code}: {words}"
