"""Tables and contrasts: the configurations of a group under one metric, and against a baseline."""

from typing import Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from spindlemark.core import declared
from spindlemark.core.metric import Kind
from spindlemark.core.record import Better, Closed

# By the simultaneous interval of the ratio. better: it is beyond the equivalence margin. slightly_better: it excludes 1 and
# reaches into the margin. equivalent: it is within the margin. `undecided`: inconclusive, none of them. Releases before
# 2026.11.7 have no "slightly_better"; there it is a part of "better".
Verdict = Literal["better", "slightly_better", "equivalent", "undecided"]
DIFFERENT: tuple[Verdict, ...] = ("better", "slightly_better")
# Dataclasses take a quarter of the memory of models: a large version has hundreds of thousands of these.
CONFIG = Closed.model_config


@dataclass(slots=True, kw_only=True, config=CONFIG)
class Need:
    """What would decide an inconclusive comparison, estimated from the spread so far."""

    rounds: int | None = Field(description="further rounds of the candidates; null: more than is practical")
    seconds: float | None = Field(description="that they take here")


@dataclass(slots=True, kw_only=True, config=CONFIG)
class Cell:
    """One configuration under one metric: all its samples and its place."""

    configuration: str = Field(description="what is compared, as ext4 or ext4+noatime")
    experiment: str
    identity: str
    n: int
    missing: int = Field(default=0, description="repetitions that left no sample: they failed or a gate did not hold")
    samples: list[float] = Field(description="in the order of the repetitions")
    noisy: list[bool] = Field(description="per sample: a gate of quiet (machine or disk) did not hold in this step")
    median: float
    low: float | None = Field(description="bootstrap interval of the median; null when n < 3; the range when n < 6")
    high: float | None
    stable: bool = Field(description="interval not wider than the profile declares")
    rank: int | None = None
    tier: int | None = Field(
        default=None,
        description="1: beaten by none; the next: beaten only by those before; "
        "null: not ranked, such as one that is not a candidate",
    )
    ratio: float | None = Field(
        default=None,
        description="to the best of those that are ranked: >= 1, 1 is best; of one that "
        "is only shown for comparison < 1 where it is better",
    )
    ratio_low: float | None = Field(default=None, description="interval of the pair with the best; null when n < 2")
    ratio_high: float | None = None
    verdict: Verdict | None = Field(
        default=None,
        description="the best against this one; null for the best itself, and "
        "where the two are not compared, or too short for it",
    )
    short: bool = Field(
        default=False, description="a sample is below the table's shortest_seconds and counts as that long"
    )
    session_medians: list[float | None] = Field(
        default_factory=list, description="in the order of the group's sessions; empty where there is one"
    )


@dataclass(slots=True, kw_only=True, config=CONFIG)
class Pair:
    """Two configurations under one ranked metric, or over the weighted tasks."""

    better: str
    worse: str
    ratio: float = Field(
        description="of the geometric means: worse over better, or the other way round where higher is better; >= 1"
    )
    low: float = Field(description="simultaneous interval of the ratio, for all primary comparisons of the question")
    high: float
    p: float = Field(description="adjusted for the same comparisons")
    verdict: Verdict | None = Field(description="null: too short to distinguish")
    short: bool = Field(
        default=False, description="the better one counts as longer than it took: the ratio is a lower bound"
    )
    primary: bool = Field(
        default=True, description="adjusted together with the question; the others say nothing more than their interval"
    )
    need: Need | None = Field(default=None, description="where it is inconclusive")

    def against(self, name: str) -> tuple[float, float, float]:
        """Ratio, low and high of the other configuration to `name`: above 1 if the other is worse."""
        if self.better == name:
            return self.ratio, self.low, self.high
        return 1 / self.ratio, 1 / self.high, 1 / self.low

    @property
    def supported(self) -> bool:
        """Whether the better one may be called so."""
        return self.primary and self.verdict in DIFFERENT


class Precision(Closed):
    """How far results of one configuration scatter (ISO 5725), as standard deviations of the logarithm of its cost."""

    repetition: float = Field(
        description="of repetitions in one session, relative to the other configurations of a block"
    )
    session: float = Field(
        description="between sessions of one machine, relative to the others, declared for one session"
    )
    repeatability: float = Field(
        description="r: two repetitions in a session differ by less, as a share, in 95 % of cases"
    )
    reproducibility: float = Field(description="R: the same of two repetitions in different sessions")


