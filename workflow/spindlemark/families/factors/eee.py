"""Factor `eee`: energy efficient Ethernet of real cards, on or off; kernel: as the card has it."""

from spindlemark.families.factors import registry as factors


def resolve(choice: factors.Choice) -> str:
    """Its value; the testbed's own unless a set names another."""
    return factors.of_network(choice, "eee")


def opening(value: str) -> dict[str, str]:
    """Both cards are told; without real cards it is unsupported."""
    return {"eee": value}
