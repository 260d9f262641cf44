"""What is measured, and how much of it: libraries, filesystems, profiles, sets of experiments."""

from math import prod
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from spindlemark.core.limits import LONGEST_SLUG, MOST_MINUTES, MOST_REPETITIONS, Name, Size, Text
from spindlemark.core.record import Closed

MOST_FILES = 10**9
MOST_COMBINATIONS = 1000
MOST_SETS = 100
Command = Annotated[list[Text], Field(min_length=1)]
Image = Annotated[Size, Field(gt=0)]
Repetitions = Annotated[int, Field(ge=1, le=MOST_REPETITIONS)]


class Library(Closed):
    """A kind of media library at its real size, as Table 4 of source 001 gives it."""

    title: Text
    description: Text
    reference: Text = Field(description="where count and sizes come from")
    files: int = Field(gt=0, le=MOST_FILES)
    directories: int = Field(gt=0, le=MOST_FILES)
    smallest: Size = Field(description="bytes of the smallest file")
    largest: Size = Field(description="bytes of the largest file")
    mean: Size = Field(description="mean bytes of a file")
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

    description: Text = Field(default="", description="what it changes, in a few words")
    mkfs: list[Text] = Field(
        default=[],
        description="further words of the format command; {inodes} is replaced by half "
        "as many again as the library needs",
    )
    mount: list[Text] = []
    preallocate: bool = Field(default=False, description="recorders reserve the space of each recording first")


class Filesystem(Closed):
    """One registry entry: everything the program knows about a filesystem."""

    title: Text
    module: Name = Field(description="name in /proc/filesystems, and the type that mount is given")
    package: Name = Field(description="distribution package that brings its tools")
    mkfs: Command = Field(description="format command up to the options; the device follows them")
    check: Command | None = Field(description="forced check command; the device follows; null: no such tool exists")
    version: Command = Field(description="command that prints the tools' version")
    variants: dict[Name, Options] = {}

    def tools(self) -> list[list[str]]:
        """The commands that there are to make and check it, up to the device."""
        return [words for words in (self.mkfs, self.check) if words]

    def options(self, variant: str) -> Options:
        """The settings of a variant; `default` is always there, and adds nothing unless it is declared."""
        return self.variants.get(variant, Options())


class Stability(Closed):
    """When a cell counts as stable, and how often an experiment is measured in a session at most."""

    relative_width: float = Field(
        gt=0, le=1000, description="widest 95 % interval of the median, as a share of the median"
    )
    most_repetitions: Repetitions


class Amount(Closed):
    """How much of one family is measured; what is left out is as in the profile."""

    repetitions: Repetitions | None = None
    image_size: Image | None = None
    scale: dict[str, Any] = Field(default={}, description="the family's own measure; see Scale in its module")
    alone_minutes: float | None = Field(
        default=None,
        gt=0,
        le=MOST_MINUTES,
        description="it is measured only when it is asked for by name, as with --family, and then "
        "has so much time instead of the profile's budget",
    )


class Part(Closed):
    """What a profile does differently on one testbed; what is left out is as in the profile."""

    repetitions: Repetitions | None = None
    image_size: Image | None = Field(default=None, description="bytes of the image, or of the part of the disk used")
    libraries: dict[Name, Scale] = {}
    families: dict[Name, Amount] = {}


class Profile(Closed):
    """How much is measured: minutes, hours or the real thing."""

    description: Text
    repetitions: Repetitions
    image_size: Image = Field(description="bytes of the loop image or of the part of the disk that is used")
    content: Literal["incompressible", "zero"] = "incompressible"
    budget_minutes: float = Field(
        gt=0,
        le=MOST_MINUTES,
        description="time of measuring that a run has, what is decided further included: "
        "without set-up, trials and publishing",
    )
    resident_memory: bool = Field(
        default=True,
        description="fetch free memory from a hypervisor that took it, before the first "
        "repetition; without it a run begins a minute earlier, and scatters",
    )
    stability: Stability
    libraries: dict[Name, Scale]
    families: dict[Name, Amount] = {}
    testbeds: dict[Name, Part] = {}

    def on(self, testbed: Name) -> "Profile":
        """The profile as it is on one testbed."""
        part = self.testbeds.get(testbed, Part())
        families = {
            name: _merged(self.families.get(name, Amount()), part.families.get(name, Amount()))
            for name in self.families.keys() | part.families.keys()
        }
        return self.model_copy(
            update={
                "repetitions": part.repetitions or self.repetitions,
                "image_size": part.image_size or self.image_size,
                "libraries": self.libraries | part.libraries,
                "families": families,
            }
        )

    def minutes(self, family: Name | None) -> float:
        """Time of measuring of a run that asks for one family, or for none by name."""
        return (family and self.amount(family).alone_minutes) or self.budget_minutes

    def amount(self, family: Name) -> Amount:
        """How much of a family is measured, with nothing left out."""
        own = self.families.get(family, Amount())
        return _merged(Amount(repetitions=self.repetitions, image_size=self.image_size), own)


class Set(Closed):
    """Every combination of its factors' values, on each of its testbeds."""

    testbeds: list[Name] = Field(default=[], description="where; without it, the configured or the asked one")
    profiles: list[Name] = Field(default=[], description="only under these; without it, under every profile")
    kinds: list[Name] = Field(
        default=[], description="only on testbeds of these kinds, as nic; without it, on those of every kind"
    )
    factors: dict[Name, list[Name]]

    @model_validator(mode="after")
    def _bounded(self) -> "Set":
        combinations = prod(len(values) for values in self.factors.values())
        if combinations > MOST_COMBINATIONS:
            raise ValueError(f"its factors make {combinations} combinations; a set has up to {MOST_COMBINATIONS}")
        longest = sum(2 + max(map(len, values), default=0) for values in self.factors.values())
        if longest > LONGEST_SLUG:
            raise ValueError(f"names of {longest} characters in all are too long: they make the name of a folder")
        return self


class Experiments(Closed):
    """What a family measures."""

    description: Text
    sets: list[Set] = Field(max_length=MOST_SETS)


def _merged(base: Amount, over: Amount) -> Amount:
    return Amount(
        repetitions=over.repetitions or base.repetitions,
        image_size=over.image_size or base.image_size,
        scale=base.scale | over.scale,
        alone_minutes=over.alone_minutes or base.alone_minutes,
    )
