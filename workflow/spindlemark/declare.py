"""Declare: the typed models of `config/`, read from YAML with errors that name file and key."""

import difflib
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args

import yaml
from pydantic import BaseModel, ByteSize, Field, TypeAdapter, ValidationError, model_validator

from spindlemark.errors import UserError
from spindlemark.paths import CONFIG
from spindlemark.record import Closed

Name = str
Declared = TypeVar("Declared")
Scheduler = Literal["none", "mq-deadline", "bfq", "kyber"]
SCHEDULERS = get_args(Scheduler)


class Library(Closed):
    """A kind of media library at its real size, as Table 4 of source 001 gives it."""

    title: str
    description: str
    reference: str = Field(description="where count and sizes come from")
    files: int = Field(gt=0)
    directories: int = Field(gt=0)
    smallest: ByteSize = Field(description="bytes of the smallest file")
    largest: ByteSize = Field(description="bytes of the largest file")
    mean: ByteSize = Field(description="mean bytes of a file")
    shape: Literal["lognormal", "beta", "equal"] = Field(description="form of the size distribution")

    @model_validator(mode="after")
    def _ordered(self) -> "Library":
        if not self.smallest <= self.mean <= self.largest:
            raise ValueError("smallest <= mean <= largest does not hold")
        return self


class Scale(Closed):
    """How much smaller than the real library a profile measures."""

    files: float = Field(default=1.0, gt=0, le=1, description="factor on the number of files and directories")
    size: float = Field(default=1.0, gt=0, le=1, description="factor on the size of each file")


class Options(Closed):
    """One named setting of a filesystem."""

    description: str = Field(default="", description="what it changes, in a few words")
    mkfs: list[str] = Field(default=[], description="further words of the format command; {inodes} is replaced by half "
                                                    "as many again as the library needs")
    mount: list[str] = []
    preallocate: bool = Field(default=False, description="recorders reserve the space of each recording first")


class Filesystem(Closed):
    """One registry entry: everything the program knows about a filesystem."""

    title: str
    module: str = Field(description="name in /proc/filesystems, and the type that mount is given")
    package: str = Field(description="distribution package that brings its tools")
    mkfs: list[str] = Field(description="format command up to the options; the device follows them")
    check: list[str] | None = Field(description="forced check command; the device follows; null: no such tool exists")
    version: list[str] = Field(description="command that prints the tools' version")
    variants: dict[Name, Options] = {}

    def tools(self) -> list[list[str]]:
        """The commands that there are to make and check it, up to the device."""
        return [words for words in (self.mkfs, self.check) if words]

    def options(self, variant: str) -> Options:
        """The settings of a variant; `default` is always there, and adds nothing unless it is declared."""
        return self.variants.get(variant, Options())


class Stability(Closed):
    """When a cell counts as stable."""

    relative_width: float = Field(gt=0, description="widest 95 % interval of the median, as a share of the median")
    most_repetitions: int = Field(ge=1)


class Amount(Closed):
    """How much of one family is measured; what is left out is as in the profile."""

    repetitions: int | None = Field(default=None, ge=1)
    image_size: ByteSize | None = None
    scale: dict[str, Any] = Field(default={}, description="the family's own measure; see Scale in its module")


class Part(Closed):
    """What a profile does differently on one testbed; what is left out is as in the profile."""

    repetitions: int | None = Field(default=None, ge=1)
    image_size: ByteSize | None = Field(default=None, description="bytes of the image, or of the part of the disk used")
    libraries: dict[Name, Scale] = {}
    families: dict[Name, Amount] = {}


class Profile(Closed):
    """How much is measured: minutes, hours or the real thing."""

    description: str
    repetitions: int = Field(ge=1)
    image_size: ByteSize = Field(description="bytes of the loop image or of the part of the disk that is used")
    content: Literal["incompressible", "zero"] = "incompressible"
    budget_minutes: float = Field(gt=0, description="default time limit of --until-stable")
    stability: Stability
    libraries: dict[Name, Scale]
    families: dict[Name, Amount] = {}
    testbeds: dict[Name, Part] = {}

    def on(self, testbed: Name) -> "Profile":
        """The profile as it is on one testbed."""
        part = self.testbeds.get(testbed, Part())
        families = {name: _merged(self.families.get(name, Amount()), part.families.get(name, Amount()))
                    for name in self.families.keys() | part.families.keys()}
        return self.model_copy(update={
            "repetitions": part.repetitions or self.repetitions, "image_size": part.image_size or self.image_size,
            "libraries": self.libraries | part.libraries, "families": families})

    def amount(self, family: Name) -> Amount:
        """How much of a family is measured, with nothing left out."""
        own = self.families.get(family, Amount())
        return _merged(Amount(repetitions=self.repetitions, image_size=self.image_size), own)


class Bed(Closed):
    """What every testbed declares."""

    description: str
    scheduler: Scheduler = Field(description="of every experiment without its own")
    source_directory: str = Field(description="folder for the library that is copied from; memory, so only the target counts")
    busy_bound: float = Field(gt=0, le=1, description="share of the CPUs stolen or used by others, above which a step is noisy")
    image_size: ByteSize | None = Field(
        default=None, description="bytes of the image, or of the part of the disk used, instead of the profile's")


class Throttle(Closed):
    """A slower device than there is: what the kernel lets through."""

    read: ByteSize = Field(gt=0, description="bytes per second")
    write: ByteSize = Field(gt=0, description="bytes per second")


