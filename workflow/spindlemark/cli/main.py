"""The command line: each command is a thin call of the module that does the work."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from spindlemark.cli.run import NotMeasuredError
from spindlemark.cli.terminal import exit_codes
from spindlemark.core.errors import UserError, plain
from spindlemark.core.limits import MOST_MINUTES, MOST_REPETITIONS
from spindlemark.measure.plan import Request

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    help="Measures how media should be stored and served, and publishes the answer as a citable site.",
)
console = Console(highlight=False)

Profile = Annotated[str | None, typer.Option(help="quick, standard or full; see config/profiles/")]
Testbed = Annotated[str | None, typer.Option(help="where to measure; see config/testbeds/")]
Repetitions = Annotated[
    int | None,
    typer.Option(min=1, max=MOST_REPETITIONS, help="repetitions of each experiment instead of the profile's"),
]
Family = Annotated[str | None, typer.Option(help="only this family; see config/experiments/")]
Only = Annotated[str | None, typer.Option(help="only experiments whose name has this in it, as ext4 or --picture")]
Budget = Annotated[
    float | None,
    typer.Option(min=0.01, max=MOST_MINUTES, help="minutes of measuring instead of the profile's: a hard limit"),
]
Yes = Annotated[bool, typer.Option("--yes", help="install missing system tools without asking")]


@app.command(epilog="Example: `./spindlemark run --profile quick --budget 20`")
def run(
    profile: Profile = None,
    testbed: Testbed = None,
    repetitions: Repetitions = None,
    family: Family = None,
    only: Only = None,
    budget: Budget = None,
    until_decided: Annotated[
        bool,
        typer.Option(
            "--until-decided/--once",
            help="spend what is left of the time on deciding what is undecided, or measure only what is declared",
        ),
    ] = True,
    again: Annotated[
        bool,
        typer.Option(
            "--again",
            help="measure all declared rounds once more, as a session of its own: after a restart, or on another day",
        ),
    ] = False,
    erase: Annotated[
        str | None,
        typer.Option(metavar="SERIAL", help="the disk with this serial number, a testbed of this run, may be erased"),
    ] = None,
    site: Annotated[
        bool,
        typer.Option(
            "--site/--no-site", help="build the site in the end, or only measure, as another host does for its home"
        ),
    ] = True,
    yes: Yes = False,
) -> None:
    """Measure what is missing, decide what is undecided while the time lasts, then build the site.

    Run it again to continue where it stopped.
    """
    from spindlemark.cli import run as runner
    from spindlemark.cli import snakemake_process
    from spindlemark.cli.terminal import disk_consent, recommendation_table
    from spindlemark.core.process import tools

    request = Request(profile, testbed, repetitions, family, only)
    with snakemake_process.only_one():
        if os.geteuid() != 0:
            console.print(
                "[bold]Without root nothing can be measured[/]: formatting and mounting need it. "
                "Measure with: sudo ./spindlemark run\nBuilding the site from the releases instead."
            )
            runner.publish(console)
        else:
            tools.install(tools.missing("measure"), _asker(yes))
            disk_consent.require_consent(console, request, erase)
            try:
                runner.measure(request, console, budget, once=not until_decided, again=again, site=site)
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
    """Show what would run, why, and about how long it would take. Changes nothing."""
    from spindlemark.cli.terminal import plan_table
    from spindlemark.core import dry_run

    dry_run.begin()
    plan_table.plan(console, Request(profile, testbed, repetitions, family, only))


@app.command(epilog="Example: `./spindlemark site && ./spindlemark serve`")
def site() -> None:
    """Build the site from the releases and from what was measured here, without measuring."""
    from spindlemark.cli import run as runner
    from spindlemark.cli import snakemake_process
    from spindlemark.core import paths

    with snakemake_process.only_one():
        runner.publish(console)
    console.print(f"The site is in {paths.SITE.relative_to(paths.ROOT)}; look at it with: ./spindlemark serve")


@app.command(epilog="Example: `./spindlemark serve --port 8080`")
def serve(port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes any free one")] = 8000) -> None:
    """Serve the built site on 127.0.0.1 until Ctrl-C."""
    from spindlemark.cli import serve as server

    server.forever(port, console)


@app.command(epilog="Example: `./spindlemark release 2026.11`")
def release(version: Annotated[str, typer.Argument(help="YYYY.MM, or YYYY.MM.N for a second one in a month")]) -> None:
    """Freeze what was measured into data/releases/VERSION and add that version to the site."""
    from spindlemark.cli import run as runner
    from spindlemark.cli import snakemake_process
    from spindlemark.core import paths
    from spindlemark.measure import plan as planning
    from spindlemark.release import versions as releases

    with snakemake_process.only_one():
        releases.check_new(version)
        planning.read()
        marker = paths.BUILD / "releases" / f"{version}.frozen"
        marker.unlink(missing_ok=True)
        runner.publish(console, str(marker.relative_to(paths.ROOT)))
        runner.publish(console)
    console.print(f"data/releases/{version} is frozen and on the site at /{version}/; commit it to publish it.")


@app.command(epilog="Example: `./spindlemark cite 2026.11 --doi 10.5281/zenodo.1234567`")
def cite(
    version: Annotated[str, typer.Argument(help="a release")],
    doi: Annotated[str | None, typer.Option(help="DOI of this version")] = None,
    concept_doi: Annotated[str | None, typer.Option(help="DOI of all versions, which leads to the newest")] = None,
    site: Annotated[str | None, typer.Option(help="address under which all versions are served")] = None,
    repository: Annotated[str | None, typer.Option(help="address of the source code")] = None,
) -> None:
    """Tell how a release is cited; with options, put where it is published into its record first.

    The record lies beside the release, of which no byte changes.
    """
    from spindlemark.cli.terminal import citing

    citing.cite(console, version, doi=doi, concept_doi=concept_doi, site=site, repository=repository)


@app.command(epilog="Example: `./spindlemark crate 2026.11`")
def crate(
    version: Annotated[str, typer.Argument(help="a release")],
    output: Annotated[Path | None, typer.Option(help="file to write instead of one in data/build/crates/")] = None,
) -> None:
    """Make one file of a release, a RO-Crate to deposit or to hand on: the same bytes from the same release."""
    from spindlemark.core import paths
    from spindlemark.release.ro_crate import crate as crates

    target = output or paths.CRATES / crates.name(version)
    crates.make(version, target)
    console.print(f"{target}: {target.stat().st_size / 1e6:.1f} MB", markup=False, soft_wrap=True)


@app.command(epilog="Example: `./spindlemark bundle --session 2026-11-23-f0ac`")
def bundle(
    session: Annotated[str | None, typer.Option(help="only this session; all without it")] = None,
    release: Annotated[str | None, typer.Option(metavar="VERSION", help="pack the records of a release")] = None,
    machine: Annotated[str | None, typer.Option(metavar="ID", help="which one, where there are several")] = None,
    output: Annotated[Path, typer.Option(help="file or folder to write; nothing is overwritten")] = Path(),
    yes: Annotated[bool, typer.Option("--yes", help="write it without asking")] = False,
) -> None:
    """Pack this machine's results for others, without what may name a person. Shows what goes, and asks."""
    from spindlemark.cli.terminal import contribution_summary
    from spindlemark.release.contributions import export

    packed = export.pack(export.chosen(export.records(release), session, machine))
    contribution_summary.show(console, packed)
    if not yes and not (sys.stdin.isatty() and typer.confirm("Write this bundle?", default=False)):
        raise UserError("nothing was written: nobody said yes", "read the list, then say yes on a terminal or --yes")
    written = plain(str(export.write(packed, output)))
    console.print(f"{written}\nGive it to others as CONTRIBUTING.md says.", soft_wrap=True, markup=False)


