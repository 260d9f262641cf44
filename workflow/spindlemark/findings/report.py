"""The shape of `findings.json`: everything the site says about results, computed here and nowhere else."""

from functools import partial
from typing import Literal

import pydantic
from pydantic.dataclasses import dataclass

from spindlemark.record import Better, Closed, Scalar

FINDINGS_FORMAT = 2
# equivalent: the simultaneous interval of the ratio lies within the practical threshold. better: it does not, and it
# excludes 1. undecided: neither.
Verdict = Literal["better", "equivalent", "undecided"]
Field = partial(pydantic.Field, kw_only=True)  # those without would stand before all others in a dataclass
# Closed as well, in a quarter of the memory: a large version has hundreds of thousands of these.
many = partial(dataclass, slots=True, kw_only=True, config=Closed.model_config)


@many()
class Need:
    """What would decide an undecided comparison, estimated from the spread so far."""

    rounds: int | None = Field(description="further rounds of the contenders; null: more than anybody would measure")
    seconds: float | None = Field(description="that they take here")


@many()
class Cell:
    """One subject under one metric: all its samples and where it stands."""

    subject: str = Field(description="what is compared, as ext4 or ext4+noatime")
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
    tier: int | None = Field(default=None, description="1: beaten by nobody; the next: beaten only by those before; "
                                                       "null: not ranked, as whoever stands beside the contenders")
    ratio: float | None = Field(default=None, description="to the best of those that are ranked: >= 1, 1 is best; of one that "
                                                          "stands beside them < 1 where it is better")
    ratio_low: float | None = Field(default=None, description="interval of the pair with the best; null when n < 2")
    ratio_high: float | None = None
    verdict: Verdict | None = Field(default=None, description="the best against this one; null for the best itself, and "
                                                              "where the two are not compared, or too short for it")
    short: bool = Field(default=False, description="a sample is below the table's shortest_seconds and counts as that long")


@many()
class Pair:
    """Two subjects under one ranked metric, or over the weighted tasks."""

    better: str
    worse: str
    ratio: float = Field(description="of the geometric means: worse over better, or the other way round where "
                                     "higher is better; >= 1")
    low: float = Field(description="simultaneous interval of the ratio, for all primary comparisons of the question")
    high: float
    p: float = Field(description="adjusted for the same comparisons")
    verdict: Verdict | None = Field(description="null: too short to tell apart")
    short: bool = Field(default=False, description="the better one counts as longer than it took: the ratio is a lower bound")
    primary: bool = Field(default=True, description="adjusted together with the question; the others say nothing more "
                                                    "than their interval")
    need: Need | None = Field(default=None, description="where it is undecided")

    @property
    def supported(self) -> bool:
        """Whether the better one may be called so."""
        return self.primary and self.verdict == "better"


class MetricTable(Closed):
    metric: str
    title: str
    unit: str
    better: Better
    ranked: bool
    why_unranked: str | None
    primary: bool = Field(default=True, description="a weighted task of the question; the verdicts of others are none")
    exact: bool = Field(default=False, description="no sample scatters: facts, not tests")
    shortest_seconds: float | None = Field(default=None, description="that shorter times count as; null where none is shorter")
    note: str = Field(default="", description="generated, as that times count as longer than they are")
    cells: list[Cell] = Field(description="best first, then those that stand beside the contenders")
    pairs: list[Pair]
    statement: str = Field(description="one generated sentence")


class Task(Closed):
    """A metric that advice rests on, with its declared weight."""

    task: str
    title: str
    description: str
    metric: str
    weight: float
    reason: str = Field(description="why this workload gives the task this weight")
    counted: bool = Field(description="false where the metric cannot be ranked here")
    threshold: float | None = Field(default=None, description="differences up to this share are of no consequence")
    note: str = Field(default="", description="generated, as that the weight acts on milliseconds")


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
    probability_best: float | None = Field(description="null where the verdict is undecided")
    tier: int
    verdict: Verdict | None = Field(default=None, description="the first option against this one; null for the first")
    recipe: list[str] = Field(description="commands that reproduce the set-up")
    costs: list[str] = Field(description="generated sentences: what it costs in the other tasks")
    configuration: Configuration | None = None


