"""Factor `repair`: what replaces the bytes of a damaged file."""

from pathlib import Path
from typing import Any

from spindlemark import config
from spindlemark.families.factors.factor import Choice, Factor
from spindlemark.harness.repetition import Repetition

COPY, PAR2 = "second-copy", "par2"
WAYS: dict[str, dict[str, Any]] = {COPY: {"name": COPY}, PAR2: {"name": PAR2, "redundancy_percent": 5}}
_RECORDS = "recovery.par2"  # in the bag, whose other files its manifest does not list


class RepairFactor(Factor):
    """A second copy, or recovery records of PAR2 next to the file."""

    name = "repair"

    def resolve(self, choice: Choice) -> dict[str, Any]:
        """The name, and the redundancy of recovery records; raises UserError for an unknown name."""
        return dict(config.choose(WAYS, choice.value(self.name), self.name, choice.where))

    def tools(self, value: dict[str, Any], registry: config.Registry) -> dict[str, tuple[str, ...]]:
        """The package of par2, which a second copy does not need."""
        return {PAR2: (PAR2, "--version")} if value["name"] == PAR2 else {}


REPAIR = RepairFactor()


def protect(repetition: Repetition, bag: Path, file: Path, limit: float) -> None:
    """Make recovery records of a file of the bag, and measure their time and size; nothing for a second copy."""
    repair = repetition.factors["repair"]
    if repair["name"] != PAR2:
        return
    redundancy = f"-r{repair['redundancy_percent']}"
    with repetition.step("recovery_create") as step:
        repetition.run([PAR2, "create", "-q", redundancy, "-n1", "-B", bag, bag / _RECORDS, file], limit)
        repetition.run(["sync", "-f", bag], limit)
    size, records = file.stat().st_size, sum(each.stat().st_size for each in bag.glob("recovery*.par2"))
    repetition.measure("recovery_create_bytes_per_second", size / step.seconds)
    repetition.measure("recovery_cpu_seconds", 1e9 * step.cpu_seconds / size)
    repetition.measure("recovery_ratio", records / size)


def command(repetition: Repetition, bag: Path, file: Path, copy: Path) -> list[str | Path]:
    """The command that replaces the damaged bytes of `file`, whose second copy is `copy`."""
    if repetition.factors["repair"]["name"] == PAR2:
        return [PAR2, "repair", "-q", "-p", "-B", bag, bag / _RECORDS]
    return ["cp", "-a", copy, file]