@app.command(epilog="Example: `./spindlemark join amd-epyc-ccba36e7-2b038d3994cb.zip`")
def join(
    files: Annotated[list[Path], typer.Argument(help="bundles of other machines")],
    check: Annotated[bool, typer.Option("--check", help="only say whether they can be taken")] = False,
) -> None:
    """Take other machines' bundles into data/joined: each is checked, and refused whole when anything is wrong."""
    from spindlemark import config
    from spindlemark.cli.terminal import contribution_summary
    from spindlemark.measure import plan as planning
    from spindlemark.release.contributions import imported

    width = planning.found(config.load()).stability.relative_width
    for file in files:
        found, heard = imported.checked(file, width)
        contribution_summary.joined(console, heard)
        if not check:
            done = "taken" if imported.take(found) else "is there already"
            console.print(f"{found.name}: {done}; see it with: ./spindlemark site", soft_wrap=True)


@app.command(epilog="Example: `./spindlemark publish --folder /srv/www/spindlemark`")
def publish(
    folder: Annotated[Path | None, typer.Option(help="a folder that is served, or sent elsewhere, as by rsync")] = None,
    archive: Annotated[Path | None, typer.Option(help="a zip archive of the whole site")] = None,
    remote: Annotated[str, typer.Option(help="without those two: the remote of this repository")] = "origin",
    branch: Annotated[str, typer.Option(help="and its branch")] = "gh-pages",
    unreleased: Annotated[bool, typer.Option("--unreleased", help="also what was measured and not released")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="put it online without asking")] = False,
) -> None:
    """Put the releases online: show what would change there, ask, and check it before and after.

    What stands online is never taken away, and a release there is never replaced.
    """
    from spindlemark.cli import snakemake_process
    from spindlemark.cli.terminal import deploying

    with snakemake_process.only_one():
        deploying.publish(console, folder, archive, remote, branch, unreleased, yes)


@app.command(epilog="Example: `./spindlemark doctor`")
def doctor() -> None:
    """Tell what this machine can measure, what is missing and how to get it."""
    from spindlemark.cli.terminal import diagnosis

    diagnosis.show(console)


@app.command(epilog="Example: `./spindlemark show ext4--picture`")
def show(experiment: Annotated[str, typer.Argument(help="name of an experiment, or a part of it")]) -> None:
    """Show every sample of an experiment in the terminal."""
    from spindlemark.cli.terminal import sample_table

    sample_table.show(console, experiment)


@app.command(
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    epilog="Example: `./spindlemark test -k guard`",
)
def test(context: typer.Context, yes: Yes = False) -> None:
    """Install what the tests need, a browser included, and run the whole suite. Further words go to pytest."""
    from spindlemark.cli import testing
    from spindlemark.core.process import tools, unpacked
    from spindlemark.families import registry as families

    tools.install([*tools.missing("measure"), *tools.missing("test")], _asker(yes))
    if os.geteuid() == 0:  # without root nothing is measured, in tests either
        unpacked.fetch([*families.unpacked(), *testing.CLUSTER])
    raise typer.Exit(testing.run(context.args))


def _asker(yes: bool):  # noqa: ANN202  # Callable[[str], bool]
    """Ask on a terminal; take yes for an answer with --yes, under CI and where nobody can answer."""
    if yes or os.environ.get("CI") or not sys.stdin.isatty():
        return lambda question: True
    return lambda question: typer.confirm(question, default=True)


def main() -> None:
    """Entry point; exit codes are those of `ending.exits`."""
    with exit_codes.exits():
        app()
