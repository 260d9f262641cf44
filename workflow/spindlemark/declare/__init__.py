"""Declare: the typed models of `config/`, read from YAML with errors that name file and key."""

from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from spindlemark import programs
from spindlemark.declare import questions
from spindlemark.declare.models import (Amount, Experiments, Filesystem, Library, Options, Part, Profile, Scale, Set,
                                        Stability)
from spindlemark.declare.questions import Questions
from spindlemark.declare.reading import choose, read_folder, read_yaml
from spindlemark.declare.testbeds import (SCHEDULERS, BlockTestbed, LoopTestbed, RamTestbed, Testbed, Throttle,
                                           VmTestbed)
from spindlemark.limits import MOST_SEED, Name
from spindlemark.paths import CONFIG
from spindlemark.record import Closed

__all__ = ["SCHEDULERS", "Amount", "BlockTestbed", "Config", "Experiments", "Filesystem", "Library", "LoopTestbed",
           "Name", "Options", "Part", "Profile", "Questions", "RamTestbed", "Registry", "Scale", "Set", "Stability",
           "Testbed", "Throttle", "VmTestbed", "choose", "load", "read_yaml"]


class Config(Closed):
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

    def model_post_init(self, _: Any) -> None:
        """Whatever reads declarations may start what their filesystems name."""
        for filesystem in self.filesystems.values():
            words = [*filesystem.tools(), filesystem.version]
            programs.declare((argv[0] for argv in words if argv), filesystem.package)


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
    )
