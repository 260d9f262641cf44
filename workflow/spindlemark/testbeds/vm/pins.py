"""Packages for virtual machines, pinned by name, version and SHA-256: kernels in envs/kernels.yaml, ZFS in envs/zfs.yaml."""

import os
from typing import Annotated

from pydantic import Field

from spindlemark import config
from spindlemark.core.paths import PROJECT
from spindlemark.core.record import Closed

LIST, ZFS_LIST = PROJECT / "envs" / "kernels.yaml", PROJECT / "envs" / "zfs.yaml"
ARCHITECTURE = {"x86_64": "amd64", "aarch64": "arm64"}.get(os.uname().machine, os.uname().machine)


class Pin(Closed):
    """One package."""

    package: str = Field(pattern=r"^[a-z0-9][a-z0-9.+-]*$", description="its name in the archive")
    version: str = Field(pattern=r"^[0-9][A-Za-z0-9.+~:-]*$", description="the version of the package")
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$", description="of the package's file, as apt's index has it")

    def __str__(self) -> str:
        return f"{self.package} {self.version} (SHA-256 {self.sha256})"


Suite = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")]
Pins = dict[Suite, dict[str, Pin]]


def pinned(suite: str) -> Pin | None:
    """The kernel of a suite of the archive for this machine, None where there is none; raises UserError."""
    return config.read_yaml(LIST, Pins).get(suite, {}).get(ARCHITECTURE)


class ZfsPins(Closed):
    """The packages of ZFS for one kernel."""

    build: list[Pin] = Field(min_length=1, description="the kernel's headers and the sources of the modules")
    programs: list[Pin] = Field(min_length=1, description="the programs and their libraries, the programs first")


def zfs(suite: str) -> ZfsPins | None:
    """The packages of ZFS for the kernel of a suite and this machine, None where there are none; raises UserError."""
    return config.read_yaml(ZFS_LIST, dict[Suite, dict[str, ZfsPins]]).get(suite, {}).get(ARCHITECTURE)


def lines(suite: str, pin: Pin) -> str:
    """Describe how to change the list to use another kernel."""
    return (
        f"to use it, write below {suite}: {ARCHITECTURE}: in envs/{LIST.name}: package: {pin.package}, "
        f"version: {pin.version}, sha256: {pin.sha256}"
    )
