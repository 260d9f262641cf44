"""Typed models of `config/`, read from YAML with errors that name file and key."""

from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from spindlemark.config import questions
from spindlemark.config.hard_disk import HardDisk
from spindlemark.config.models import (
    Amount,
    Experiments,
    Filesystem,
    Library,
    Look,
    Options,
    Part,
    Profile,
    Scale,
    Set,
    Stability,
)
from spindlemark.config.questions import Questions
from spindlemark.config.reading import choose, read_folder, read_yaml
from spindlemark.config.servers import Server
from spindlemark.config.testbeds import (
    SCHEDULERS,
    BlockTestbed,
    DeviceModel,
    Disk,
    DiskModelTestbed,
    Host,
    LinkTestbed,
    LoopTestbed,
    Network,
    NicTestbed,
    ProcessorTestbed,
    RamTestbed,
    Testbed,
    Throttle,
    VmTestbed,
    caveat,
)
from spindlemark.core.errors import UserError
from spindlemark.core.limits import MOST_SEED, Name
from spindlemark.core.paths import CONFIG
from spindlemark.core.process import programs
from spindlemark.core.record import Closed

__all__ = [
    "SCHEDULERS",
    "Amount",
    "BlockTestbed",
    "Config",
    "DeviceModel",
    "Disk",
    "DiskModelTestbed",
    "Experiments",
    "Filesystem",
    "HardDisk",
    "Host",
    "Library",
    "LinkTestbed",
    "Look",
    "LoopTestbed",
    "Name",
    "Network",
    "NicTestbed",
    "Options",
    "Part",
    "ProcessorTestbed",
    "Profile",
    "Questions",
    "RamTestbed",
    "Registry",
    "Scale",
    "Server",
    "Set",
    "Stability",
    "Testbed",
    "Throttle",
    "VmTestbed",
    "caveat",
    "choose",
    "load",
    "read_yaml",
]


class Config(Closed):
    """Defaults of a run; the seed determines the content of libraries and the order of repetitions."""

    profile: Name
    testbed: Name
    seed: int = Field(ge=0, le=MOST_SEED)


class Registry(BaseModel):
    """All declarations together."""

    config: Config
    profiles: dict[Name, Profile]
    testbeds: dict[Name, Testbed]
    experiments: dict[Name, Experiments]
    questions: dict[Name, Questions] = {}
    filesystems: dict[Name, Filesystem]
    libraries: dict[Name, Library]
    devices: dict[Name, DeviceModel] = {}
    servers: dict[Name, Server] = {}

    def model_post_init(self, _: Any) -> None:
        """Allow the programs of declared filesystems, and set the disks of networks."""
        for name, testbed in self.testbeds.items():
            if isinstance(testbed, Network) and testbed.storage is not None:
                testbed.set_disk(_storage(name, testbed.storage, self.testbeds))
        for filesystem in self.filesystems.values():
            words = [*filesystem.tools(), filesystem.version]
            programs.declare((argv[0] for argv in words if argv), filesystem.package)


def _storage(network: Name, name: Name, testbeds: dict[Name, Testbed]) -> Disk:
    where = f"config/testbeds/{network}.yaml: storage"
    found = choose(testbeds, name, "testbed", where)
    if not isinstance(found, Disk):
        raise UserError(
            f"{where}: testbed {name} is of kind {found.kind}, which is not a disk of this machine",
            "use a testbed of kind loop, ram, disk_model or block, or null",
        )
    return found


def load(folder: Path = CONFIG) -> Registry:
    """Read every declaration below `folder`; raises UserError naming file and key."""
    return Registry(
        config=read_yaml(folder / "config.yaml", Config),
        profiles=read_folder(folder / "profiles", Profile),
        testbeds=read_folder(folder / "testbeds", Testbed),
        experiments=read_folder(folder / "experiments", Experiments),
        questions=questions.load(folder),
        filesystems=read_yaml(folder / "filesystems.yaml", dict[Name, Filesystem]),
        libraries=read_yaml(folder / "libraries.yaml", dict[Name, Library]),
        devices=read_yaml(folder / "devices.yaml", dict[Name, DeviceModel]),
        servers=read_yaml(folder / "servers.yaml", dict[Name, Server]),
    )
