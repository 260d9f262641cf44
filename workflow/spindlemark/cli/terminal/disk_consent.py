"""Which disks a run would erase, and the user's word that they may be erased: asked for once per disk.

The word becomes the label that is written on that disk here and now, under the guard. Nothing is handed on to the
processes that measure: they take only a disk that carries it, so that it cannot be used again for another one.
"""

import os
import sys

import typer
from rich.console import Console
from rich.table import Table

from spindlemark import config
from spindlemark.cli import progress
from spindlemark.cli.terminal.untrusted_text import foreign
from spindlemark.config import BlockTestbed, Network
from spindlemark.core.errors import UserError
from spindlemark.core.process.lock import machine_lock
from spindlemark.measure import pending
from spindlemark.measure import plan as planning
from spindlemark.measure.plan import Plan, Request
from spindlemark.testbeds import block, kind


def show(console: Console, planned: Plan) -> None:
    """A table of the disks of the plan; nothing when it has none."""
    table = Table("disk that would be erased", "model", "bytes", "what is on it now", "the guard")
    for name, declared in _disks(planned).items():
        refused = block.refusal(name, declared)
        if refused is None:
            verdict = "takes it without asking"
        elif block.lacks_only_consent(name, declared):
            verdict = "takes it when you say so"
        else:
            verdict = refused.problem
        table.add_row(
            foreign(f"{name}: {declared.device}"),
            foreign(declared.model or ""),
            f"{declared.size:,}",
            foreign(block.content(declared)),
            foreign(verdict),
        )
    if table.row_count:
        console.print(table)


def require_consent(console: Console, request: Request, erase: str | None) -> None:
    """Ask, where it is still needed, for every disk on which something is missing; `erase` is the answer given before.

    Raises UserError when the guard refuses a disk, nobody can be asked, or the answer is another serial number.
    """
    with progress.activity(console, "planning; kernels of virtual machines that are not here yet are fetched"):
        planned, _ = planning.make(config.load(), request)
    disks = _disks(planned)
    if erase is not None and erase not in {declared.serial for declared in disks.values()}:
        raise UserError(
            f"--erase {erase}: no disk of this run has that serial number; nothing was written",
            "see the disks with: ./spindlemark plan",
        )
    for name in sorted(_of({job.experiment.testbed for job in pending.missing(planned)})):
        _consented(console, name, disks[name], erase)


def _consented(console: Console, name: str, declared: BlockTestbed, erase: str | None) -> None:
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
        foreign(
            f"{declared.device} carries this program's label now: later runs on this machine erase it without asking."
        )
    )


def _ask(console: Console, name: str, declared: BlockTestbed, why: UserError) -> None:
    console.print(foreign(why.problem))
    console.print(f"[bold red]Everything on this disk is erased[/], now and in every later run on testbed {name}:")
    console.print(
        foreign(
            f"  {declared.device}\n  {declared.model or 'no model'}, {declared.size:,} bytes\n"
            f"  on it now: {block.content(declared)}"
        )
    )
    answer = typer.prompt("Type its serial number to let it be erased", default="", show_default=False)
    if answer.strip() != declared.serial:
        raise UserError(
            f"{answer.strip()!r} is not the serial number of {declared.device}; nothing was written",
            "run it again, or choose another testbed with --testbed",
        )


def _disks(planned: Plan) -> dict[str, BlockTestbed]:
    """The testbeds of the plan that are disks."""
    return _of({experiment.testbed for experiment in planned.experiments if experiment.chosen})


def _of(names: set[str]) -> dict[str, BlockTestbed]:
    """The disks among testbeds, and those that are the storage of networks among them."""
    declared = config.load().testbeds
    beds = {
        (bed.storage, bed.disk) if isinstance(bed := declared[name], Network) else (name, bed) for name in sorted(names)
    }
    return {name: bed for name, bed in sorted(beds, key=str) if name and isinstance(bed, BlockTestbed)}
