"""Factor `link_rate`: what a network carries per second each way, as unlimited, 100-mbit or 2.5-gbit; proved by trial."""

from spindlemark.families.factors import registry as factors


def resolve(choice: factors.Choice) -> str:
    """Its value; the testbed's own unless a set names another."""
    return factors.of_network(choice, "link_rate")


def opening(value: str) -> dict[str, str]:
    """Both ends are held to it."""
    return {"link_rate": value}
