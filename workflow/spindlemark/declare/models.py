"""What is measured, and how much of it: libraries, filesystems, profiles, sets of experiments."""

from typing import Any, Literal

from pydantic import ByteSize, Field, model_validator

from spindlemark.record import Closed

Name = str


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


class Set(Closed):
    """Every combination of its factors' values, on each of its testbeds."""

    testbeds: list[Name] = Field(default=[], description="where; without it, the configured or the asked one")
    profiles: list[Name] = Field(default=[], description="only under these; without it, under every profile")
    factors: dict[Name, list[str]]


class Experiments(Closed):
    """What a family measures."""

    description: str
    sets: list[Set]


def _merged(base: Amount, over: Amount) -> Amount:
    return Amount(repetitions=over.repetitions or base.repetitions, image_size=over.image_size or base.image_size,
                  scale=base.scale | over.scale)
