"""Commands that measure: `run` and `plan`."""

import os
from typing import Annotated

import typer

from spindlemark.cli.commands.shared import Family, Only, Part, Profile, Repetitions, Testbed, Yes, asker, console
from spindlemark.cli.failures import NotMeasuredError
from spindlemark.core.limits import MOST_MINUTES
from spindlemark.measure.request import Request

Budget = Annotated[
    float | None,
    typer.Option(
        min=0.01, max=MOST_MINUTES, help="hard limit on measuring time in minutes (default: from the profile)"
    ),
]
Adaptive = Annotated[
    bool,
    typer.Option(
        "--adaptive/--no-adaptive",
        help="use the remaining time for further rounds of inconclusive comparisons, or measure only the declared rounds",
    ),
]
NewSession = Annotated[
    bool,
    typer.Option(
        "--new-session",
        help="measure all declared rounds again as a new session, for example after a restart or on another day",
    ),
]
Once = Annotated[bool, typer.Option("--once/--until-decided", hidden=True)]
Again = Annotated[bool, typer.Option("--again", hidden=True)]
Erase = Annotated[
    str | None,
    typer.Option(
        metavar="SERIAL", help="confirm that the disk with this serial number, a testbed of this run, may be erased"
    ),
]
Site = Annotated[bool, typer.Option("--site/--no-site", help="build the site after measuring, or only measure")]


def run(
    profile: Profile = None,
    testbed: Testbed = None,
    repetitions: Repetitions = None,
    family: Family = None,
    only: Only = None,
    part: Part = None,
    budget: Budget = None,
    adaptive: Adaptive = True,
    new_session: NewSession = False,
    once: Once = False,
    again: Again = False,
    erase: Erase = None,
    site: Site = True,
    yes: Yes = False,
) -> None:
    """Measure what is missing, add rounds to inconclusive comparisons while time remains, then build the site.

    To continue an interrupted run, run the command again. `--part` measures one part of a long profile.
    """
    from spindlemark.cli import run as runner
    from spindlemark.cli import snakemake_process, workflow_call
    from spindlemark.cli.terminal import disk_consent, recommendation_table
    from spindlemark.core.process import tools

    request = Request(profile, testbed, repetitions, family, only, part=part)
    disk_consent.require_known(erase, runner.require_valid(request))
    with snakemake_process.only_one():
        if os.geteuid() != 0:
            console.print(
                "[bold]Measuring needs root[/], for example to format and mount filesystems. "
                "To measure, run: sudo ./spindlemark run\nBuilding the site from the releases instead."
            )
            workflow_call.publish(console)
        else:
            tools.install(tools.missing("measure"), asker(yes))
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


def plan(
    profile: Profile = None,
    testbed: Testbed = None,
    repetitions: Repetitions = None,
    family: Family = None,
    only: Only = None,
    part: Part = None,
) -> None:
    """Show what would run, why, and roughly how long it takes; for a profile with parts, list them. Changes nothing."""
    from spindlemark.cli.terminal import plan_table
    from spindlemark.core import dry_run

    dry_run.begin()
    plan_table.plan(console, Request(profile, testbed, repetitions, family, only, part=part))
