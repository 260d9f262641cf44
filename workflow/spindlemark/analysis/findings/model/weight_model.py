"""Weighing: the data with which a reader weighs the tasks again, and the verdicts of other sessions."""

from pydantic import Field

from spindlemark.core.record import Closed


class Draws(Closed):
    """Resampled log ratios, with which the pages of releases 2026.11 and 2026.11.1 weigh; later ones have `Weighing`.

    For weights w and configuration s, summing in the order of `tasks`:
    score(s) = exp(sum_t w[t] * point[s][t] / sum_t w[t]);
    cost(d, s) = sum_t w[t] * weight_factor[d][t] * log_ratio[d][s][t]; the best of draw d has the lowest cost, and
    configurations with equal cost share the draw; probability_best(s) = the mean share over all draws.
    """

    configurations: list[str]
    tasks: list[str] = Field(description="the counted tasks")
    point: list[list[float]] = Field(description="configuration x task, logarithm of the ratio of medians to the best")
    log_ratio: list[list[list[float]]] = Field(description="draw x configuration x task, natural logarithm")
    weight_factor: list[list[float]] = Field(description="draw x task, multiplies the weight")


class Weighing(Closed):
    """All that a page needs to weigh the tasks again without computing anything new.

    For weights w with sum W, tasks t and u, configurations a and b:
    score(a) = exp(sum_t w[t] point[a][t] / W);
    within = sum_t sum_u w[t] w[u] covariance[t][u] / W^2, between = sum_t (w[t] / W)^2 sessions[t],
    threshold = sum_t w[t] thresholds[t] / W;
    difference = (sum_t w[t] (point[b][t] - point[a][t])) / W, moved = 2 sum_t (w[t] / W)^2 moved[t], and
    half = critical sqrt(within (scale[a] / n[a] + scale[b] / n[b]) + moved), where a missing scale is 1;
    they are equivalent where |difference| + half <= threshold; else a is better than b where difference - half > threshold,
    and slightly better where difference - half > 0 (better too in releases without `moved`); else it is inconclusive.
    Of releases before 2026.11.7, which have `normals`:
    error[a] = within / n[a] + between, middle = the mean of the two lowest log scores, away[a] = log score(a) - middle,
    left[a] = sign(away[a]) max(0, |away[a]| - drawn sqrt(error[a])): the leader leads in part by chance, so all are drawn
    to the two that lead (soft thresholding, Donoho and Johnstone 1994: the mode under a double exponential prior);
    cost(d, a) = middle + left[a] + normals[d][a] sqrt(error[a] + between): the share of the draws d in which a costs
    least, equal ones sharing it, is its probability of being best the next time; it is shown where no verdict between the
    first and another is inconclusive.
    Where `drawn` is null, as in release 2026.11.2: mean = the mean of log score over the k configurations,
    apart = max(0, sum_a (log score(a) - mean)^2 / (k - 1) - the mean of error), kept[a] = apart / (apart + error[a]) (0 where
    both are 0), and cost(d, a) = mean + kept[a] (log score(a) - mean) + normals[d][a] sqrt(kept[a] error[a] + between).
    """

    configurations: list[str]
    tasks: list[str] = Field(description="the counted tasks")
    point: list[list[float]] = Field(
        description="configuration x task: mean cost over the rounds, a natural logarithm, less the least of the task"
    )
    n: list[int] = Field(description="rounds of each configuration")
    covariance: list[list[float]] = Field(description="task x task: of the costs of one round, moderated")
    sessions: list[float] | None = Field(
        default=None,
        description="per task: variance of a configuration's cost between sessions; null: there is no probability",
    )
    scale: list[float] | None = Field(
        default=None, description="per configuration: the variance of its costs over the mean variance of all"
    )
    moved: list[float] | None = Field(
        default=None, description="per task: what the spread between sessions adds to the variance of a mean cost"
    )
    drawn: float | None = Field(default=None, description="standard errors by which all are drawn to the two that lead")
    thresholds: list[float] = Field(description="per task, logarithm")
    critical: float = Field(description="quantile of Student's t that adjusts for every primary comparison")
    normals: list[list[float]] = Field(
        default=[],
        description="draw x configuration, Student's t of 4 degrees of freedom; of releases before 2026.11.7",
    )


class Replicate(Closed):
    """One session of a pooled answer: where it was measured, and what it says by itself."""

    session: str = Field(description="empty where it was not recorded")
    machine: str = ""
    kernel: str = ""
    rounds: int
    ratios: dict[str, float] = Field(
        description="candidate -> its weighted cost over that of the best of this session, >= 1, in the order of the answer"
    )

    @property
    def same_order(self) -> bool:
        """Whether the candidates have the order of the answer."""
        return list(self.ratios.values()) == sorted(self.ratios.values())


class Sessions(Closed):
    """How often sessions agree on the same question and kind of testbed, of releases before 2026.11.7, which pool none."""

    session: str = Field(description="the session of this group; empty where it was not recorded")
    of: int = Field(description="sessions that decided the question, this one included")
    agreeing: int = Field(description="those with the same answer and verdict, this one included")
    contradicting: list[str] = Field(default=[], description="groups of those that say the opposite of this one")
    inconclusive: int = Field(default=0, description="sessions that could not decide it, this one included")
    decided: list[str] = Field(default=[], description="where this one could not: groups of those that did")

    @property
    def otherwise(self) -> int:
        """Sessions whose verdict is another one that does not contradict this answer."""
        return self.of - self.agreeing - len(self.contradicting)
