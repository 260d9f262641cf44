"""The one exception that means: the user can mend this. And how each of our commands tells it."""

import sys
from collections.abc import Callable

MARK = "spindlemark: error: "


class UserError(Exception):
    """Bad input or a bad machine state, with what to do about it; commands print it and exit with 2."""

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(f"{problem}\n  {remedy}")
        self.problem = problem
        self.remedy = remedy


def command(main: Callable[[], int | None]) -> None:
    """Run a stage's command: a UserError is printed with a mark that the engine finds in logs, exit code 2."""
    try:
        sys.exit(main() or 0)
    except UserError as error:
        print(f"{MARK}{error}", file=sys.stderr, flush=True)
        sys.exit(2)


def find_in_log(text: str) -> list[str]:
    """The distinct user errors in a log, each as its two lines."""
    lines = text.splitlines()
    found = [f"{line.removeprefix(MARK)}\n{lines[i + 1] if i + 1 < len(lines) else ''}"
             for i, line in enumerate(lines) if line.startswith(MARK)]
    return list(dict.fromkeys(found))
