"""Which disks a run would erase, and the user's consent to erase them: requested once per disk.

The consent is stored at once as a label on that disk, after the checks of the guard. The processes that measure use only a
disk with this label, so that consent for one disk cannot apply to another.
"""

import os
import sys

import typer
from rich.console import Console
from rich.table import Table

from spindlemark import config
from spindlemark.cli import progress
from spindlemark.cli.terminal.untrusted_text import escaped
from spindlemark.config import BlockTestbed, Network
from spindlemark.core.errors import UserError
from spindlemark.core.process.lock import machine_lock
from spindlemark.measure import pending
from spindlemark.measure import plan as planning
from spindlemark.measure.plan import Plan
from spindlemark.measure.request import Request
from spindlemark.testbeds import block, kind


def show(console: Console, planned: Plan) -> None:
    """Print a table of the disks of the plan, if there are any."""
    table = Table("disk that would be erased", "model", "bytes", "content now", "may it be erased?")
    for name, declared in _disks(planned).items():
        refused = block.refusal(name, declared)
        if refused is None:
            verdict = "yes, it has the label"
        elif block.lacks_only_consent(name, declared):
            verdict = "when you confirm it"
        else:
            verdict = refused.problem
        table.add_row(
            escaped(f"{name}: {declared.device}"),
            escaped(declared.model or ""),
            f"{declared.size:,}",
            escaped(block.content(declared)),
            escaped(verdict),
        )
    if table.row_count:
        console.print(table)


def require_known(erase: str | None, testbeds: set[str]) -> None:
    """Raise UserError if the serial number `erase` is not that of a disk of these testbeds."""
    if erase is not None and erase not in {declared.serial for declared in _disks_among(testbeds).values()}:
        raise UserError(
            f"--erase {erase}: no disk of this run has that serial number; nothing was written",
            "see the disks with: ./spindlemark plan",
        )


def require_consent(console: Console, request: Request, erase: str | None) -> None:
    """Ask for consent for each disk without a label on which results are missing; `erase` is the serial number given as option.

    Raises UserError if the guard refuses a disk, there is no terminal to ask on, or the answer is another serial number.
    """
    with progress.activity(console, "planning; missing kernels of virtual machines are fetched"):
        planned, _ = planning.make(config.load(), request)
    disks = _disks(planned)
    for name in sorted(_disks_among({job.experiment.testbed for job in pending.missing(planned)})):
        _require(console, name, disks[name], erase)


def _require(console: Console, name: str, declared: BlockTestbed, erase: str | None) -> None:
    with machine_lock(wait=False, purpose=f"testbed {name}"):
        kind.of(declared).clean(name, declared)
        refused = block.refusal(name, declared)
        if refused is None:
            return
        if not block.lacks_only_consent(name, declared):
            raise refused
        if erase != declared.serial:
            if not sys.stdin.isatty() or os.environ.get("CI"):
                raise refused
            _ask(console, name, declared, refused)
        block.consent(name, declared)
    console.print(
        escaped(f"{declared.device} now has this program's label: later runs on this machine erase it without asking.")
    )


def _ask(console: Console, name: str, declared: BlockTestbed, why: UserError) -> None:
    console.print(escaped(why.problem))
    console.print(f"[bold red]Everything on this disk is erased[/], now and in every later run on testbed {name}:")
    console.print(
        escaped(
            f"  {declared.device}\n  {declared.model or 'no model'}, {declared.size:,} bytes\n"
            f"  content now: {block.content(declared)}"
        )
    )
    answer = typer.prompt("Type its serial number to let it be erased", default="", show_default=False)
    if answer.strip() != declared.serial:
        raise UserError(
            f"{answer.strip()!r} is not the serial number of {declared.device}; nothing was written",
            "run the command again, or choose another testbed with --testbed",
        )


def _disks(planned: Plan) -> dict[str, BlockTestbed]:
    """The disks that the plan uses."""
    return _disks_among({experiment.testbed for experiment in planned.experiments if experiment.chosen})


def _disks_among(names: set[str]) -> dict[str, BlockTestbed]:
    """The disks among testbeds, including the storage of networks."""
    declared = config.load().testbeds
    beds = {
        (bed.storage, bed.disk) if isinstance(bed := declared[name], Network) else (name, bed) for name in sorted(names)
    }
    return {name: bed for name, bed in sorted(beds, key=str) if name and isinstance(bed, BlockTestbed)}