class LoopTestbed(Bed):
    """A loop device on a file that this program makes."""

    kind: Literal["loop"]
    directory: str = Field(description="folder for the image and the mount point; relative to the project")
    direct_io: bool
    throttle: Throttle | None = Field(default=None, description="without it, as fast as what lies below")


class BlockTestbed(Bed):
    """A real disk, whole, that is erased. `./spindlemark plan` shows it and says whether it would be taken."""

    kind: Literal["block"]
    device: str = Field(description="its name in /dev/disk/by-id")
    serial: str = Field(min_length=1, description="serial number as the kernel reports it")
    model: str | None = Field(description="model as the kernel reports it; null where it reports none")
    size: ByteSize = Field(ge=4 << 20, description="bytes of the whole disk")
    erase: str = Field(description="the serial number again: it may be erased")


class VmTestbed(Bed):
    """A virtual machine that boots a packaged kernel with this host's userland; its disk is an image on the host."""

    kind: Literal["vm"]
    kernel: str = Field(pattern=r"^[a-z][a-z0-9-]*$", description="suite of the Debian archive whose kernel is booted")
    kernels: str = Field(description="folder for the kernels that were fetched; relative to the project")
    directory: str = Field(description="folder for the image and the machine's files; relative to the project")
    direct_io: bool = Field(description="whether the host's page cache is left out; so the guest's disk is the image's")
    cpus: int = Field(ge=1)
    memory: ByteSize = Field(ge=512 << 20)
    boot_seconds: float = Field(gt=0, description="longest time until the guest takes requests")
    silence_seconds: float = Field(gt=0, description="a guest that gives no sign of life so long has hung")
    repetition_seconds: float = Field(gt=0, description="longest time of one repetition")
    idle_seconds: float = Field(gt=0, description="a guest that is asked for nothing so long powers off")


Testbed = Annotated[LoopTestbed | BlockTestbed | VmTestbed, Field(discriminator="kind")]


class Set(Closed):
    """Every combination of its factors' values, on each of its testbeds."""

    testbeds: list[Name] = Field(default=[], description="where; without it, the configured or the asked one")
    profiles: list[Name] = Field(default=[], description="only under these; without it, under every profile")
    factors: dict[Name, list[str]]


class Experiments(Closed):
    """What a family measures."""

    description: str
    sets: list[Set]


class Config(Closed):
    profile: Name
    testbed: Name
    seed: int


class Registry(BaseModel):
    """All declarations together."""

    config: Config
    profiles: dict[Name, Profile]
    testbeds: dict[Name, Testbed]
    experiments: dict[Name, Experiments]
    filesystems: dict[Name, Filesystem]
    libraries: dict[Name, Library]


def _merged(base: Amount, over: Amount) -> Amount:
    return Amount(repetitions=over.repetitions or base.repetitions, image_size=over.image_size or base.image_size,
                  scale=base.scale | over.scale)


def load(folder: Path = CONFIG) -> Registry:
    """Read every declaration below `folder`; raises UserError naming file and key."""
    return Registry(
        config=read_yaml(folder / "config.yaml", Config),
        profiles=_folder(folder / "profiles", Profile),
        testbeds=_folder(folder / "testbeds", Testbed),
        experiments=_folder(folder / "experiments", Experiments),
        filesystems=read_yaml(folder / "filesystems.yaml", dict[Name, Filesystem]),
        libraries=read_yaml(folder / "libraries.yaml", dict[Name, Library]),
    )


def choose(entries: dict[Name, Declared], name: Name, kind: str, where: str) -> Declared:
    """The entry called `name`, or a UserError that lists the ones there are."""
    if name in entries:
        return entries[name]
    near = difflib.get_close_matches(name, entries, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(sorted(entries))}"
    raise UserError(f"{where}: no {kind} is called {name!r}", hint)


def read_yaml(path: Path, model: Any) -> Any:
    """Read one YAML file as `model` (a pydantic model or a typed dict); raises UserError."""
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{path}: no such file", "restore it with: git checkout -- config") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: is not YAML: {error}", "mend the line that is named") from None
    try:
        return _adapter(model).validate_python({} if content is None else content)
    except ValidationError as error:
        raise _explained(path, error, model) from None


def _folder(folder: Path, model: Any) -> dict[Name, Any]:
    return {path.stem: read_yaml(path, model) for path in sorted(folder.glob("*.yaml"))}


@cache
def _adapter(model: Any) -> TypeAdapter:
    return TypeAdapter(model)


def _explained(path: Path, error: ValidationError, model: Any) -> UserError:
    # A misspelt key is also a missing one: the misspelling is what to tell.
    first = min(error.errors(), key=lambda e: e["type"] != "extra_forbidden")
    # Of a union the kind comes first, which is no key of the file.
    loc = first["loc"][1:] if model is Testbed else first["loc"]
    key = ".".join(map(str, loc)) or "the file"
    if first["type"] == "missing":
        return UserError(f"{path}: {key}: is missing", f"add the key; restore the file with: git checkout -- {path.name}")
    if first["type"] == "extra_forbidden":
        near = difflib.get_close_matches(str(first["loc"][-1]), _known_keys(model), n=1)
        return UserError(f"{path}: unknown key {key}", f"did you mean {near[0]}?" if near else "remove it")
    return UserError(f"{path}: {key}: {first['msg']}", f"it is now {first['input']!r}: change the value")


def _known_keys(model: Any) -> set[str]:
    schema = _adapter(model).json_schema()
    nested = schema.get("$defs", {}).values()
    return {key for part in (schema, *nested) for key in part.get("properties", {})}
