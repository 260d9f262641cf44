"""The shape of `findings.json`: everything the site says about results, computed here and nowhere else."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from spindlemark.record import Better, Closed, Scalar, read_model

FINDINGS_FORMAT = 1


class Cell(Closed):
    """One subject under one metric: all its samples and where it stands."""

    subject: str = Field(description="configuration, as ext4 or ext4+noatime")
    experiment: str
    identity: str
    n: int
    missing: int = Field(default=0, description="repetitions that left no sample: they failed or a gate did not hold")
    samples: list[float] = Field(description="in the order of the repetitions")
    noisy: list[bool] = Field(description="per sample: a gate of quiet (machine or disk) did not hold in this step")
    median: float | None
    low: float | None = Field(description="bootstrap interval of the median; null when n < 3; the range when n < 6")
    high: float | None
    stable: bool = Field(description="interval not wider than the profile declares")
    rank: int | None = None
    tier: int | None = Field(default=None, description="1 is best; a tier holds all not supportedly worse than "
                                                       "its first; null: not ranked")
    ratio: float | None = Field(default=None, description="to the best of the group: >= 1, 1 is best")
    ratio_low: float | None = Field(default=None, description="interval of the pair with the best; null when n < 2")
    ratio_high: float | None = None


class Pair(Closed):
    """A supported or unsupported difference between two subjects with two samples or more under one ranked metric."""

    better: str
    worse: str
    ratio: float = Field(description="of the geometric means: worse over better, or the other way round where "
                                     "higher is better; >= 1")
    low: float = Field(description="simultaneous interval of the ratio, for all pairs of the metric together")
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
    description: str
    metric: str
    weight: float
    reason: str = Field(description="why this library gives the task this weight")
    counted: bool = Field(description="false where the metric cannot be ranked here")


class Configuration(Closed):
    """What a subject stands for: a filesystem with its settings under an I/O scheduler."""

    filesystem: str
    variant: str = Field(description="name of the declared settings; default where there are none")
    scheduler: str | None = Field(default=None, description="I/O scheduler of the disk; null where it is not known")
    mkfs: list[str] = Field(default=[], description="format command without the device")
    mount: list[str] = Field(default=[], description="mount options")
    description: str = Field(default="", description="the settings in words; empty for those of the filesystem's own")


class Option(Closed):
    option: int = Field(ge=1, le=3)
    subject: str
    score: float = Field(description="weighted geometric mean of ratios to the best, >= 1")
    probability_best: float
    tier: int
    recipe: list[str] = Field(description="commands that reproduce the set-up")
    costs: list[str] = Field(description="generated sentences: what it costs in the other tasks")
    configuration: Configuration | None = None


class Draws(Closed):
    """Resampled log ratios, so that a page can re-weight without computing anything new.

    For weights w and subject s, summing in the order of `tasks`:
    score(s) = exp(sum_t w[t] * point[s][t] / sum_t w[t]);
    cost(d, s) = sum_t w[t] * weight_factor[d][t] * log_ratio[d][s][t]; the best of draw d has the lowest cost, and
    subjects with equal cost share the draw; probability_best(s) = the mean share over all draws.
    """

    subjects: list[str]
    tasks: list[str] = Field(description="the counted tasks")
    point: list[list[float]] = Field(description="subject x task, logarithm of the ratio of medians to the best")
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
    status: str = Field(description="failed, unsupported or invalid")
    reason: str
    repetitions: int = Field(description="how many repetitions have this status and reason")
    of: int = Field(description="repetitions in all; the subject is in the tables when some of them are ok")


class Gain(Closed):
    """A tuned configuration against the default of its own filesystem, under one task or over the weighted tasks."""

    subject: str
    baseline: str = Field(description="the same filesystem with its default settings and the testbed's scheduler")
    metric: str | None = Field(description="null: the weighted cost over the counted tasks")
    title: str
    ratio: float = Field(description="cost of the baseline over that of the subject: > 1 is a gain, < 1 a loss")
    low: float = Field(description="simultaneous interval, for all tuned configurations of the group under this metric")
    high: float
    p: float = Field(description="adjusted for the same comparisons")
    supported: bool = Field(description="whether the difference is supported: a gain where ratio > 1, else a loss")
    statement: str


class Observation(Closed):
    """Something worth knowing beside the ranking."""

    topic: Literal["inodes", "reserved", "format"]
    subject: str
    statement: str


class Group(Closed):
    """Subjects that may be compared: one testbed, one family, one workload at one scale."""

    group: str = Field(description="slug, as loop--picture or loop--file_creation--single-direct")
    testbed: str
    family: str
    library: str = Field(description="the workload: a library's name, or the factor values joined by --; may be empty")
    workload_title: str = Field(default="", description="the workload in words")
    library_factors: dict[str, Scalar]
    conditions: dict[str, Scalar] = Field(description="what all subjects share: method, kernel, machine, device")
    subjects: list[str]
    metrics: list[MetricTable]
    absent: list[Absent]
    notes: list[str] = Field(description="generated sentences on what limits the figures of this group")
    recommendation: Recommendation | None = Field(description="null when fewer than two subjects can be weighed; "
                                                              "the notes say why")
    configurations: dict[str, Configuration] = Field(default={}, description="by subject")
    gains: list[Gain] = Field(default=[], description="by subject: the weighted cost first, then the counted tasks")
    observations: list[Observation] = []


class KernelSide(Closed):
    """One side of a comparison of kernels."""

    testbed: str
    kernel: str
    group: str = Field(description="slug of the group that holds the tables")


class KernelRow(Closed):
    """One subject under one metric before and after."""

    subject: str
    metric: str
    title: str
    unit: str
    better: Better
    before: float = Field(description="median")
    before_n: int
    after: float
    after_n: int
    ratio: float = Field(description="after over before, of the geometric means")
    low: float = Field(description="simultaneous interval, for all rows of the comparison together")
    high: float
    p: float = Field(description="adjusted for all rows of the comparison")
    supported: bool
    verdict: Literal["better", "worse", "changed", "level"] = Field(
        description="changed: supported under a metric without a direction; level: no supported change")


class KernelChange(Closed):
    """What another kernel changed, where all else is equal. Never a ranking: each subject is compared with itself."""

    family: str
    library: str
    title: str
    before: KernelSide
    after: KernelSide
    emulated: bool = Field(description="measured in an emulated machine: directions mean something, seconds do not")
    rows: list[KernelRow]
    statement: str


class Findings(Closed):
    findings_format: int = FINDINGS_FORMAT
    confidence: float
    practical_threshold: float
    shortest_rankable_seconds: float
    weight_spread: float
    relative_width: float = Field(description="widest interval of a stable cell, as a share of its median")
    groups: list[Group]
    kernels: list[KernelChange] = Field(default=[], description="each workload under two kernels, older one first")


def read(path: Path) -> Findings:
    """Read a findings file; raises UserError naming file and key."""
    return read_model(Findings, path, "write it anew with: ./spindlemark site")
