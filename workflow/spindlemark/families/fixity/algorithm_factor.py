"""Factor `algorithm`: the checksum of the manifest, with the program that computes and checks it."""

from typing import Any

from spindlemark import config
from spindlemark.families.factors.factor import Choice, Factor

# Name in `manifest-<name>.txt` -> program and Debian package. Each program has the option --check for the lines that it prints.
ALGORITHMS = {
    "md5": ("md5sum", "coreutils"),
    "sha256": ("sha256sum", "coreutils"),
    "xxh128": ("xxh128sum", "xxhash"),  # XXH3 with 128 bits
    "blake3": ("b3sum", "b3sum"),
}


class AlgorithmFactor(Factor):
    """A checksum and its program."""

    name = "algorithm"

    def resolve(self, choice: Choice) -> dict[str, Any]:
        """Name, program and package; raises UserError for an unknown name."""
        name = choice.value(self.name)
        tool, package = config.choose(ALGORITHMS, name, self.name, choice.where)
        return {"name": name, "tool": tool, "package": package}

    def tools(self, value: dict[str, Any], registry: config.Registry) -> dict[str, tuple[str, ...]]:
        """The package of the program and the command that prints its version."""
        return {value["package"]: (value["tool"], "--version")}


ALGORITHM = AlgorithmFactor()
