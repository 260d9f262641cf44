"""Questions of a family and their comparisons, in `config/questions/<family>.yaml`.

A *factor* has its name in the table `factor` of the database: `scheduler`, `filesystem` (with all factors below it, such as
`filesystem.mkfs`), `fingerprint.kernel`. Identities form a group if they differ only in the compared factors and in factors
that follow from those.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import AliasChoices, Field, StringConstraints, ValidationInfo, field_validator

from spindlemark.config.reading import read_folder
from spindlemark.core.limits import Name, Text
from spindlemark.core.paths import CONFIG, RELEASES
from spindlemark.core.record import Closed

DEFAULT = "default"
# Special values: `usual` is the value of most experiments on the testbed, `older` the next lower version, and `absent` that
# an experiment does not have the factor.
USUAL, OLDER, ABSENT = "usual", "older", "absent"
Area = Literal["store", "serve", "live", "files"]
AREAS = get_args(Area)

Factor = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*(\.[a-z0-9_]+)*$", max_length=100)]
# {} is the value, {size.bytes} that of another factor. In labels, + and @ only mark settings.
PLACEHOLDER = re.compile(r"\{((?:[a-z][a-z0-9_.]*)?)\}")
LabelTemplate = Annotated[Text, StringConstraints(pattern=r"^([^{}+@]*\{([a-z][a-z0-9_.]*)?\})+[^{}+@]*$")]
LabelText = Annotated[Text, StringConstraints(pattern=r"^[^{}+@]*(\{([a-z][a-z0-9_.]*)?\}[^{}+@]*)*$")]
Labels = dict[Factor, LabelTemplate | dict[Text, LabelText]]
# {best} is what to choose, {metric} its median, {rate:1 TB} the time that 1 TB takes at a rate in bytes per second.
BEST = "best"
ACTION_PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)(:1 TB)?\}")
Action = Annotated[Text, StringConstraints(pattern=r"^[^{}]*\{best\}([^{}]|\{[a-z][a-z0-9_]*(:1 TB)?\})*[.]$")]
Threshold = Annotated[float, Field(gt=0, le=1)]


class Task(Closed):
    """A task of users, and the metric for it."""

    title: Text
    description: Text
    metric: Name
    threshold: Threshold | None = Field(
        default=None,
        description="equivalence margin: largest difference of no consequence, as a share; "
        "without it, the default in recommendations.yaml",
    )
    at_least: float | None = Field(
        default=None,
        description="smallest allowed value: a configuration that was below it in any repetition is never recommended",
    )


class Weight(Closed):
    """Weight of a task for a workload, relative to the other tasks, and the reason."""

    weight: float = Field(gt=0, le=1000)
    reason: Text


class Question(Closed):
    """Comparison of the values of some factors: which one is best, or what each one gains over a baseline."""

    title: Text = Field(description="wording of the question")
    action: Action | None = Field(default=None, description="instead of the family's")
    weights: Annotated[dict[Name, Weight], Field(min_length=1)] | None = Field(
        default=None, description="instead of those of the workload, for readers with other needs"
    )
    compare: list[Factor] = Field(min_length=1, description="the compared factors, which form the configuration")
    within: list[Factor] = Field(default=[], description="parts of the compared factors that must be equal")
    follows: list[Factor] = Field(default=[], description="factors that differ with the configuration as a consequence")
    among: dict[Factor, Text | Annotated[list[Text], Field(min_length=1)]] = Field(
        default={}, description="the candidates; other configurations are shown next to them"
    )
    against: Annotated[dict[Factor, Text], Field(min_length=1)] | None = Field(
        default=None,
        description="the baseline; without it, all are compared with each other, and the best is recommended",
    )
    known: dict[Text, Literal["equal", "slower"]] = Field(
        default={},
        description="of controls: value of the first compared factor -> its result compared with the baseline, known in "
        "advance; the method page counts the verdicts that agree",
    )


class Questions(Closed):
    """Questions of one family, the main one first."""

    area: Area = Field(description="section of the home page")
    title: Text = Field(description="title of the family's pages")
    ask: Text = Field(description="the question of its readers")
    limits: list[Text] = Field(
        default=[], description="limits of all results of the family, for example of a substitute"
    )
    typical: list[Name] = Field(
        default=[],
        description="beginnings of the names of workloads, the most typical first: which answer is the headline",
    )
    action: Action | None = Field(
        default=None,
        description="what a reader should do, as the first sentence of an answer; {best} is what to choose, {metric} is the "
        "median of a metric, and {metric:1 TB} the time that 1 TB takes at a rate",
    )
    bars: Name | None = Field(default=None, description="metric that the home page draws as bars")
    by: list[Factor] = Field(default=[], description="factors of the workload, which structure the answers")
    words: Labels = Field(
        default={},
        description="labels of a factor's values on all pages: one template, such as '{} commands', or one label per "
        "value; they may contain other factors, such as '{sources.count} sources'",
    )
    tasks: dict[Name, Task]
    secondary_metrics: list[Name] = Field(
        validation_alias=AliasChoices(
            "beside", "secondary_metrics"
        ),  # the key in files; the name in a registry that was dumped
        default=[],
        description="metrics without weight, shown next to the tasks; the first one also in overviews",
    )
    weights: dict[Name, Annotated[dict[Name, Weight], Field(min_length=1)]] = Field(
        description="per workload; `default` applies to all others"
    )
    questions: Annotated[dict[Name, Question], Field(min_length=1)]

    def factors(self) -> dict[str, Factor]:
        """Key in the file -> the factor that it names."""
        found = {f"by.{n}": factor for n, factor in enumerate(self.by)} | {f"words.{name}": name for name in self.words}
        for name, labels in self.words.items():
            text = labels if isinstance(labels, str) else " ".join(labels.values())
            found |= {f"words.{name}: {{{other}}}": other for other in PLACEHOLDER.findall(text) if other}
        for name, question in self.questions.items():
            for key in ("compare", "within", "follows", "among", "against"):
                found |= {
                    f"questions.{name}.{key}.{n}": factor for n, factor in enumerate(getattr(question, key) or ())
                }
        return found

    def action_of(self, question: Name) -> str:
        """What a reader should do by the answer to a question; empty if nothing is declared."""
        own = self.questions.get(question)
        return (own.action if own else None) or self.action or ""

    def actions(self) -> dict[str, str]:
        """Key in the file -> the action that it declares."""
        own = {f"questions.{name}.action": question.action for name, question in self.questions.items()}
        return {key: action for key, action in {"action": self.action, **own}.items() if action}

    def weights_of(self, workload: str, question: Name) -> dict[Name, Weight]:
        """Task -> weight for a workload in the answer to a question; empty if there are no weights for it."""
        own = self.questions.get(question)
        return (own.weights if own else None) or self.weights.get(workload, self.weights.get(DEFAULT, {}))

    @field_validator("weights")
    @classmethod
    def _known_tasks(cls, weights: dict[str, dict[str, Weight]], given: ValidationInfo) -> dict[str, dict[str, Weight]]:
        for workload, weighed in weights.items():
            _check_tasks(workload, weighed, given)
        return weights

    @field_validator("questions")
    @classmethod
    def _main_first(cls, questions: dict[str, Question], given: ValidationInfo) -> dict[str, Question]:
        if next(iter(questions.values())).against is not None:
            raise ValueError("the first question has a baseline: put the question about the best one first")
        for name, question in questions.items():
            _check_tasks(name, question.weights or {}, given)
        return questions


def _check_tasks(where: str, weighed: dict[str, Weight], given: ValidationInfo) -> None:
    tasks = given.data.get("tasks", {})
    unknown = sorted(set(weighed) - set(tasks))
    if unknown and "tasks" in given.data:
        raise ValueError(f"{where} weighs {unknown[0]}, which is not one of the tasks {sorted(tasks)}")


def meets(value: Any, wanted: str | list[str], usual: Callable[[], Any]) -> bool:
    """Whether a factor's `value` is the wanted one, one of several, the `usual` one, or absent."""
    if wanted == ABSENT:
        return value is None
    return value in wanted if isinstance(wanted, list) else value == (usual() if wanted == USUAL else wanted)


def load(folder: Path = CONFIG) -> dict[Name, Questions]:
    """Family -> its questions, sorted by area, from all files in `questions/` below `folder`.

    Only early releases may lack this folder. Raises UserError naming file and key.
    """
    if folder.is_relative_to(RELEASES) and not (folder / "questions").exists():
        return {}
    found = read_folder(folder / "questions", Questions)
    return dict(sorted(found.items(), key=lambda item: (AREAS.index(item[1].area), item[0])))
