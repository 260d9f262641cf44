"""What this machine can measure, as a table."""

from rich.console import Console
from rich.table import Table

from spindlemark import config
from spindlemark.cli.doctor import checks as doctor
from spindlemark.cli.terminal.untrusted_text import foreign


def show(console: Console) -> None:
    """What this machine can measure, with a remedy for what it cannot."""
    table = Table("", "what", "found", "remedy")
    for row in doctor.rows(config.load()):
        table.add_row(
            "[green]yes[/]" if row.ok else "[red]no[/]",
            foreign(row.what),
            foreign(row.detail),
            foreign(row.remedy or ""),
        )
    console.print(table)
