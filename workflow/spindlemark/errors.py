"""The one exception that means: the user can mend this. And how each of our commands tells it."""

import sys
from collections.abc import Callable

MARK = "spindlemark: error: "


def plain(text: str) -> str:
    """`text` with control characters written out: what others wrote must not command the terminal that shows it."""
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode("ascii") for c in text)


class UserError(Exception):
    """Bad input or a bad machine state, with what to do about it; commands print it and exit with 2."""

    def __init__(self, problem: str, remedy: str) -> None:
        self.problem, self.remedy = plain(problem), plain(remedy)
        super().__init__(f"{self.problem}\n  {self.remedy}")


def command(main: Callable[[], int | None]) -> None:
    """Run a stage's command: a UserError is printed with a mark that the engine finds in logs, exit code 2."""
    try:
        sys.exit(main() or 0)
    except UserError as error:
        print(f"{MARK}{error}", file=sys.stderr, flush=True)
        sys.exit(2)


def find_in_log(text: str) -> list[str]:
    """The distinct user errors in a log, each with its indented lines, the last of which is the remedy."""
    found: list[list[str]] = []
    inside = False
    for line in text.splitlines():
        if line.startswith(MARK):
            found.append([line.removeprefix(MARK)])
            inside = True
        elif inside and line.startswith("  "):
            found[-1].append(line)
        else:
            inside = False
    return list(dict.fromkeys("\n".join(lines) for lines in found))


def parts(told: str) -> tuple[str, str]:
    """Problem and remedy of a user error as found in a log."""
    problem, _, remedy = told.rpartition("\n")
    return (problem, remedy.strip()) if problem else (remedy, "see the log")
