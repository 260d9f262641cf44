"""The planner (`planner/all.html`): what media need, published limits, and what was measured here."""

from pydantic import Field

from spindlemark.site.models.base import Configuration, Part, Testbed


class Medium(Part):
    """A kind of media with what a stream (bytes per second) or a picture (bytes) needs."""

    id: str
    usual: bool
    title: str
    value: float
    text: str
    hour: str | None
    printed: str | None
    where: str
    source: str
    url: str | None


class FormatGroup(Part):
    """Formats under one heading."""

    title: str
    items: list[Medium]


class Held(Part):
    """What the best configuration held."""

    configuration: Configuration = Field(alias="subject")
    low: float = Field(description="lower end of the interval: streams, or bytes per second")
    rate: float = Field(description="bytes per second of one unit of `low`")
    text: str
    path: str


class Device(Testbed):
    """What a device held in tests that last."""

    streams: list[Held]
    read: Held | None
    fill: Held | None


class Limit(Part):
    """The largest file and filesystem of a published configuration, in bytes."""

    title: str
    file: float | None
    whole: float | None
    file_text: str
    whole_text: str
    where: str
    url: str


class PublishedStreams(Part):
    """The streams that a study sustained."""

    source: str
    configuration: str | None
    storage: str | None
    sustained: int | None
    failed: int | None
    per_stream: float | None
    url: str
    per_stream_text: str


class Setting(Part):
    """A configuration with a median and the lower end of its interval."""

    configuration: Configuration = Field(alias="subject")
    value: float
    low: float | None
    n: int
    text: str
    low_text: str
    url: str | None


class SustainedSetting(Setting):
    """The streams or clients that a configuration sustained."""

    link: float | None = Field(description="bit/s that each needs of the link")
    link_text: str


class Sustained(Testbed):
    """The streams or clients that each configuration sustained at one rate."""

    title: str
    path: str
    rate: float
    rate_text: str
    limits: list[str]
    settings: list[SustainedSetting]


class LinkStream(Part):
    """A stream with the rate of several of them."""

    configuration: Configuration = Field(alias="subject")
    n: int
    in_time: str
    url: str | None
    texts: list[str]


class LinkTable(Testbed):
    """The link that live streams need."""

    title: str
    path: str
    what: str
    counts: list[int]
    streams: list[LinkStream]


class Protocol(Part):
    """A protocol of network shares."""

    configuration: Configuration = Field(alias="subject")
    n: int
    url: str | None
    low: float
    read: str
    read_kept: str
    write: str
    write_kept: str
    work: str


class ShareTable(Testbed):
    """What each protocol keeps of the disk's speed."""

    title: str
    path: str
    says: str
    protocols: list[Protocol]


class CodecRow(Part):
    """The error of each codec at one bit rate."""

    title: str
    path: str
    bits: float
    carried: str
    errors: list[str]


class Codecs(Part):
    """What each codec loses."""

    configurations: list[Configuration] = Field(alias="subjects")
    rows: list[CodecRow]


class Copied(Part):
    """The copy throughput of each configuration of a group."""

    name: str
    title: str
    path: str
    testbed: Testbed
    settings: list[Setting]


class TitledRow(Part):
    """A row with a title."""

    title: str
    url: str | None
    texts: list[str]


class ConfigurationRow(Part):
    """A row of a configuration."""

    configuration: Configuration = Field(alias="subject")
    texts: list[str]


class FileTable(Part):
    """A table about files that are edited or exchanged."""

    title: str
    says: str
    down: str
    columns: list[str]
    rows: list[TitledRow | ConfigurationRow]


class PlannerPage(Part):
    """The measurements on some testbeds."""

    measured_streams: list[Sustained]
    measured_viewers: list[Sustained]
    links: list[LinkTable]
    shares: list[ShareTable]
    codecs: Codecs | None
    groups: list[Copied]
    files: list[FileTable]
    path: str
    testbed: str | None = Field(description="null for the first page, which may have several")


class Planner(Part):
    """Everything that the planner shows."""

    formats: list[FormatGroup]
    devices: list[Device]
    streams: list[Medium]
    pictures: list[Medium]
    limits: list[Limit]
    published: list[PublishedStreams]
    pages: list[PlannerPage]
