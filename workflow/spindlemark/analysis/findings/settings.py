"""Thresholds and error rates that are the same for all questions, from config/recommendations.yaml."""

from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Annotated

import numpy as np
from pydantic import Field

from spindlemark.analysis.findings.cells import Samples
from spindlemark.config import read_yaml
from spindlemark.config.questions import Task
from spindlemark.core.limits import MOST_SECONDS
from spindlemark.core.metric import Kind
from spindlemark.core.paths import CONFIG
from spindlemark.core.record import Closed

Share = Annotated[float, Field(gt=0, le=1)]
Positive = Annotated[float, Field(gt=0)]


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
        description="differences up to this share are of no consequence, unless `margins`, `points` or the task declare another",
    )
    margins: dict[Kind, Share] = Field(default={}, description="kind of metric -> the same share for it")
    points: dict[str, Positive] = Field(
        default={}, description="unit of a quality -> the difference in that unit that is of no consequence"
    )
    shortest_rankable_seconds: float = Field(ge=0, le=MOST_SECONDS, description="times count as at least this long")
    session_spread: float = Field(
        ge=0,
        le=2,
        description="standard deviation between sessions of the logarithm of a configuration's cost, relative to the others",
    )

    def margin(self, task: Task | None = None, like: Sequence[Samples] = ()) -> float:
        """Equivalence margin of a task, or of a metric without a task, as a share; `like`: all samples of its metric."""
        if task and task.threshold:
            return task.threshold
        if like and (points := self.points.get(like[0].unit)):
            middle = max(abs(median(each.values)) for each in like)
            return points / middle if middle else self.practical_threshold
        kind = like[0].kind if like else None
        return self.margins.get(kind, self.practical_threshold) if kind else self.practical_threshold

    def log_margin(self, task: Task | None = None, like: Sequence[Samples] = ()) -> float:
        """Logarithm of the ratio at the margin."""
        return float(np.log1p(self.margin(task, like)))


def load(path: Path = CONFIG / "recommendations.yaml") -> Recommendations:
    """Read the declared thresholds; raises UserError naming file and key."""
    return read_yaml(path, Recommendations)
