"""Factor `jitter`: by how much the delay of a packet is shorter or longer by chance, as none or 2-ms."""

from spindlemark.families.factors import registry as factors


def resolve(choice: factors.Choice) -> str:
    """Its value; the testbed's own unless a set names another."""
    return factors.of_network(choice, "jitter")


def opening(value: str) -> dict[str, str]:
    """Both ends get it."""
    return {"jitter": value}