class Draws(Closed):
    """Resampled log ratios of a release of format 1, whose page still weighs with them; see `Weighing`.

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


class Weighing(Closed):
    """All that a page needs to weigh the tasks anew without computing anything new.

    For weights w with sum W, tasks t and u, subjects a and b:
    score(a) = exp(sum_t w[t] point[a][t] / W);
    within = sum_t sum_u w[t] w[u] covariance[t][u] / W^2, between = sum_t (w[t] / W)^2 sessions[t],
    threshold = sum_t w[t] thresholds[t] / W;
    difference = (sum_t w[t] (point[b][t] - point[a][t])) / W, and half = critical sqrt(within (1/n[a] + 1/n[b]));
    they are equivalent where |difference| + half <= threshold; else a is better than b where difference - half > 0; else it
    is undecided.
    error[a] = within / n[a] + between, middle = the mean of the two lowest log scores, away[a] = log score(a) - middle,
    left[a] = sign(away[a]) max(0, |away[a]| - drawn sqrt(error[a])): whoever leads does so in part by chance, so all are drawn
    to the two that lead (soft thresholding, Donoho and Johnstone 1994: the mode under a double exponential prior);
    cost(d, a) = middle + left[a] + normals[d][a] sqrt(error[a] + between): the share of the draws d in which a costs
    least, equal ones sharing it, is its probability of being best the next time; it is shown where no verdict between the
    first and another is undecided.
    Where `drawn` is null, as in release 2026.12.1: mean = the mean of log score over the k subjects,
    apart = max(0, sum_a (log score(a) - mean)^2 / (k - 1) - the mean of error), kept[a] = apart / (apart + error[a]) (0 where
    both are 0), and cost(d, a) = mean + kept[a] (log score(a) - mean) + normals[d][a] sqrt(kept[a] error[a] + between).
    """

    subjects: list[str]
    tasks: list[str] = Field(description="the counted tasks")
    point: list[list[float]] = Field(description="subject x task: mean cost over the rounds, a natural logarithm, less "
                                                 "the least of the task")
    n: list[int] = Field(description="rounds of each subject")
    covariance: list[list[float]] = Field(description="task x task: of the costs of one round, moderated")
    sessions: list[float] | None = Field(description="per task: variance of a subject's cost between sessions; null: "
                                                     "there is no probability")
    drawn: float | None = Field(default=None, description="standard errors by which all are drawn to the two that lead")
    thresholds: list[float] = Field(description="per task, logarithm")
    critical: float = Field(description="quantile of Student's t that adjusts for every primary comparison")
    normals: list[list[float]] = Field(description="draw x subject, Student's t of 4 degrees of freedom")


class Sessions(Closed):
    """How often sessions agree: the same question on the same kind of testbed, elsewhere or at another time."""

    session: str = Field(description="the session of this group; empty where it was not recorded")
    of: int = Field(description="sessions that decided the question, this one included")
    agreeing: int = Field(description="those with the same answer, this one included")
    contradicting: list[str] = Field(default=[], description="groups of those that say the opposite of this one")
    undecided: int = Field(default=0, description="sessions that could not decide it, this one included")
    decided: list[str] = Field(default=[], description="where this one could not: groups of those that did")


class Recommendation(Closed):
    verdict: Verdict = Field(description="better: the first beats all others; equivalent: it beats or equals all others")
    statements: list[str] = Field(description="generated; the first one is the answer")
    tasks: list[Task]
    options: list[Option]
    first: list[str] = Field(default=[], description="the first tier: beaten by nobody")
    scores: dict[str, float] = Field(description="every subject's score with declared weights")
    probability_best: dict[str, float] = Field(description="empty where the verdict is undecided")
    pairs: list[Pair] = Field(default=[], description="over the weighted tasks, in the order of the subjects")
    draws: Draws | None = Field(default=None, description="of format 1 alone")
    weighing: Weighing | None = None
    need: Need | None = Field(default=None, description="where the verdict is undecided")
    sessions: Sessions | None = None

    @property
    def supported(self) -> bool:
        """Whether one subject beats all others."""
        return self.verdict == "better"


class Absent(Closed):
    subject: str
    experiment: str
    status: str = Field(description="failed, unsupported or invalid")
    reason: str
    repetitions: int = Field(description="how many repetitions have this status and reason")
    of: int = Field(description="repetitions in all; the subject is in the tables when some of them are ok")


@many()
class Contrast:
    """A subject against the baseline of its question, under one metric or over the weighted tasks."""

    subject: str
    baseline: str
    metric: str | None = Field(description="null: the weighted cost over the counted tasks")
    title: str
    unit: str = ""
    better: Better = "lower"
    median: float | None = Field(default=None, description="of the subject")
    n: int = 0
    baseline_median: float | None = None
    baseline_n: int = 0
    ratio: float = Field(description="cost of the baseline over that of the subject: > 1 is a gain, < 1 a loss; under a "
                                     "metric without direction the subject's value over the baseline's")
    low: float = Field(description="simultaneous interval, for all primary comparisons of the question")
    high: float
    p: float = Field(description="adjusted for the same comparisons")
    verdict: Verdict | None = Field(description="null: too short to tell apart")
    short: bool = Field(default=False, description="the better one counts as longer than it took: the ratio is nearer to 1 "
                                                   "than the truth")
    side: Literal["gain", "loss", "changed", "level"] = Field(description="level unless the verdict is better, which "
                                                                          "then says which of the two is")
    primary: bool = True
    need: Need | None = None
    statement: str


class Contrasts(Closed):
    """One question with a baseline, answered: equal in everything but the compared factors."""

    question: str = Field(description="its name in config/questions/, as setting, scheduler or kernel")
    title: str = Field(description="its words")
    family: str
    testbed: str
    same: str = Field(description="what all subjects share, as the slug of an experiment: ext4--picture")
    beside: str = Field(default="", description="in words, what they share beside the workload: ext4")
    slugs: dict[str, str] = Field(default={}, description="subject -> the part of its experiment's slug that it says in words")
    library: str = Field(description="the workload; as in the group")
    workload_title: str = ""
    group: str | None = Field(default=None, description="group that has the tables of these subjects")
    sides: dict[str, str] = Field(default={}, description="subject -> testbed, where they lie on several")
    identities: dict[str, str] = Field(default={}, description="subject -> identity; empty in a release of format 1")
    emulated: bool = False
    session: str = ""
    baseline: str
    rows: list[Contrast] = Field(description="by subject: the weighted cost first, then the tasks, then the others")
    statement: str

    @property
    def shared(self) -> str:
        """What all subjects share beside the workload, of a release that has no words for it as a slug."""
        return self.beside or self.same.removesuffix(self.library).rstrip("-") or self.same


class Observation(Closed):
    """Something worth knowing beside the ranking."""

    topic: Literal["inodes", "reserved", "format"]
    subject: str
    statement: str


class Group(Closed):
    """Subjects that may be compared: one question, one testbed, one workload at one scale, one session."""

    group: str = Field(description="slug, as loop--picture or loop--file_creation--single-direct")
    question: str = Field(default="", description="its name in config/questions/; empty in a release of format 1")
    testbed: str
    family: str
    library: str = Field(description="the workload: a library's name, or the factor values joined by --; may be empty")
    workload_title: str = Field(default="", description="the workload in words")
    library_factors: dict[str, Scalar]
    conditions: dict[str, Scalar] = Field(description="what all subjects share: method, kernel, machine, device")
    session: str = ""
    subjects: list[str]
    contenders: list[str] = Field(default=[], description="what is chosen from; the others stand beside it")
    metrics: list[MetricTable]
    absent: list[Absent]
    notes: list[str] = Field(description="generated sentences on what limits the figures of this group")
    recommendation: Recommendation | None = Field(description="null when fewer than two subjects can be weighed")
    reason: str = Field(default="", description="generated, and one of the notes: why there is no recommendation")
    configurations: dict[str, Configuration] = Field(default={}, description="by subject")
    observations: list[Observation] = []

    def table(self, metric: str) -> MetricTable | None:
        """The table of a metric; None where nobody has a result of it."""
        return next((table for table in self.metrics if table.metric == metric), None)

    def cells(self, metric: str) -> list[Cell]:
        """The cells of that table, best first; none without it."""
        table = self.table(metric)
        return table.cells if table else []


class Findings(Closed):
    findings_format: int = FINDINGS_FORMAT
    confidence: float
    practical_threshold: float
    shortest_rankable_seconds: float
    weight_spread: float = Field(default=0.0, description="of format 1 alone: standard deviation of a weight's logarithm")
    relative_width: float = Field(description="widest interval of a stable cell, as a share of its median")
    groups: list[Group]
    contrasts: list[Contrasts] = []
