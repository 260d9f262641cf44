"""Whether conditions are those of a virtual machine, and whether its processor was emulated."""

from spindlemark.core.record import Scalar


def emulated(conditions: dict[str, Scalar]) -> bool:
    """Whether the processor was emulated in software, by the testbed's own word."""
    return (
        conditions.get(_named(conditions, "accelerator")) == "tcg"
        or conditions.get(_named(conditions, "emulated")) is True
    )


def virtual(conditions: dict[str, Scalar]) -> bool:
    """Whether the driver ran inside a virtual machine that this program started."""
    return bool(_named(conditions, "accelerator"))


def _named(conditions: dict[str, Scalar], ending: str) -> str:
    return next((name for name in sorted(conditions) if name.split(".")[-1] == ending), "")
