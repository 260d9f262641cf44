"""Factor `delay`: how much later packets of a network arrive, each way, as none or 10-ms."""

from spindlemark.families.factors import registry as factors


def resolve(choice: factors.Choice) -> str:
    """Its value; the testbed's own unless a set names another."""
    return factors.of_network(choice, "delay")


def opening(value: str) -> dict[str, str]:
    """Both ends get it."""
    return {"delay": value}
