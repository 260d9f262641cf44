"""Define the command line. Each command calls the module that does the work."""

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from typer.core import TyperGroup

from spindlemark.cli.run import NotMeasuredError
from spindlemark.cli.terminal import exit_codes
from spindlemark.core.errors import UserError, plain
from spindlemark.core.limits import MOST_MINUTES, MOST_REPETITIONS
from spindlemark.core.paths import ROOT
from spindlemark.measure.plan import Request

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    help="Measure how to store and serve media, and publish the results as a citable site.",
)
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
Budget = Annotated[
    float | None,
    typer.Option(
        min=0.01, max=MOST_MINUTES, help="hard limit on measuring time in minutes (default: from the profile)"
    ),
]
Yes = Annotated[bool, typer.Option("--yes", help="install missing system tools without asking")]
Fast = Annotated[bool, typer.Option("--fast", help="leave out tests that need root, a browser or minutes")]


@app.command(epilog="Example: `./spindlemark run --profile quick --budget 20`")
def run(
    profile: Profile = None,
    testbed: Testbed = None,
    repetitions: Repetitions = None,
    family: Family = None,
    only: Only = None,
    budget: Budget = None,
    adaptive: Annotated[
        bool,
        typer.Option(
            "--adaptive/--no-adaptive",
            help="use the remaining time for further rounds of inconclusive comparisons, or measure only the declared rounds",
        ),
    ] = True,
    new_session: Annotated[
        bool,
        typer.Option(
            "--new-session",
            help="measure all declared rounds again as a new session, for example after a restart or on another day",
        ),
    ] = False,
    once: Annotated[bool, typer.Option("--once/--until-decided", hidden=True)] = False,
    again: Annotated[bool, typer.Option("--again", hidden=True)] = False,
    erase: Annotated[
        str | None,
        typer.Option(
            metavar="SERIAL", help="confirm that the disk with this serial number, a testbed of this run, may be erased"
        ),
    ] = None,
    site: Annotated[
        bool,
        typer.Option("--site/--no-site", help="build the site after measuring, or only measure"),
    ] = True,
    yes: Yes = False,
) -> None:
    """Measure what is missing, add rounds to inconclusive comparisons while time remains, then build the site.

    To continue an interrupted run, run the command again.
    """
    from spindlemark.cli import run as runner
    from spindlemark.cli import snakemake_process
    from spindlemark.cli.terminal import disk_consent, recommendation_table
    from spindlemark.core.process import tools

    request = Request(profile, testbed, repetitions, family, only)
    with snakemake_process.only_one():
        if os.geteuid() != 0:
            console.print(
                "[bold]Measuring needs root[/], for example to format and mount filesystems. "
                "To measure, run: sudo ./spindlemark run\nBuilding the site from the releases instead."
            )
            runner.publish(console)
        else:
            tools.install(tools.missing("measure"), _asker(yes))
            disk_consent.require_consent(console, request, erase)
            try:
                runner.measure(
                    request,
                    console,
                    budget,
                    adaptive_sampling=adaptive and not once,
                    new_session=new_session or again,
                    site=site,
                )
            except NotMeasuredError:
                if site:
                    recommendation_table.show(console)
                raise
        if site:
            recommendation_table.show(console)


@app.command(epilog="Example: `./spindlemark plan --profile standard`")
def plan(
    profile: Profile = None,
    testbed: Testbed = None,
    repetitions: Repetitions = None,
    family: Family = None,
    only: Only = None,
) -> None:
    """Show what would run, why, and roughly how long it takes. Changes nothing."""
    from spindlemark.cli.terminal import plan_table
    from spindlemark.core import dry_run

    dry_run.begin()
    plan_table.plan(console, Request(profile, testbed, repetitions, family, only))


@app.command(epilog="Example: `./spindlemark site && ./spindlemark serve`")
def site() -> None:
    """Build the site from the releases and this machine's results, without measuring."""
    from spindlemark.cli import run as runner
    from spindlemark.cli import snakemake_process
    from spindlemark.core import paths

    with snakemake_process.only_one():
        runner.publish(console)
    console.print(f"The site is in {paths.SITE.relative_to(paths.ROOT)}. To view it, run: ./spindlemark serve")


@app.command(epilog="Example: `./spindlemark serve --port 8080`")
def serve(port: Annotated[int, typer.Option(min=0, max=65535, help="port; 0 selects any free port")] = 8000) -> None:
    """Serve the built site on 127.0.0.1 until Ctrl-C."""
    from spindlemark.cli import serve as server

    server.forever(port, console)


