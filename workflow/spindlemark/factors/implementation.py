"""Factor `implementation`: one of the libraries that read and write compound files."""

from typing import Any

from spindlemark import declare
from spindlemark.containers.implementations import IMPLEMENTATIONS
from spindlemark.factors import Choice

LEADS = True


def resolve(choice: Choice) -> dict[str, Any]:
    """Name and language."""
    name = choice.value("implementation")
    return {"name": name, "language": declare.choose(IMPLEMENTATIONS, name, "implementation", choice.where).language}


def tools(value: dict[str, Any], registry: declare.Registry) -> dict[str, tuple[str, ...]]:  # noqa: ARG001 - as of all factors
    """All libraries and compilers, with the commands that print their versions: each reads what one has written."""
    return {package: words for each in IMPLEMENTATIONS.values() for package, words in each.versions.items()}
