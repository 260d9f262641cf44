"""Factor `loss`: the share of the packets of a network that is lost by chance, each way, as none or 0.1-percent."""

from spindlemark.families.factors import registry as factors


def resolve(choice: factors.Choice) -> str:
    """Its value; the testbed's own unless a set names another."""
    return factors.of_network(choice, "loss")


def opening(value: str) -> dict[str, str]:
    """Both ends get it."""
    return {"loss": value}
