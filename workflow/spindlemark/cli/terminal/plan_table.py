"""The table of the plan."""

from collections import Counter
from collections.abc import Iterable

from rich.console import Console
from rich.table import Table

from spindlemark import config
from spindlemark.cli import progress
from spindlemark.cli.publishable import require_publishable
from spindlemark.cli.terminal import disk_consent, part_table
from spindlemark.cli.terminal.untrusted_text import escaped
from spindlemark.config import VmTestbed
from spindlemark.measure import pending
from spindlemark.measure import plan as planning
from spindlemark.measure.plan import Plan, Planned
from spindlemark.measure.request import Request
from spindlemark.testbeds import hosts
from spindlemark.testbeds.vm import packages

LONG_LIST = 40
CONTROL = "concurrent control: only configurations measured in the same round are compared"


def plan(console: Console, request: Request) -> None:
    """Print each experiment that would run, the reason, and the expected time; writes nothing."""
    registry = config.load()
    require_publishable()
    planned, specs = planning.make(registry, request)
    away = hosts.others(registry)
    here = [e for e in planned.experiments if hosts.is_here(registry.testbeds[e.testbed])]
    own = [e for e in here if e.chosen]
    by_identity = {spec.identity: spec for spec in specs}
    jobs = pending.missing(planned)
    counts = Counter(job.experiment.identity for job in jobs)
    lacking = {job.experiment.identity for job in jobs if job.repetition <= job.experiment.repetitions}
    table = Table("experiment", "repetitions", "reason")
    for experiment in planned.experiments:
        if counts[experiment.identity] and table.row_count < LONG_LIST:
            why = pending.reason(by_identity[experiment.identity]) if experiment.identity in lacking else CONTROL
            table.add_row(experiment.experiment, str(counts[experiment.identity]), escaped(why))
    if jobs:
        console.print(table)
        if len(counts) > LONG_LIST:
            console.print(f"... and {len(counts) - LONG_LIST} more experiments.")
    disk_consent.show(console, planned)
    expected = progress.duration(pending.seconds_of(jobs, by_identity))
    alone = sorted({e.family for e in here} - {e.family for e in own})
    if alone and request == Request(profile=request.profile):
        console.print(f"Measured only on request, for example with --family {alone[0]}: {', '.join(alone)}.")
    for name in _unfetched(planned):
        console.print(
            f"The first run fetches the kernel of testbed {name}; until then all its experiments count as missing."
        )
    for host, names in away.items():
        console.print(
            f"On host {host}: {', '.join(names)}. This table does not show what is missing there. To measure there, run: "
            f"{hosts.HOW}",
            markup=False,
        )
    console.print(
        f"Profile {planned.profile} on {_testbeds(own)}: {len(own)} experiments; "
        + (f"{len(jobs)} repetitions to measure, about {expected}." if jobs else "all up to date.")
    )
    if request == Request(profile=request.profile) and registry.profiles[planned.profile].part_minutes:
        part_table.show(console, registry, planned, specs, jobs)
    minutes = registry.profiles[planned.profile].minutes(request.family, request.part)
    console.print(
        f"`run` measures for up to {progress.duration(60 * minutes)}; it uses the remaining time for adaptive sampling."
    )


def _unfetched(planned: Plan) -> list[str]:
    """Virtual machines of the plan without a kernel: the identities of their experiments are not known yet."""
    declared = config.load().testbeds
    beds = {
        name: bed
        for name in sorted({e.testbed for e in planned.experiments if e.chosen})
        if isinstance(bed := declared[name], VmTestbed)
    }
    return [name for name, bed in beds.items() if packages.cached(bed.kernels, bed.kernel) is None]


def _testbeds(experiments: Iterable[Planned]) -> str:
    names = sorted({experiment.testbed for experiment in experiments})
    return f"{'testbed' if len(names) == 1 else 'testbeds'} {', '.join(names)}"
