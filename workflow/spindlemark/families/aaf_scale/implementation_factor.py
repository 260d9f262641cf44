"""Factor `implementation`: one of the libraries that read and write compound files."""

from typing import Any

from spindlemark import config
from spindlemark.families.aaf_scale.implementations import IMPLEMENTATIONS
from spindlemark.families.factors.factor import Choice, Factor


class ImplementationFactor(Factor):
    """One of the libraries that read and write compound files."""

    name = "implementation"
    leads = True

    def resolve(self, choice: Choice) -> dict[str, Any]:
        """Name and language."""
        name = choice.value("implementation")
        return {"name": name, "language": config.choose(IMPLEMENTATIONS, name, "implementation", choice.where).language}

    def tools(self, value: dict[str, Any], registry: config.Registry) -> dict[str, tuple[str, ...]]:
        """All libraries and compilers, with the commands that print their versions: each reads what one has written."""
        return {package: words for each in IMPLEMENTATIONS.values() for package, words in each.versions.items()}


IMPLEMENTATION = ImplementationFactor()
