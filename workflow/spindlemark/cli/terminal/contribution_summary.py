"""What a bundle holds and what was taken out of it, shown before it is written; what a joined one says."""

from collections import Counter

from rich.console import Console
from rich.table import Table

from spindlemark.cli.terminal.untrusted_text import foreign
from spindlemark.release.contributions import archive
from spindlemark.release.contributions.export import Packed
from spindlemark.release.contributions.replication_model import Heard

ALWAYS = "names of users and machines, serial numbers, paths of people, addresses, and since when this machine runs"


def show(console: Console, packed: Packed) -> None:
    """The list that its owner is asked about."""
    records, about = packed.records, packed.about
    environment = sorted({name.split(".")[0] for record in records for name in record.environment})
    table = Table("what", "in the bundle", show_header=False)
    for what, told in (
        ("machine", about.machine.name),
        ("sessions", ", ".join(about.sessions).strip(", ") or "from before they were noted"),
        ("records", f"{about.records}, {sum(r.status == 'ok' for r in records)} of which succeeded"),
        ("families", _counted(r.experiment.family for r in records)),
        ("testbeds, by your names", _counted(r.experiment.testbed for r in records)),
        ("kernels", _counted(str(r.experiment.fingerprint.get("kernel")) for r in records)),
        ("devices", "; ".join(sorted({_device(r.experiment.fingerprint) for r in records}))),
        ("of the environment", ", ".join(environment)),
        ("commands", f"{sum(len(r.commands) for r in records)} as run, with what they printed"),
        ("looked for and taken out", ALWAYS),
        ("found and taken out", "; ".join(f"{what}: {n}" for what, n in sorted(packed.taken.items())) or "nothing"),
        ("size", f"{len(packed.content):,} bytes as {archive.name(about)}"),
        ("licence", "CC BY 4.0: whoever gets it may publish it"),
    ):
        table.add_row(what, foreign(told))
    console.print(table)
    for what in sorted(packed.standing):
        console.print(
            f"[bold]A {what} of this machine stays in it[/]: it is in the name of a testbed or in a factor, "
            "by which results are told apart."
        )


def joined(console: Console, heard: Heard) -> None:
    """One line on a bundle that may be joined."""
    decided = sum(bool(g.recommendation and g.recommendation.verdict != "undecided") for g in heard.findings.groups)
    console.print(
        foreign(
            f"{heard.file}: {heard.records} records of {heard.machine.name}, {heard.first} to "
            f"{heard.last}; {decided} of {len(heard.findings.groups)} questions decided"
        )
    )


def _counted(names) -> str:  # noqa: ANN001  # Iterable[str]
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
