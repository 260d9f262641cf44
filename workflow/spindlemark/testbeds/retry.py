"""Wait for something that a killed command may keep busy for another moment."""

import time
from collections.abc import Callable

from spindlemark.core.errors import UserError
from spindlemark.core.process.command import execute

SECONDS = 60
_LIMIT_SECONDS = 600


def until(done: Callable[[], bool], problem: str) -> None:
    """Wait until `done` returns true; raises UserError after a minute."""
    give_up = time.monotonic() + SECONDS
    while not done():
        if time.monotonic() > give_up:
            raise UserError(problem, "end the program that uses it, then run again")
        time.sleep(0.02)


def until_success(argv: list[str], problem: str) -> None:
    """Run a command until it succeeds; raises UserError with its error output after a minute."""
    give_up = time.monotonic() + SECONDS
    while (finished := execute(argv, _LIMIT_SECONDS, stoppable=False)).exit_code != 0:
        if time.monotonic() > give_up:
            raise UserError(f"{problem}: {finished.stderr.strip()}", "end the program that uses it, then run again")
        time.sleep(0.1)
