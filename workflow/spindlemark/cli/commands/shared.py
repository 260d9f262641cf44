"""What several commands use: the console, options, and the question before an installation."""

import os
import sys
from collections.abc import Callable
from typing import Annotated

import typer
from rich.console import Console

from spindlemark.core.limits import MOST_REPETITIONS

console = Console(highlight=False)

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
Yes = Annotated[bool, typer.Option("--yes", help="install missing system tools without asking")]


def asker(yes: bool) -> Callable[[str], bool]:
    """Return a function that asks on a terminal; with --yes, in CI and without a terminal it answers yes."""
    if yes or os.environ.get("CI") or not sys.stdin.isatty():
        return lambda question: True
    return lambda question: typer.confirm(question, default=True)
