"""Advice: what to choose in a group, with the tasks that it rests on."""

from pydantic import Field

from spindlemark.analysis.findings.model.table_model import DIFFERENT, Need, Pair, Verdict
from spindlemark.analysis.findings.model.weight_model import Draws, Replicate, Sessions, Weighing
from spindlemark.core.record import Closed


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


class FilesystemSettings(Closed):
    """Settings behind the name of a configuration: a filesystem with its options under an I/O scheduler."""

    filesystem: str
    variant: str = Field(description="name of the declared settings; default where there are none")
    scheduler: str | None = Field(default=None, description="I/O scheduler of the disk; null where it is not known")
    mkfs: list[str] = Field(default=[], description="format command without the device")
    mount: list[str] = Field(default=[], description="mount options")
    description: str = Field(default="", description="the settings in words; empty for those of the filesystem's own")


class Option(Closed):
    """One of the first choices of a group, in the order of the advice: what it takes and what it costs."""

    option: int = Field(ge=1, le=3)
    configuration: str
    score: float = Field(description="weighted geometric mean of ratios to the best, >= 1")
    probability_best: float | None = Field(default=None, description="of releases before 2026.11.7")
    tier: int
    verdict: Verdict | None = Field(default=None, description="the first option against this one; null for the first")
    recipe: list[str] = Field(description="commands that reproduce the set-up")
    costs: list[str] = Field(description="generated sentences: what it costs in the other tasks")
    settings: FilesystemSettings | None = None


class Recommendation(Closed):
    """The answer to a group's question: what to choose among its candidates, by the declared weights of the tasks."""

    verdict: Verdict = Field(
        description="better, slightly_better: the first beats all others, the nearest by so much; equivalent: it beats or "
        "equals all others"
    )
    statements: list[str] = Field(description="generated; the first one is the answer")
    tasks: list[Task]
    options: list[Option]
    first: list[str] = Field(default=[], description="the first tier: beaten by none")
    capped: bool = Field(
        default=False,
        description="the first held at the largest number that was tried: no further round separates them",
    )
    scores: dict[str, float] = Field(description="every configuration's score with declared weights")
    lossless: bool = Field(
        default=False, description="the best is, and nothing else counts: scores are an order and no ratios"
    )
    probability_best: dict[str, float] = Field(default={}, description="of releases before 2026.11.7")
    pairs: list[Pair] = Field(default=[], description="over the weighted tasks, in the order of the configurations")
    draws: Draws | None = Field(default=None, description="of releases 2026.11 and 2026.11.1 alone")
    weighing: Weighing | None = None
    need: Need | None = Field(default=None, description="where the verdict is `undecided`")
    sessions: Sessions | None = Field(default=None, description="of releases before 2026.11.7")
    replicates: list[Replicate] = Field(default=[], description="the sessions that are pooled here, oldest first")

    @property
    def supported(self) -> bool:
        """Whether one configuration beats all others."""
        return self.verdict in DIFFERENT

    @property
    def same_order(self) -> int:
        """In how many of the pooled sessions the candidates have the order of the answer."""
        return sum(each.same_order for each in self.replicates)
