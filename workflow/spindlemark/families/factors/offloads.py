"""Factor `offloads`: on: the kernel hands over many packets as one; off: each by itself."""

from spindlemark.families.factors import registry as factors


def resolve(choice: factors.Choice) -> str:
    """Its value; the testbed's own unless a set names another."""
    return factors.of_network(choice, "offloads")


def opening(value: str) -> dict[str, str]:
    """Both ends are opened so."""
    return {"offloads": value}
