"""Factor `mtu`: the largest packet of a network in bytes, as 1500 or 9000."""

from spindlemark.families.factors import registry as factors


def resolve(choice: factors.Choice) -> str:
    """Its value; the testbed's own unless a set names another."""
    return factors.of_network(choice, "mtu")


def opening(value: str) -> dict[str, str]:
    """Both ends are given it."""
    return {"mtu": value}
