"""Models of libraries, filesystems, profiles and sets of experiments."""

import re
from math import prod
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from spindlemark.core.limits import LONGEST_SLUG, MOST_MINUTES, MOST_REPETITIONS, Name, Size, Text
from spindlemark.core.record import Closed

MOST_FILES = 10**9
MOST_COMBINATIONS = 1000
MOST_SETS = 100


def _expression(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"is not a regular expression: {error}") from None
    return text


Pattern = Annotated[Text, AfterValidator(_expression)]
Command = Annotated[list[Text], Field(min_length=1)]
Image = Annotated[Size, Field(gt=0)]
Repetitions = Annotated[int, Field(ge=1, le=MOST_REPETITIONS)]


class Library(Closed):
    """A kind of media library at its real size, as in Table 4 of study 001."""

    title: Text
    description: Text
    reference: Text = Field(description="where count and sizes come from")
    files: int = Field(gt=0, le=MOST_FILES)
    directories: int = Field(gt=0, le=MOST_FILES)
    smallest: Size = Field(description="bytes of the smallest file")
    largest: Size = Field(description="bytes of the largest file")
    mean: Size = Field(description="mean bytes of a file")
    shape: Literal["lognormal", "beta", "equal"] = Field(description="shape of the size distribution")
    series_of: Name | None = Field(
        default=None, description="the library of which this is another amount, on whose page it is shown"
    )

    @model_validator(mode="after")
    def _ordered(self) -> "Library":
        if not self.smallest <= self.mean <= self.largest:
            raise ValueError("smallest <= mean <= largest does not hold")
        return self


class Scale(Closed):
    """Size of a library in a profile, relative to the real one."""

    files: float = Field(default=1.0, gt=0, le=1, description="factor on the number of files and directories")
    size: float = Field(default=1.0, gt=0, le=1, description="factor on the size of each file")
    largest: Size | None = Field(
        default=None, description="bytes of the largest file, instead of the real one; larger files are left out"
    )
    mean: Size | None = Field(default=None, description="mean bytes of a file where larger files are left out")

    @model_validator(mode="after")
    def _cut(self) -> "Scale":
        if (self.largest is None) != (self.mean is None):
            raise ValueError("largest and mean are either both given or neither")
        return self


class Options(Closed):
    """One named setting of a filesystem."""

    description: Text = Field(default="", description="short description of the change")
    mkfs: list[Text] = Field(
        default=[],
        description="further arguments of the format command; {inodes} is replaced by 1.5 times "
        "the number that the library needs",
    )
    mount: list[Text] = []
    preallocate: bool = Field(default=False, description="reserve the space of each recording before writing it")
    data_checksums: bool | None = Field(
        default=None, description="whether it checksums content; null: as the filesystem"
    )


class Feature(Closed):
    """Whether a filesystem can do something, and where that is documented."""

    value: Text = Field(description="yes, no, or the condition, limit or tool")
    source: Text = Field(description="address of the documentation", pattern="^https://")


class Features(Closed):
    """What a filesystem can do, by which one chooses where its speed does not decide."""

    data_checksums: Feature = Field(title="Checksums of content")
    metadata_checksums: Feature = Field(title="Checksums of metadata")
    snapshots: Feature = Field(title="Snapshots")
    reflinks: Feature = Field(title="Copies that share blocks (reflinks)")
    shrinking: Feature = Field(title="Can be made smaller")
    largest_file: Feature = Field(title="Largest file")
    repair: Feature = Field(title="Repair tool")


class Look(Closed):
    """Colour and shape of a configuration in every chart."""

    colour: int = Field(ge=1, le=10, description="number of the CSS variable --s1 to --s10")
    shape: Literal["circle", "square", "diamond", "triangle-up", "cross", "triangle-down"]


class Filesystem(Closed):
    """One filesystem: everything that the program knows about it."""

    title: Text
    module: Name = Field(description="name in /proc/filesystems, and the type for mount")
    package: Name = Field(description="distribution package of its tools")
    mkfs: Command = Field(description="format command without options; options and device follow")
    check: Command | None = Field(description="forced check command, followed by the device; null: no such tool exists")
    check_errors: Pattern | None = Field(
        default=None,
        description="regular expression for what the check prints of an error; null: its exit code says so",
    )
    version: Command = Field(description="command that prints the tools' version")
    mount: list[Text] = Field(default=[], description="mount options of every variant")
    data_checksums: bool = Field(
        default=False, description="whether it stores checksums of the content of files, which preallocated space lacks"
    )
    pool: bool = Field(
        default=False,
        description="whether it is made, imported and mounted by the name of a pool, as only integrity does",
    )
    legacy: Text | None = Field(
        default=None, description="why it is measured for comparison and never recommended; null: it can be recommended"
    )
    features: Features | None = Field(default=None, description="required of one that can be recommended")
    variants: dict[Name, Options] = {}

    def tools(self) -> list[list[str]]:
        """Its commands to format and check, without the device."""
        return [words for words in (self.mkfs, self.check) if words]

    def finds_errors(self, exit_code: int, output: str) -> bool:
        """Whether a check that ended with `exit_code` and printed `output` found an error."""
        return exit_code != 0 or (self.check_errors is not None and re.search(self.check_errors, output) is not None)

    def checksums(self, variant: str) -> bool:
        """Whether it stores checksums of the content of files with a variant."""
        own = self.options(variant).data_checksums
        return self.data_checksums if own is None else own

    def options(self, variant: str) -> Options:
        """Settings of a variant; `default` always exists, and is empty unless declared."""
        return self.variants.get(variant, Options())


