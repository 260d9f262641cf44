"""The table of the doctor."""

from rich.console import Console
from rich.table import Table

from spindlemark import config
from spindlemark.cli.doctor import checks as doctor
from spindlemark.cli.terminal.untrusted_text import escaped


def show(console: Console) -> None:
    """Print what this machine can measure, with a remedy for each missing part."""
    table = Table("", "what", "found", "remedy")
    for row in doctor.rows(config.load()):
        table.add_row(
            "[green]yes[/]" if row.ok else "[red]no[/]",
            escaped(row.what),
            escaped(row.detail),
            escaped(row.remedy or ""),
        )
    console.print(table)
