"""What several commands use: the console, options, and the question before an installation."""

import errno
import os
import re
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer
from rich.console import Console

from spindlemark.core.errors import UserError
from spindlemark.core.limits import MOST_REPETITIONS, shown

console = Console(highlight=False)
_NOT_SHOWN = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")  # the last: bytes of a name that are not UTF-8

Profile = Annotated[str | None, typer.Option(help="quick, standard or full; see config/profiles/")]
Testbed = Annotated[str | None, typer.Option(help="testbed to measure on; see config/testbeds/")]
Repetitions = Annotated[
    int | None,
    typer.Option(min=1, max=MOST_REPETITIONS, help="repetitions of each experiment (default: from the profile)"),
]
Family = Annotated[str | None, typer.Option(help="only this family; see config/experiments/")]
Only = Annotated[
    str | None, typer.Option(help="only experiments whose name contains this text, for example ext4 or --picture")
]
Part = Annotated[
    str | None,
    typer.Option(help="only this part of the profile, for example loop-1; plan --profile standard lists the parts"),
]
Yes = Annotated[bool, typer.Option("--yes", help="install missing system tools without asking")]


def named(given: Any) -> Any:
    """Return the paths of an option or argument, before any work for them is done.

    Raises UserError for a name that cannot be shown on one line, or that is too long.
    """
    for path in filter(None, given if isinstance(given, list) else [given]):
        if _NOT_SHOWN.search(str(path)):
            raise UserError(
                f"{shown(str(path))}: contains a control character or is not UTF-8",
                "use a file or folder of another name",
            )
        try:
            os.lstat(path)
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                raise
    return given


def asker(yes: bool) -> Callable[[str], bool]:
    """Return a function that asks on a terminal; with --yes, in CI and without a terminal it answers yes."""
    if yes or os.environ.get("CI") or not sys.stdin.isatty():
        return lambda question: True
    return lambda question: typer.confirm(question, default=True)
