"""Messages between host and guest: small files in a shared folder, written under a temporary name and then renamed.

ready              the agent is ready
request-<n>.json   from the host: what to measure
alive              a number that grows while the guest works, so that a hung guest differs from a slow one
running.json       the present step
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


class NotStarted(Failed):
    """The machine ended before it began with the request, for example because it powers off after a long wait."""


def listens(shared: Path) -> bool:
    """Whether the agent is ready."""
    return (shared / READY).exists()


def busy(shared: Path) -> bool:
    """Whether there is a request without an answer."""
    return any(shared.glob("request-*.json"))


def ask(
    shared: Path,
    request: dict[str, Any],
    alive: Callable[[], bool],
    silence: float,
    limit: float,
    on_step: Callable[[str], None],
) -> dict[str, Any]:
    """Send a request, wait for its answer, and remove both. `on_step` is called with each new step.

    Raises Failed when the machine ends, shows no activity for `silence` seconds, or has no answer after `limit` seconds.
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
                raise (NotStarted if step == START else Failed)(f"the virtual machine ended while in step {step}")
            if now - last > silence:
                raise Failed(f"the virtual machine showed no activity for {silence:g} s while in step {step}")
            if now - begun > limit:
                raise Failed(f"the virtual machine had no result after {limit:g} s, its limit, while in step {step}")
    content = json.loads(answer.read_text(encoding="utf-8"))
    # The request first: without its answer it would count as a new one.
    (shared / f"request-{number}.json").unlink()
    answer.unlink()
    return content


def next_request(shared: Path, idle_seconds: float) -> tuple[str, dict[str, Any]] | None:
    """Wait for the next request and return its number and content; None when none came for `idle_seconds`.

    Checks often at first, then once a second, so that a waiting machine does not disturb measurements of another
    testbed.
    """
    begun = time.monotonic()
    while (waited := time.monotonic() - begun) < idle_seconds:
        for path in shared.glob("request-*.json"):
            number = path.stem.removeprefix("request-")
            if not (shared / f"answer-{number}.json").exists():
                with suppress(FileNotFoundError):  # the host removed it meanwhile, with its answer
                    return number, json.loads(path.read_text(encoding="utf-8"))
        time.sleep(min(1.0, max(_POLL_SECONDS, waited / 20)))
    return None


def answer(shared: Path, number: str, content: dict[str, Any]) -> None:
    """Send the answer to a request."""
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
