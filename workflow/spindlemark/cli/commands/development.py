"""Commands for developers: `doctor`, `new family` and `test`."""

import os
from typing import Annotated

import typer

from spindlemark.cli.commands.shared import Yes, asker, console

Fast = Annotated[bool, typer.Option("--fast", help="leave out tests that need root, a browser or minutes")]


def doctor() -> None:
    """Show what this machine can measure, what is missing and how to install it."""
    from spindlemark.cli.terminal import diagnosis

    diagnosis.show(console)


def new_family(name: Annotated[str, typer.Argument(help="lower-case words joined by underscores")]) -> None:
    """Write a benchmark family: module, experiments, questions, description of the method, and a test."""
    from spindlemark.cli import new_family as scaffold
    from spindlemark.core.paths import ROOT

    for path in scaffold.write(name):
        console.print(str(path.relative_to(ROOT)), markup=False, soft_wrap=True)


def test(context: typer.Context, yes: Yes = False, fast: Fast = False) -> None:  # noqa: PT028  # a command, not a test
    """Install what the tests need, including a browser, and run all tests. Other arguments are passed to pytest."""
    from spindlemark.cli import testing
    from spindlemark.core.process import tools, unpacked
    from spindlemark.families import registry as families

    lacking = [*tools.missing("measure"), *(() if fast else tools.missing("test"))]
    if lacking and context.args and (code := testing.collect(context.args)):
        raise typer.Exit(code)
    tools.install(lacking, asker(yes))
    if os.geteuid() == 0 and not fast:  # without root nothing is measured, in tests either
        unpacked.fetch([*families.unpacked(), *testing.CLUSTER])
    raise typer.Exit(testing.run(context.args, fast))
