"""Experiments: a page each (`experiment/page.html`), and the environments that they share."""

from pydantic import Field

from spindlemark.site.models.base import Configuration, Fact, Nothing, Part, Strip


class Workload(Part):
    """The workload of an experiment, with the group that ranks it."""

    title: str
    path: str | None = Field(description="page of the group; null where none has the experiment")
    group: str


class Repetition(Part):
    """One repetition."""

    n: int
    status: str
    reason: str | None
    started: str
    file: str = Field(description="name of its record in the pack")
    seconds: str


class Sample(Part):
    """A number of one repetition."""

    n: int
    text: str


class Metric(Part):
    """One metric of one session."""

    metric: str
    title: str
    session: str = Field(description="empty where all samples are of one session")
    n: int
    median: str
    interval: str
    ratio: str
    tier: int | None
    range: bool
    noisy: int
    unstable: bool
    strip: Strip | Nothing
    samples: list[Sample]


class Factor(Part):
    """A factor, or a fact of the environment, with its value, both in words."""

    name: str
    value: str


class FactGroup(Part):
    """Facts of the environment below one title."""

    title: str
    facts: list[Factor]


class Command(Part):
    """A command as run in the first of the repetitions that ran it."""

    step: str
    line: str
    exit_code: int
    seconds: str
    used: str
    others: list[Sample] = Field(description="seconds in the other repetitions")
    output: str


class Commands(Part):
    """The commands of the repetitions that ran the same."""

    n: int
    repetitions: str
    others: int
    commands: list[Command]


class Pieces(Part):
    """In how many pieces the recordings of a repetition are stored."""

    n: int
    step: str
    recordings: int
    pieces: str
    most: str
    spread: str


class Gate(Part):
    """A gate that held or failed, over all repetitions."""

    gate: str
    step: str
    detail: str
    checked: int = Field(alias="asked")
    held: int
    observed: str
    bound: str


class FailedGate(Part):
    """A gate that failed in one repetition."""

    gate: str
    step: str
    detail: str
    n: int
    observed: str
    bound: str


class Gates(Part):
    """All gates of an experiment."""

    failed: list[FailedGate]
    all: list[Gate]
    checked: int = Field(alias="asked")
    held: int


class Line(Part):
    """The load during one repetition."""

    n: int
    points: str = Field(description="of an SVG polyline")


class Load(Part):
    """One load series of all repetitions."""

    name: str
    top: str
    end: str
    lines: list[Line]


class Attachment(Part):
    """An attachment as text, facts or a table, or only with its size."""

    name: str
    size: str
    text: str = ""
    facts: list[Fact] = []
    columns: list[str] = []
    rows: list[list[str]] = []


class Attachments(Part):
    """The attachments of one repetition."""

    n: int
    kept: list[Attachment]


class Other(Part):
    """Other conditions under which an experiment was measured: a page of its own."""

    path: str
    day: str
    count: int = Field(alias="n")


class Experiment(Part):
    """The page of an experiment."""

    path: str
    title: str
    experiment: str
    identity: str
    testbed: str
    family: str
    question: str = Field(alias="asked")
    method: int
    configuration: Configuration = Field(alias="subject")
    library: Workload
    repetitions: list[Repetition]
    others: list[Other] = Field(description="the same experiment under another kernel, tool version or device")
    statuses: list[str]
    metrics: list[Metric]
    factors: list[Factor]
    commands: list[Commands]
    pieces: list[Pieces]
    gates: Gates
    load: list[Load]
    attached: Attachments | None
    pack: str = Field(description="name of the pack of its records")
    environment: str = Field(description="name of the environment in `shared`")
    differing: list[FactGroup] = Field(description="facts of the environment with several values")


# Name of an environment -> its facts.
Environments = dict[str, list[FactGroup]]
