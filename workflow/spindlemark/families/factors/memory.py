"""Factor `memory`: what the commands of a repetition may use, page cache included."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from spindlemark import config
from spindlemark.core.errors import UserError
from spindlemark.families.factors.factor import Choice, Factor
from spindlemark.harness.repetition import Repetition
from spindlemark.testbeds import memory_group

ALL, ONE_GIB, FOUR_GIB = "all", "1-gib", "4-gib"
# Bytes of each value; 0 means without a limit. 1 GiB is about the memory of study 001, which booted its machine with 1,000 MB.
LIMITS = {ONE_GIB: 1 << 30, FOUR_GIB: 4 << 30, ALL: 0}


class MemoryFactor(Factor):
    """The memory of the commands: 1 GiB unless a set names another value; all of it in a virtual machine, which is small."""

    name = "memory"

    def resolve(self, choice: Choice) -> int:
        """The limit in bytes; 0 for none."""
        chosen = _chosen(choice)
        if chosen not in LIMITS:
            raise UserError(
                f"{choice.where}: sets: factors: memory: {chosen!r} is unknown", f"there are: {', '.join(LIMITS)}"
            )
        return LIMITS[chosen]

    def mark(self, choice: Choice) -> str:
        """Its value in an experiment's name; nothing for the usual one."""
        return "" if _chosen(choice) == _usual(choice.testbed) else f"memory-{_chosen(choice)}"


MEMORY = MemoryFactor()


@contextmanager
def limit(repetition: Repetition) -> Iterator[None]:
    """Run the commands of a repetition within its limit; raises Unsupported where this machine cannot limit memory."""
    most = repetition.factors[MEMORY.name]
    with memory_group.limited(most) if most else nullcontext(0) as version:
        repetition.note({"memory.group_version": version, "memory.limit_bytes": most})
        yield


def _chosen(choice: Choice) -> str:
    return choice.chosen.get(MEMORY.name, _usual(choice.testbed))


def _usual(testbed: config.Testbed) -> str:
    return ALL if testbed.kind == "vm" else ONE_GIB
