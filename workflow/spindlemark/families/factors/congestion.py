"""Factor `congestion`: TCP's congestion control, as cubic or bbr; kernel is the machine's own."""

from spindlemark.families.factors import registry as factors


def resolve(choice: factors.Choice) -> str:
    """Its value; the testbed's own unless a set names another."""
    return factors.of_network(choice, "congestion")


def opening(value: str) -> dict[str, str]:
    """Both ends send with it."""
    return {"congestion": value}
