"""Commands for contributions: `export` and `import`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from spindlemark.cli.commands.shared import console, named
from spindlemark.core.errors import UserError, plain


def export(
    session: Annotated[str | None, typer.Option(help="export only this session (default: all)")] = None,
    release: Annotated[str | None, typer.Option(metavar="VERSION", help="export the records of a release")] = None,
    machine: Annotated[str | None, typer.Option(metavar="ID", help="machine to export, if there are several")] = None,
    output: Annotated[
        Path, typer.Option(help="file or folder to write; existing files are not overwritten", callback=named)
    ] = Path(),
    yes: Annotated[bool, typer.Option("--yes", help="write the file without asking")] = False,
) -> None:
    """Export this machine's results as a contribution, without personal data. Shows the content and asks first."""
    from spindlemark.cli.terminal import contribution_summary
    from spindlemark.release.contributions import export as exporting

    exporting.require_folder(output)
    packed = exporting.pack(exporting.chosen(exporting.records(release), session, machine))
    contribution_summary.show(console, packed)
    if not yes and not (sys.stdin.isatty() and typer.confirm("Write this contribution?", default=False)):
        raise UserError(
            "nothing was written: the export was not confirmed",
            "check the list, then confirm on a terminal or add --yes",
        )
    written = plain(str(exporting.write(packed, output)))
    console.print(f"{written}\nCONTRIBUTING.md describes how to submit it.", soft_wrap=True, markup=False)


def import_contributions(
    files: Annotated[list[Path], typer.Argument(help="contributions of other machines", callback=named)],
    check: Annotated[bool, typer.Option("--check", help="only check whether the files are valid")] = False,
    restore: Annotated[
        bool, typer.Option("--restore", help="put this machine's own results back into data/raw, as in a new clone")
    ] = False,
) -> None:
    """Import contributions of other machines into data/joined. Each file is checked; an invalid file is rejected."""
    from spindlemark import config
    from spindlemark.cli.terminal import contribution_summary
    from spindlemark.measure import plan as planning
    from spindlemark.release.contributions import checks, imported, restored

    width = planning.found(config.load()).stability.relative_width
    for file in files:
        contribution, findings = imported.checked(file, width)
        contribution_summary.checked(console, findings)
        if restore and not check:
            count = restored.restore(*checks.read(file))
            console.print(f"{contribution.name}: {count} results restored to data/raw", soft_wrap=True)
        elif not check:
            done = "imported" if imported.take(contribution) else "already imported"
            console.print(f"{contribution.name}: {done}. To view it, run: ./spindlemark site", soft_wrap=True)
