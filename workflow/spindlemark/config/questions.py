"""What is compared with what: the questions of a family, in `config/questions/<family>.yaml`.

A *factor* is named as in the table `factor` of the database: `scheduler`, `filesystem` (with all below it, as
`filesystem.mkfs`), `fingerprint.kernel`. Identities that agree in every factor but the compared ones, and what follows from
those, form a group.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, StringConstraints, ValidationInfo, field_validator

from spindlemark.config.reading import read_folder
from spindlemark.core.limits import Name, Text
from spindlemark.core.paths import CONFIG, RELEASES
from spindlemark.core.record import Closed

DEFAULT = "default"
# Not a value of its own: `usual` is what most experiments on the testbed have, `older` the next lower version.
USUAL, OLDER = "usual", "older"
Area = Literal["store", "serve", "live", "files"]
AREAS = get_args(Area)

Factor = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*(\.[a-z0-9_]+)*$", max_length=100)]
# {} stands for the value, {size.bytes} for that of another factor. Names of subjects have + and @ for settings alone.
PLACEHOLDER = re.compile(r"\{((?:[a-z][a-z0-9_.]*)?)\}")
LabelTemplate = Annotated[Text, StringConstraints(pattern=r"^([^{}+@]*\{([a-z][a-z0-9_.]*)?\})+[^{}+@]*$")]
LabelText = Annotated[Text, StringConstraints(pattern=r"^[^{}+@]*(\{([a-z][a-z0-9_.]*)?\}[^{}+@]*)*$")]
Labels = dict[Factor, LabelTemplate | dict[Text, LabelText]]
Threshold = Annotated[float, Field(gt=0, le=1)]


class Task(Closed):
    """Something that people do, and the metric that stands for it."""

    title: Text
    description: Text
    metric: Name
    threshold: Threshold | None = Field(
        default=None,
        description="differences up to this share are of no consequence; "
        "without it the one for all in recommendations.yaml",
    )
    at_least: float | None = Field(
        default=None, description="what was below it in any repetition is never advised, whatever it gains elsewhere"
    )


class Weight(Closed):
    """How much a task counts for a workload, relative to its other tasks, and why."""

    weight: float = Field(gt=0, le=1000)
    reason: Text


class Question(Closed):
    """Which value of the compared factors is best, or what each of them gains over a baseline."""

    title: Text = Field(description="its words")
    compare: list[Factor] = Field(min_length=1, description="the factors that are the subject")
    within: list[Factor] = Field(
        default=[], description="parts of the compared factors that must be equal all the same"
    )
    follows: list[Factor] = Field(
        default=[], description="factors that differ with the subject and are no matter of their own"
    )
    among: dict[Factor, Text | Annotated[list[Text], Field(min_length=1)]] = Field(
        default={}, description="what is chosen from; other subjects stand beside it"
    )
    against: Annotated[dict[Factor, Text], Field(min_length=1)] | None = Field(
        default=None, description="the baseline; without it all are compared with all, and the best is advised"
    )


class Questions(Closed):
    """The questions of one family, the main one first."""

    area: Area = Field(description="part of the home page")
    title: Text = Field(description="of the family's pages")
    ask: Text = Field(description="what its readers want to know")
    limits: list[Text] = Field(
        default=[], description="what none of the family's figures tells, as what stands for what"
    )
    by: list[Factor] = Field(default=[], description="the workload that answers are listed under")
    words: Labels = Field(
        default={},
        description="how values of a factor read on all pages: '{} commands' for each of them, or value by "
        "value; other factors can be named, as '{sources.count} sources'",
    )
    tasks: dict[Name, Task]
    beside: list[Name] = Field(
        default=[],
        description="metrics that stand beside the tasks and decide nothing; the first one also in overviews",
    )
    weights: dict[Name, Annotated[dict[Name, Weight], Field(min_length=1)]] = Field(
        description="per workload; `default` holds for every one that is not named"
    )
    questions: Annotated[dict[Name, Question], Field(min_length=1)]

    def factors(self) -> dict[str, Factor]:
        """Where a factor is named -> its name."""
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

    def weights_of(self, workload: str) -> dict[Name, Weight] | None:
        """Task -> weight of a workload; None where none are declared."""
        return self.weights.get(workload, self.weights.get(DEFAULT))

    @field_validator("weights")
    @classmethod
    def _known_tasks(cls, weights: dict[str, dict[str, Weight]], given: ValidationInfo) -> dict[str, dict[str, Weight]]:
        tasks = given.data.get("tasks", {})
        for workload, weighed in weights.items():
            unknown = sorted(set(weighed) - set(tasks))
            if unknown and "tasks" in given.data:
                raise ValueError(f"{workload} weighs {unknown[0]}, which is not one of the tasks {sorted(tasks)}")
        return weights

    @field_validator("questions")
    @classmethod
    def _main_first(cls, questions: dict[str, Question]) -> dict[str, Question]:
        if next(iter(questions.values())).against is not None:
            raise ValueError("the first one has a baseline: name the one first that asks for the best")
        return questions


def meets(value: Any, wanted: str | list[str], usual: Callable[[], Any]) -> bool:
    """Whether a factor's `value` is the wanted one, one of several, or the `usual` one where that is wanted."""
    return value in wanted if isinstance(wanted, list) else value == (usual() if wanted == USUAL else wanted)


def load(folder: Path = CONFIG) -> dict[Name, Questions]:
    """Family -> its questions, by area, of all files in `questions/` below `folder`, all that publishing needs.

    Only a release, from before they were declared, may have no such folder. Raises UserError naming file and key.
    """
    if folder.is_relative_to(RELEASES) and not (folder / "questions").exists():
        return {}
    found = read_folder(folder / "questions", Questions)
    return dict(sorted(found.items(), key=lambda item: (AREAS.index(item[1].area), item[0])))
