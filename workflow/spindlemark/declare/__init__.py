"""Declare: the typed models of `config/`, read from YAML with errors that name file and key."""

from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from spindlemark import programs
from spindlemark.declare.models import (Amount, Experiments, Filesystem, Library, Options, Part, Profile, Scale, Set,
                                        Stability)
from spindlemark.declare.questions import Questions
from spindlemark.declare.reading import choose, read_yaml
from spindlemark.declare.testbeds import (SCHEDULERS, BlockTestbed, LoopTestbed, Testbed, Throttle, VmTestbed)
from spindlemark.errors import UserError
from spindlemark.limits import MOST_SEED, Name, message
from spindlemark.paths import CONFIG
from spindlemark.record import Closed

__all__ = ["SCHEDULERS", "Amount", "BlockTestbed", "Config", "Experiments", "Filesystem", "Library", "LoopTestbed",
           "Name", "Options", "Part", "Profile", "Questions", "Registry", "Scale", "Set", "Stability", "Testbed",
           "Throttle", "VmTestbed", "asked", "choose", "load", "read_yaml"]


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
        profiles=_folder(folder / "profiles", Profile),
        testbeds=_folder(folder / "testbeds", Testbed),
        experiments=_folder(folder / "experiments", Experiments),
        questions=asked(folder),
        filesystems=read_yaml(folder / "filesystems.yaml", dict[Name, Filesystem]),
        libraries=read_yaml(folder / "libraries.yaml", dict[Name, Library]),
    )


def asked(folder: Path = CONFIG) -> dict[Name, Questions]:
    """The questions of each family, all that publishing needs; none in a release from before they were declared.

    Raises UserError naming file and key.
    """
    return _folder(folder / "questions", Questions)


def _folder(folder: Path, model: Any) -> dict[Name, Any]:
    """Name -> declaration, a file each; hidden files are an editor's."""
    paths = [path for path in sorted(folder.glob("*.yaml")) if not path.name.startswith(".")]
    return {_named(path): read_yaml(path, model) for path in paths}


def _named(path: Path) -> Name:
    try:
        return TypeAdapter(Name).validate_python(path.stem)
    except ValidationError as error:
        raise UserError(f"{path}: its name {message(error.errors()[0])}", "rename the file") from None
