"""The shape of `findings.json`: everything the site says about results, computed here and nowhere else."""

from typing import Literal

from pydantic import Field

from spindlemark.record import Better, Closed, Scalar

FINDINGS_FORMAT = 1


class Cell(Closed):
    """One subject under one metric: all its samples and where it stands."""

    subject: str = Field(description="configuration, as ext4 or ext4+noatime")
    experiment: str
    identity: str
    n: int
    samples: list[float]
    noisy: list[bool] = Field(description="per sample: a quiet-machine gate did not hold in this step")
    median: float | None
    low: float | None = Field(description="95 % bootstrap interval of the median; null when n < 3")
    high: float | None
    stable: bool = Field(description="interval not wider than the profile declares")
    rank: int | None = None
    tier: int | None = Field(default=None, description="1 is best; subjects of one tier are not told apart; null: not ranked")
    ratio: float | None = Field(default=None, description="to the best of the group: >= 1, 1 is best")
    ratio_low: float | None = None
    ratio_high: float | None = None


class Pair(Closed):
    """A supported or unsupported difference between two subjects under one metric."""

    better: str
    worse: str
    ratio: float = Field(description="worse over better (or better over worse where higher is better), >= 1")
    low: float
    high: float
    p: float = Field(description="adjusted for all pairs of the group")
    supported: bool


class MetricTable(Closed):
    metric: str
    title: str
    unit: str
    better: Better
    ranked: bool
    why_unranked: str | None
    cells: list[Cell] = Field(description="best first")
    pairs: list[Pair]
    statement: str = Field(description="one generated sentence")


class Task(Closed):
    """A metric that advice rests on, with its declared weight."""

    task: str
    title: str
    metric: str
    weight: float
    counted: bool = Field(description="false where the metric cannot be ranked here")


class Option(Closed):
    option: int = Field(ge=1, le=3)
    subject: str
    score: float = Field(description="weighted geometric mean of ratios to the best, >= 1")
    probability_best: float
    tier: int
    recipe: list[str] = Field(description="commands that reproduce the set-up")
    costs: list[str] = Field(description="generated sentences: what it costs in the other tasks")


class Draws(Closed):
    """Resampled log ratios, so that a page can re-weight without computing anything new."""

    subjects: list[str]
    tasks: list[str]
    log_ratio: list[list[list[float]]] = Field(description="draw x subject x task, natural logarithm")
    weight_factor: list[list[float]] = Field(description="draw x task, multiplies the weight")


class Recommendation(Closed):
    supported: bool
    statements: list[str] = Field(description="generated; has 'no supported difference' when there is none")
    tasks: list[Task]
    options: list[Option]
    scores: dict[str, float] = Field(description="every subject's score with declared weights")
    probability_best: dict[str, float]
    draws: Draws


class Absent(Closed):
    subject: str
    experiment: str
    status: str
    reason: str


class Group(Closed):
    """Subjects that may be compared: one testbed, one library at one scale."""

    group: str = Field(description="slug, as loop--picture")
    testbed: str
    family: str
    library: str
    library_factors: dict[str, Scalar]
    subjects: list[str]
    metrics: list[MetricTable]
    absent: list[Absent]
    recommendation: Recommendation | None


class Findings(Closed):
    findings_format: int = FINDINGS_FORMAT
    confidence: float
    practical_threshold: float
    shortest_rankable_seconds: float
    weight_spread: float
    groups: list[Group]