class Stability(Closed):
    """When an experiment is stable, and the most repetitions of an experiment in a session."""

    relative_width: float = Field(
        gt=0, le=1000, description="widest 95 % interval of the median, as a share of the median"
    )
    most_repetitions: Repetitions


class Amount(Closed):
    """Amount of one family; a missing key is as in the profile."""

    repetitions: Repetitions | None = None
    image_size: Image | None = None
    scale: dict[str, Any] = Field(default={}, description="the family's own sizes; see Scale in its module")
    alone_minutes: float | None = Field(
        default=None,
        gt=0,
        le=MOST_MINUTES,
        description="measure the family only if it is requested by name, for example with --family, "
        "with this time instead of the profile's budget",
    )


class Part(Closed):
    """Differences of a profile on one testbed; a missing key is as in the profile."""

    repetitions: Repetitions | None = None
    image_size: Image | None = Field(default=None, description="bytes of the image, or of the part of the disk used")
    libraries: dict[Name, Scale] = {}
    families: dict[Name, Amount] = {}


class Profile(Closed):
    """Amount of measurements: minutes, hours or real sizes."""

    description: Text
    repetitions: Repetitions
    image_size: Image = Field(description="bytes of the loop image, or of the part of the disk used")
    content: Literal["incompressible", "zero"] = "incompressible"
    budget_minutes: float = Field(
        gt=0,
        le=MOST_MINUTES,
        description="time for the measurements of a run, adaptive sampling included, "
        "without set-up, trials and publishing",
    )
    part_minutes: float | None = Field(
        default=None,
        gt=0,
        le=MOST_MINUTES,
        description="divide the profile into parts that take up to this long, for runs of one part each; without it, "
        "it has no parts",
    )
    resident_memory: bool = Field(
        default=True,
        description="before the first repetition, fetch free memory back from the hypervisor; "
        "without it a run starts a minute earlier, but varies more",
    )
    stability: Stability
    libraries: dict[Name, Scale]
    families: dict[Name, Amount] = {}
    testbeds: dict[Name, Part] = {}

    def on(self, testbed: Name) -> "Profile":
        """The profile for one testbed."""
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

    def minutes(self, family: Name | None, part: str | None = None) -> float:
        """Time for the measurements of a run: of one requested family, of one part, or of all."""
        if part is not None and self.part_minutes is not None:
            return self.part_minutes
        return (family and self.amount(family).alone_minutes) or self.budget_minutes

    def amount(self, family: Name) -> Amount:
        """Amount of a family, with every key filled in from the profile."""
        own = self.families.get(family, Amount())
        return _merged(Amount(repetitions=self.repetitions, image_size=self.image_size), own)


class Set(Closed):
    """Every combination of its factors' values, on each of its testbeds."""

    testbeds: list[Name] = Field(
        default=[], description="testbeds to measure on; without it, the configured or the requested one"
    )
    profiles: list[Name] = Field(default=[], description="only with these profiles; without it, with every profile")
    kinds: list[Name] = Field(
        default=[], description="only on testbeds of these kinds, such as nic; without it, on every kind"
    )
    factors: dict[Name, list[Name]]

    @model_validator(mode="after")
    def _bounded(self) -> "Set":
        combinations = prod(len(values) for values in self.factors.values())
        if combinations > MOST_COMBINATIONS:
            raise ValueError(f"its factors make {combinations} combinations; a set has up to {MOST_COMBINATIONS}")
        longest = sum(2 + max(map(len, values), default=0) for values in self.factors.values())
        if longest > LONGEST_SLUG:
            raise ValueError(f"names with {longest} characters in total are too long for the name of a folder")
        return self


class Experiments(Closed):
    """Experiments of a family."""

    description: Text
    sets: list[Set] = Field(max_length=MOST_SETS)


def _merged(base: Amount, over: Amount) -> Amount:
    return Amount(
        repetitions=over.repetitions or base.repetitions,
        image_size=over.image_size or base.image_size,
        scale=base.scale | over.scale,
        alone_minutes=over.alone_minutes or base.alone_minutes,
    )
