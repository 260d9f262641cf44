"""What host and guest say to each other: small files in a folder that both see, each renamed into place when whole.

ready              the agent listens
request-<n>.json   from the host: measure this
alive              a number that grows while the guest works, so that a hung one is told from a slow one
running.json       the step it is in
answer-<n>.json    the record, or why there is none
"""

import json
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from spindlemark.core import atomic_write
from spindlemark.core.outcome import Failed
from spindlemark.core.process.interrupts import interruptible

READY, ALIVE, RUNNING = "ready", "alive", "running.json"
START = "start"
_POLL_SECONDS = 0.05


class NotTaken(Failed):
    """The machine ended before it began what it was asked for, as one that powers off after a long wait."""


def listens(shared: Path) -> bool:
    """Whether the agent has said that it is ready."""
    return (shared / READY).exists()


def busy(shared: Path) -> bool:
    """Whether a request is there that was not answered and taken away."""
    return any(shared.glob("request-*.json"))


def ask(
    shared: Path,
    request: dict[str, Any],
    alive: Callable[[], bool],
    silence: float,
    limit: float,
    on_step: Callable[[str], None],
) -> dict[str, Any]:
    """Put a request and wait for its answer; both are taken away. `on_step` is called with each new step.

    Raises Failed when the machine ends, says nothing for `silence` seconds, or has no answer after `limit` seconds.
    """
    number = time.monotonic_ns()
    (shared / RUNNING).unlink(missing_ok=True)
    atomic_write.write(shared / f"request-{number}.json", json.dumps(request))
    answer = shared / f"answer-{number}.json"
    begun = last = time.monotonic()
    beat, step = "", START
    with interruptible():
        while not answer.exists():
            time.sleep(_POLL_SECONDS)
            now = time.monotonic()
            if (text := _text(shared / ALIVE)) != beat:
                beat, last = text, now
            if (reported := _step(shared)) and reported != step:
                step = reported
                on_step(step)
            if not alive() and not answer.exists():
                raise (NotTaken if step == START else Failed)(f"the virtual machine ended while in step {step}")
            if now - last > silence:
                raise Failed(f"the virtual machine said nothing for {silence:g} s while in step {step}")
            if now - begun > limit:
                raise Failed(f"the virtual machine had no result after {limit:g} s, its limit, while in step {step}")
    content = json.loads(answer.read_text(encoding="utf-8"))
    # The request first: without its answer it would be a new one.
    (shared / f"request-{number}.json").unlink()
    answer.unlink()
    return content


def next_request(shared: Path, idle_seconds: float) -> tuple[str, dict[str, Any]] | None:
    """The next request's number and content, waited for; None when none came for `idle_seconds`.

    Asks often at first, then once a second: a machine that waits while another testbed is measured keeps still.
    """
    begun = time.monotonic()
    while (waited := time.monotonic() - begun) < idle_seconds:
        for path in shared.glob("request-*.json"):
            number = path.stem.removeprefix("request-")
            if not (shared / f"answer-{number}.json").exists():
                with suppress(FileNotFoundError):  # since it was seen the host took it away, and its answer
                    return number, json.loads(path.read_text(encoding="utf-8"))
        time.sleep(min(1.0, max(_POLL_SECONDS, waited / 20)))
    return None


def answer(shared: Path, number: str, content: dict[str, Any]) -> None:
    """Give the answer to a request."""
    atomic_write.write(shared / f"answer-{number}.json", json.dumps(content))


def _step(shared: Path) -> str | None:
    try:
        return json.loads((shared / RUNNING).read_text())["step"]
    except (OSError, ValueError, KeyError):
        return None


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
