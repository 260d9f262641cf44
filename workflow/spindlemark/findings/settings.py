"""The declared side of advice: thresholds, tasks, and what each kind of library does most, from one YAML file."""

from pathlib import Path
from typing import Annotated

from pydantic import Field, model_validator

from spindlemark.declare import read_yaml
from spindlemark.limits import MOST_SECONDS, Name, Text
from spindlemark.paths import CONFIG
from spindlemark.record import Closed


class DeclaredTask(Closed):
    """Something that people do with a library, and the metric that stands for it."""

    title: Text
    description: Text
    metric: Name


class Weight(Closed):
    """How much a task counts for a library, relative to its other tasks, and why."""

    weight: float = Field(gt=0, le=1000)
    reason: Text


DEFAULT = "default"


class FamilyAdvice(Closed):
    """The tasks of one family of experiments and their weights per library, or per other workload.

    `default` among the libraries holds for every workload that is not named.
    """

    tasks: dict[Name, DeclaredTask]
    libraries: dict[Name, Annotated[dict[Name, Weight], Field(min_length=1)]]

    def weights(self, workload: str) -> dict[Name, Weight] | None:
        """Task -> weight of a workload; None where none are declared."""
        return self.libraries.get(workload, self.libraries.get(DEFAULT))

    @model_validator(mode="after")
    def _known_tasks(self) -> "FamilyAdvice":
        for library, weights in self.libraries.items():
            unknown = sorted(set(weights) - set(self.tasks))
            if unknown:
                raise ValueError(f"{library} weighs {unknown[0]}, which is not one of the tasks {sorted(self.tasks)}")
        return self


class Recommendations(Closed):
    """Everything that advice rests on besides the samples."""

    confidence: float = Field(ge=0.5, lt=1, description="of intervals, and 1 - the error rate of all pairs together")
    practical_threshold: float = Field(ge=0, le=1, description="differences up to this share are of no consequence")
    shortest_rankable_seconds: float = Field(ge=0, le=MOST_SECONDS,
                                             description="steps whose medians are all shorter are not ranked")
    draws: int = Field(ge=100, le=10_000, description="resamples behind the probability of being best")
    weight_spread: float = Field(ge=0, le=2, description="standard deviation of the logarithm of a weight")
    families: dict[Name, FamilyAdvice]

    def metrics(self) -> set[str]:
        """Every metric that stands for a task."""
        return {task.metric for family in self.families.values() for task in family.tasks.values()}

    def place(self, family: str, library: str) -> tuple[int, int]:
        """Where a library stands in the order of declaration, which is the readers'; unknown ones come last."""
        families = list(self.families)
        libraries = list(self.families[family].libraries) if family in families else []
        return (families.index(family) if family in families else len(families),
                libraries.index(library) if library in libraries else len(libraries))


def load(path: Path = CONFIG / "recommendations.yaml") -> Recommendations:
    """Read the declared weights and thresholds; raises UserError naming file and key."""
    return read_yaml(path, Recommendations)
