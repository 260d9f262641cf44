"""The declared side of advice that is the same for all questions: thresholds and error rates, from one YAML file."""

from pathlib import Path

import numpy as np
from pydantic import Field

from spindlemark.config import read_yaml
from spindlemark.config.questions import Task
from spindlemark.core.limits import MOST_SECONDS
from spindlemark.core.paths import CONFIG
from spindlemark.core.record import Closed


class Recommendations(Closed):
    """Thresholds and error rates that are the same for all questions."""

    confidence: float = Field(
        ge=0.5,
        lt=1,
        description="of intervals, and 1 - the error rate of all primary comparisons of "
        "a question together, however often they are looked at",
    )
    practical_threshold: float = Field(
        gt=0,
        le=1,
        description="differences up to this share are of no consequence, unless the task declares another one",
    )
    shortest_rankable_seconds: float = Field(ge=0, le=MOST_SECONDS, description="times count as at least this long")
    draws: int = Field(ge=100, le=10_000, description="behind the probability of being best")
    session_spread: float = Field(
        ge=0,
        le=2,
        description="standard deviation between sessions of the logarithm of a configuration's cost, relative to the others",
    )

    def margin(self, task: Task | None = None) -> float:
        """Equivalence margin of a task, or of a metric without a task, as a share."""
        return (task and task.threshold) or self.practical_threshold

    def log_margin(self, task: Task | None = None) -> float:
        """Logarithm of the ratio at the margin."""
        return float(np.log1p(self.margin(task)))


def load(path: Path = CONFIG / "recommendations.yaml") -> Recommendations:
    """Read the declared thresholds; raises UserError naming file and key."""
    return read_yaml(path, Recommendations)