class _Release(TyperGroup):
    """`release VERSION` means `release freeze VERSION`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the action in front where the first word is a version."""
        named = bool(args) and not args[0].startswith("-") and args[0] not in self.commands
        return super().parse_args(ctx, ["freeze", *args] if named else args)


releases = typer.Typer(cls=_Release, no_args_is_help=True, help="Freeze what was measured, or unpack a release.")
app.add_typer(releases, name="release", epilog="Example: `./spindlemark release 2026.11`")


@releases.command()
def unpack(
    version: Annotated[str, typer.Argument(help="a release")],
    output: Annotated[Path, typer.Option(help="new folder to write")],
) -> None:
    """Write a release as plain files: each record, tables also as CSV, findings as JSON."""
    from spindlemark.core import paths
    from spindlemark.release.unpack import unpack as write
    from spindlemark.release.version_name import order

    order(version)
    count = write(paths.RELEASES / version, output)
    console.print(f"{output}: {count} files", markup=False, soft_wrap=True)


@releases.command("freeze")
def release(
    version: Annotated[str, typer.Argument(help="YYYY.MM, or YYYY.MM.N for further releases of a month")],
) -> None:
    """Freeze this machine's results in data/releases/VERSION and add that version to the site."""
    from spindlemark.cli import run as runner
    from spindlemark.cli import snakemake_process
    from spindlemark.core import paths
    from spindlemark.measure import plan as planning
    from spindlemark.release import versions as frozen

    with snakemake_process.only_one():
        frozen.check_new(version)
        planning.read()
        marker = paths.BUILD / "releases" / f"{version}.frozen"
        marker.unlink(missing_ok=True)
        runner.publish(console, str(marker.relative_to(paths.ROOT)))
        runner.publish(console)
    console.print(f"data/releases/{version} is frozen and on the site at /{version}/. To publish it, commit it.")


@app.command(epilog="Example: `./spindlemark cite 2026.11 --doi 10.5281/zenodo.1234567`")
def cite(
    version: Annotated[str, typer.Argument(help="a release")],
    doi: Annotated[str | None, typer.Option(help="DOI of this version")] = None,
    concept_doi: Annotated[str | None, typer.Option(help="DOI of all versions, which resolves to the newest")] = None,
    site: Annotated[str | None, typer.Option(help="address of the deployed site with all versions")] = None,
    repository: Annotated[str | None, typer.Option(help="address of the source code")] = None,
) -> None:
    """Show how to cite a release. Options first add its DOI or address to its record of publication.

    The record is stored in data/publications/; the release itself does not change.
    """
    from spindlemark.cli.terminal import citing

    citing.cite(console, version, doi=doi, concept_doi=concept_doi, site=site, repository=repository)


@app.command(epilog="Example: `./spindlemark crate 2026.11`")
def crate(
    version: Annotated[str, typer.Argument(help="a release")],
    output: Annotated[Path | None, typer.Option(help="file to write (default: in data/build/crates/)")] = None,
) -> None:
    """Pack a release as one RO-Crate file to deposit or share. The same release gives the same bytes."""
    from spindlemark.core import paths
    from spindlemark.release.ro_crate import crate as crates

    target = output or paths.CRATES / crates.name(version)
    crates.make(version, target)
    console.print(f"{target}: {target.stat().st_size / 1e6:.1f} MB", markup=False, soft_wrap=True)


@app.command("bundle", hidden=True)
@app.command(epilog="Example: `./spindlemark export --session 2026-11-23-f0ac`")
def export(
    session: Annotated[str | None, typer.Option(help="export only this session (default: all)")] = None,
    release: Annotated[str | None, typer.Option(metavar="VERSION", help="export the records of a release")] = None,
    machine: Annotated[str | None, typer.Option(metavar="ID", help="machine to export, if there are several")] = None,
    output: Annotated[Path, typer.Option(help="file or folder to write; existing files are not overwritten")] = Path(),
    yes: Annotated[bool, typer.Option("--yes", help="write the file without asking")] = False,
) -> None:
    """Export this machine's results as a contribution, without personal data. Shows the content and asks first."""
    from spindlemark.cli.terminal import contribution_summary
    from spindlemark.release.contributions import export as exporting

    packed = exporting.pack(exporting.chosen(exporting.records(release), session, machine))
    contribution_summary.show(console, packed)
    if not yes and not (sys.stdin.isatty() and typer.confirm("Write this contribution?", default=False)):
        raise UserError(
            "nothing was written: the export was not confirmed",
            "check the list, then confirm on a terminal or add --yes",
        )
    written = plain(str(exporting.write(packed, output)))
    console.print(f"{written}\nCONTRIBUTING.md describes how to submit it.", soft_wrap=True, markup=False)


