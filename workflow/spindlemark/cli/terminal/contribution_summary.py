"""Summaries of contributions: content and removed data before an export, conclusions at an import."""

from collections import Counter

from rich.console import Console
from rich.table import Table

from spindlemark.cli.terminal.untrusted_text import escaped
from spindlemark.release.contributions import archive
from spindlemark.release.contributions.export import Packed
from spindlemark.release.contributions.replication_model import AnalysedContribution

ALWAYS = "names of users and machines, serial numbers, personal paths, addresses, boot time"


def show(console: Console, packed: Packed) -> None:
    """Print the content that the user confirms before the file is written."""
    records, about = packed.records, packed.about
    environment = sorted({name.split(".")[0] for record in records for name in record.environment})
    table = Table("what", "in the contribution", show_header=False)
    for what, value in (
        ("machine", about.machine.name),
        ("sessions", ", ".join(about.sessions).strip(", ") or "not recorded"),
        ("records", f"{about.records}, {sum(r.status == 'ok' for r in records)} of which succeeded"),
        ("families", _counted(r.experiment.family for r in records)),
        ("testbeds, by your names", _counted(r.experiment.testbed for r in records)),
        ("kernels", _counted(str(r.experiment.fingerprint.get("kernel")) for r in records)),
        ("devices", "; ".join(sorted({_device(r.experiment.fingerprint) for r in records}))),
        ("environment", ", ".join(environment)),
        ("commands", f"{sum(len(r.commands) for r in records)}, with their output"),
        ("searched for and removed", ALWAYS),
        ("found and removed", "; ".join(f"{what}: {n}" for what, n in sorted(packed.removed.items())) or "nothing"),
        ("size", f"{len(packed.content):,} bytes as {archive.name(about)}"),
        ("licence", "CC BY 4.0: anyone who has the file may publish it"),
    ):
        table.add_row(what, escaped(value))
    console.print(table)
    for what in sorted(packed.remaining):
        console.print(
            f"[bold]A {what} of this machine stays in the file[/]: it is part of a testbed's name or of a factor, "
            "which identify results."
        )


def checked(console: Console, found: AnalysedContribution) -> None:
    """Print one line about a valid contribution."""
    decided = sum(bool(g.recommendation and g.recommendation.verdict != "undecided") for g in found.findings.groups)
    console.print(
        escaped(
            f"{found.file}: {found.records} records of {found.machine.name}, {found.first} to "
            f"{found.last}; {decided} of {len(found.findings.groups)} questions decided"
        )
    )


def _counted(names) -> str:  # Iterable[str]
    return ", ".join(f"{name} ({count})" for name, count in sorted(Counter(names).items()))


def _device(fingerprint: dict) -> str:
    device = fingerprint.get("device") or {}
    below = device.get("backing") or {}
    return " ".join(
        str(part)
        for part in (
            device.get("kind"),
            device.get("model"),
            f"{device.get('bytes', 0):,} bytes",
            below.get("filesystem"),
            below.get("model"),
        )
        if part
    )
