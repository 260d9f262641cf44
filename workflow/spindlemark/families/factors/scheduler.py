"""Factor `scheduler`: the disk's I/O scheduler, the testbed's own unless a set names another."""

import shlex
from collections.abc import Mapping

from spindlemark import config
from spindlemark.core.errors import UserError
from spindlemark.families.factors.factor import Choice, Factor
from spindlemark.testbeds.kind import Settings

DISK = "DISK"  # placeholder of a recipe: the disk's name below /sys/block


class SchedulerFactor(Factor):
    """The disk's I/O scheduler, the testbed's own unless a set names another."""

    name = "scheduler"
    settings = {"scheduler": "scheduler"}

    def resolve(self, choice: Choice) -> str:
        """Its name."""
        scheduler = choice.chosen.get("scheduler", choice.testbed.scheduler)
        if scheduler not in config.SCHEDULERS:
            raise UserError(
                f"{choice.where}: no scheduler is called {scheduler!r}", f"there are: {', '.join(config.SCHEDULERS)}"
            )
        return scheduler

    def mark(self, choice: Choice) -> str:
        """Its name in an experiment's name; nothing for the testbed's own."""
        scheduler = choice.chosen.get("scheduler", choice.testbed.scheduler)
        return scheduler if scheduler != choice.testbed.scheduler else ""

    def opening(self, value: str) -> Settings:
        """The scheduler of the opened disk."""
        return {"scheduler": value}

    def recipe(self, settings: Mapping[str, str]) -> list[str]:
        """The command that sets it; none where it is not known."""
        scheduler = settings.get("scheduler")
        return [f"echo {shlex.quote(scheduler)} > /sys/block/{DISK}/queue/scheduler"] if scheduler else []


SCHEDULER = SchedulerFactor()