@app.command("join", hidden=True)
@app.command("import", epilog="Example: `./spindlemark import amd-epyc-ccba36e7-2b038d3994cb.zip`")
def import_contributions(
    files: Annotated[list[Path], typer.Argument(help="contributions of other machines")],
    check: Annotated[bool, typer.Option("--check", help="only check whether the files are valid")] = False,
) -> None:
    """Import contributions of other machines into data/joined. Each file is checked; an invalid file is rejected."""
    from spindlemark import config
    from spindlemark.cli.terminal import contribution_summary
    from spindlemark.measure import plan as planning
    from spindlemark.release.contributions import imported

    width = planning.found(config.load()).stability.relative_width
    for file in files:
        contribution, findings = imported.checked(file, width)
        contribution_summary.checked(console, findings)
        if not check:
            done = "imported" if imported.take(contribution) else "already imported"
            console.print(f"{contribution.name}: {done}. To view it, run: ./spindlemark site", soft_wrap=True)


@app.command("publish", hidden=True)
@app.command(epilog="Example: `./spindlemark deploy --folder /srv/www/spindlemark`")
def deploy(
    folder: Annotated[Path | None, typer.Option(help="deploy to a folder, for example of a web server")] = None,
    archive: Annotated[Path | None, typer.Option(help="deploy to a ZIP archive of the whole site")] = None,
    remote: Annotated[str, typer.Option(help="otherwise: deploy to this remote of the repository")] = "origin",
    branch: Annotated[str, typer.Option(help="branch of the remote")] = "gh-pages",
    unreleased: Annotated[bool, typer.Option("--unreleased", help="include results that are not released")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="deploy without asking")] = False,
) -> None:
    """Deploy the site of all releases: show the changes, ask, and verify the files before and after.

    Deployed files are never removed, and a deployed release is never replaced.
    """
    from spindlemark.cli import snakemake_process
    from spindlemark.cli.terminal import deploying

    with snakemake_process.only_one():
        deploying.deploy(console, folder, archive, remote, branch, unreleased, yes)


@app.command(epilog="Example: `./spindlemark doctor`")
def doctor() -> None:
    """Show what this machine can measure, what is missing and how to install it."""
    from spindlemark.cli.terminal import diagnosis

    diagnosis.show(console)


new = typer.Typer(no_args_is_help=True, help="Write the files that something new needs, from working templates.")
app.add_typer(new, name="new")


@new.command(name="family", epilog="Example: `./spindlemark new family file_copies`; see docs/add-a-family.md")
def new_family(name: Annotated[str, typer.Argument(help="lower-case words joined by underscores")]) -> None:
    """Write a benchmark family: module, experiments, questions, description of the method, and a test."""
    from spindlemark.cli import new_family as scaffold

    for path in scaffold.write(name):
        console.print(str(path.relative_to(ROOT)), markup=False, soft_wrap=True)


@app.command(epilog="Example: `./spindlemark show ext4--picture`")
def show(experiment: Annotated[str, typer.Argument(help="name of an experiment, or part of it")]) -> None:
    """Show every sample of an experiment in the terminal."""
    from spindlemark.cli.terminal import sample_table

    sample_table.show(console, experiment)


@app.command(
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    epilog="Example: `./spindlemark test -k guard`",
)
def test(context: typer.Context, yes: Yes = False, fast: Fast = False) -> None:  # noqa: PT028  # a command, not a test
    """Install what the tests need, including a browser, and run all tests. Other arguments are passed to pytest."""
    from spindlemark.cli import testing
    from spindlemark.core.process import tools, unpacked
    from spindlemark.families import registry as families

    tools.install([*tools.missing("measure"), *(() if fast else tools.missing("test"))], _asker(yes))
    if os.geteuid() == 0 and not fast:  # without root nothing is measured, in tests either
        unpacked.fetch([*families.unpacked(), *testing.CLUSTER])
    raise typer.Exit(testing.run(context.args, fast))


def _asker(yes: bool):  # Callable[[str], bool]
    """Return a function that asks on a terminal; with --yes, in CI and without a terminal it answers yes."""
    if yes or os.environ.get("CI") or not sys.stdin.isatty():
        return lambda question: True
    return lambda question: typer.confirm(question, default=True)


def main() -> None:
    """Entry point; exit codes are those of `ending.exits`."""
    with exit_codes.exits():
        app()
