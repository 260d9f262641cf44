"""The table of a profile's parts."""

from collections import defaultdict
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from spindlemark import config
from spindlemark.cli import progress
from spindlemark.core.record import Spec
from spindlemark.measure import parts, pending
from spindlemark.measure.pending import Job
from spindlemark.measure.plan import Plan


def show(
    console: Console, registry: config.Registry, planned: Plan, specs: Sequence[Spec], jobs: Sequence[Job]
) -> None:
    """Print each part with the repetitions that it lacks and the time that they take, and how to run one."""
    found = parts.of(registry, planned.profile, [spec.experiment for spec in specs])
    by_identity = {spec.identity: spec for spec in specs}
    part_of = parts.by_repetition(found)
    missing: defaultdict[str, list[Job]] = defaultdict(list)
    for job in jobs:
        name = part_of.get((parts.key(by_identity[job.experiment.identity].experiment), job.repetition))
        if name:  # a concurrent control may need further repetitions, which no part declares
            missing[name].append(job)
    table = Table("part", "testbeds", "families", "repetitions", "time")
    for part in found.values():
        own = missing[part.name]
        left = progress.duration(pending.seconds_of(own, by_identity)) if own else "measured"
        table.add_row(part.name, ", ".join(part.testbeds), ", ".join(part.families), str(len(own)), left)
    console.print(table)
    first = next((part for part in found if missing[part]), next(iter(found)))
    console.print(
        f"To measure one part, run: ./spindlemark run --profile {planned.profile} --part {first}", soft_wrap=True
    )
