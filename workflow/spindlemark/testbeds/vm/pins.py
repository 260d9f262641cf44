"""The kernel packages that may be booted: those pinned in envs/kernels.yaml, by name, version and SHA-256."""

import os
from typing import Annotated

from pydantic import Field

from spindlemark import config
from spindlemark.core.paths import PROJECT
from spindlemark.core.record import Closed

LIST = PROJECT / "envs" / "kernels.yaml"
ARCHITECTURE = {"x86_64": "amd64", "aarch64": "arm64"}.get(os.uname().machine, os.uname().machine)


class Pin(Closed):
    """One kernel package."""

    package: str = Field(pattern=r"^linux-image-[a-z0-9][a-z0-9.+-]*$", description="its name in the archive")
    version: str = Field(pattern=r"^[0-9][A-Za-z0-9.+~:-]*$", description="the version of the package")
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$", description="of the package's file, as apt's index has it")

    def __str__(self) -> str:
        return f"{self.package} {self.version} (SHA-256 {self.sha256})"


Suite = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")]
Pins = dict[Suite, dict[str, Pin]]


def pinned(suite: str) -> Pin | None:
    """The kernel of a suite of the archive for this machine, None where there is none; raises UserError."""
    return config.read_yaml(LIST, Pins).get(suite, {}).get(ARCHITECTURE)


def lines(suite: str, pin: Pin) -> str:
    """Describe how to change the list to use another kernel."""
    return (
        f"to use it, write below {suite}: {ARCHITECTURE}: in envs/{LIST.name}: package: {pin.package}, "
        f"version: {pin.version}, sha256: {pin.sha256}"
    )