class MetricTable(Closed):
    """All configurations of a group under one metric, with every comparison of two that there are samples for."""

    metric: str
    title: str
    unit: str
    better: Better
    ranked: bool
    why_unranked: str | None
    primary: bool = Field(default=True, description="a weighted task of the question; the verdicts of others are none")
    exact: bool = Field(default=False, description="no sample scatters: facts, not tests")
    shortest_seconds: float | None = Field(
        default=None, description="that shorter times count as; null where none is shorter"
    )
    note: str = Field(default="", description="generated, as that times count as longer than they are")
    precision: Precision | None = Field(
        default=None, description="null where nothing scatters, or nothing is known of it"
    )
    cells: list[Cell] = Field(description="candidates, best first, then the others")
    pairs: list[Pair]
    statement: str = Field(description="one generated sentence")

    @property
    def kind(self) -> Kind | None:
        """What the numbers are, such as times or ratios; None for a metric that no family declares."""
        return declared.kind(self.metric)


class Absent(Closed):
    """Repetitions of one configuration that left no sample, for one reason."""

    configuration: str
    experiment: str
    status: str = Field(description="failed, unsupported or invalid")
    reason: str
    repetitions: int = Field(description="how many repetitions have this status and reason")
    of: int = Field(description="repetitions in all; the configuration is in the tables when some of them are ok")


@dataclass(slots=True, kw_only=True, config=CONFIG)
class Contrast:
    """A configuration against the baseline of its question, under one metric or over the weighted tasks."""

    configuration: str
    baseline: str
    metric: str | None = Field(description="null: the weighted cost over the counted tasks")
    title: str
    unit: str = ""
    better: Better = "lower"
    median: float | None = Field(default=None, description="of the configuration")
    n: int = 0
    baseline_median: float | None = None
    baseline_n: int = 0
    ratio: float = Field(
        description="cost of the baseline over that of the configuration: > 1 is a gain, < 1 a loss; under a "
        "metric without direction the configuration's value over the baseline's"
    )
    low: float = Field(description="simultaneous interval, for all primary comparisons of the question")
    high: float
    p: float = Field(description="adjusted for the same comparisons")
    verdict: Verdict | None = Field(description="null: too short to distinguish")
    short: bool = Field(
        default=False,
        description="the better one counts as longer than it took: the ratio is nearer to 1 than the truth",
    )
    side: Literal["gain", "loss", "changed", "level"] = Field(
        description="level unless the verdict is better, which then says which of the two is"
    )
    primary: bool = True
    need: Need | None = None
    statement: str

    @property
    def kind(self) -> Kind | None:
        """What the medians are, such as times or ratios; None over the weighted tasks."""
        return declared.kind(self.metric) if self.metric else None


class Contrasts(Closed):
    """One question with a baseline, answered: equal in everything but the compared factors."""

    question: str = Field(description="its name in config/questions/, as setting, scheduler or kernel")
    title: str = Field(description="its words")
    family: str
    testbed: str
    same: str = Field(description="what all configurations share, as the slug of an experiment: ext4--picture")
    same_parts: list[str] = Field(default=[], description="the names that it is joined from")
    same_title: str = Field(default="", description="in words, what they share apart from the workload: ext4")
    slugs: dict[str, str] = Field(
        default={}, description="configuration -> the part of its experiment's slug that it says in words"
    )
    slug_parts: dict[str, list[str]] = Field(
        default={}, description="configuration -> the names that this is joined from"
    )
    library: str = Field(description="the workload; as in the group")
    workload_title: str = ""
    group: str | None = Field(default=None, description="group that has the tables of these configurations")
    sides: dict[str, str] = Field(default={}, description="configuration -> testbed, where there are several")
    identities: dict[str, str] = Field(
        default={}, description="configuration -> identity; empty in releases 2026.11 and 2026.11.1"
    )
    emulated: bool = False
    session: str = ""
    baseline: str
    rows: list[Contrast] = Field(
        description="by configuration: the weighted cost first, then the tasks, then the others"
    )
    statement: str
