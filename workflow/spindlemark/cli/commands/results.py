"""Commands that show results: `site`, `serve`, `show` and `deploy`."""

from pathlib import Path
from typing import Annotated

import typer

from spindlemark.cli.commands.shared import console, named


def site() -> None:
    """Build the site from the releases and this machine's results, without measuring."""
    from spindlemark.cli import snakemake_process, workflow_call
    from spindlemark.core import paths

    with snakemake_process.only_one():
        workflow_call.publish(console)
    console.print(f"The site is in {paths.SITE.relative_to(paths.ROOT)}. To view it, run: ./spindlemark serve")


def serve(port: Annotated[int, typer.Option(min=0, max=65535, help="port; 0 selects any free port")] = 8000) -> None:
    """Serve the built site on 127.0.0.1 until Ctrl-C."""
    from spindlemark.cli import serve as server

    server.forever(port, console)


def show(experiment: Annotated[str, typer.Argument(help="name of an experiment, or part of it")]) -> None:
    """Show every sample of an experiment in the terminal."""
    from spindlemark.cli.terminal import sample_table

    sample_table.show(console, experiment)


def deploy(
    folder: Annotated[
        Path | None, typer.Option(help="deploy to a folder, for example of a web server", callback=named)
    ] = None,
    archive: Annotated[
        Path | None, typer.Option(help="deploy to a ZIP archive of the whole site", callback=named)
    ] = None,
    remote: Annotated[str, typer.Option(help="otherwise: deploy to this remote of the repository")] = "origin",
    branch: Annotated[str, typer.Option(help="branch of the remote")] = "gh-pages",
    unreleased: Annotated[bool, typer.Option("--unreleased", help="include results that are not released")] = False,
    archives: Annotated[
        bool, typer.Option("--with-archives", help="add each release in one file, and record its address")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="deploy without asking")] = False,
) -> None:
    """Deploy the site of all releases: show the changes, ask, and verify the files before and after.

    Deployed files are never removed, and a deployed release is never replaced.
    """
    from spindlemark.cli import snakemake_process
    from spindlemark.cli.terminal import deploying

    with snakemake_process.only_one():
        deploying.deploy(console, (folder, archive, remote, branch), unreleased, archives, yes)
