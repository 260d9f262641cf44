"""The questions that the families answer, in the words of `config/questions/`: what readers meet, in which order.

The words are those of today for old releases too; what a release weighed and concluded is stored in its findings.
"""

from collections.abc import Iterable
from functools import cache

from spindlemark.analysis.findings import labels
from spindlemark.analysis.findings.text import family as family_title
from spindlemark.config import read_yaml
from spindlemark.config.questions import AREAS, Questions
from spindlemark.core import paths

KERNEL = "kernel"  # has a page of its own, since its configurations are on several testbeds
_AREA_TITLES = {"store": "Store", "serve": "Serve", "live": "Record and play", "files": "Files"}


@cache
def declared() -> dict[str, Questions]:
    """Family -> its questions, in the order of the home page."""
    found = {path.stem: read_yaml(path, Questions) for path in sorted((paths.CONFIG / "questions").glob("*.yaml"))}
    return dict(sorted(found.items(), key=lambda item: AREAS.index(item[1].area)))


def areas() -> dict[str, list[str]]:
    """Title of each area -> its families."""
    return {_AREA_TITLES[area]: [name for name, own in declared().items() if own.area == area] for area in AREAS}


def title(family: str) -> str:
    """Of a family's pages; a family without questions is called by its name."""
    own = declared().get(family)
    return own.title if own else family_title(family)


def ask(family: str) -> str:
    """What its readers want to know."""
    own = declared().get(family)
    return own.ask if own else title(family)


def limits(family: str) -> list[str]:
    """What none of a family's figures shows."""
    own = declared().get(family)
    return own.limits if own else []


def typicality(family: str, workload: str) -> int:
    """The place of a workload among the typical ones of its family; 0 is the most typical."""
    own = declared().get(family)
    typical = own.typical if own else []
    return next((place for place, beginning in enumerate(typical) if workload.startswith(beginning)), len(typical))


def bars(family: str) -> str | None:
    """The metric that the home page draws for a family."""
    own = declared().get(family)
    return own.bars if own else None


def task_title(family: str, metric: str) -> str:
    """The title of the task that a metric measures; empty for a metric without a task."""
    own = declared().get(family)
    return next((task.title for task in own.tasks.values() if task.metric == metric), "") if own else ""


def secondary_metrics(family: str) -> list[str]:
    """Metrics that are shown next to a family's tasks but decide nothing."""
    own = declared().get(family)
    return own.secondary_metrics if own else []


def words(family: str, question: str) -> str:
    """One question of a family, in words."""
    own = declared().get(family)
    return own.questions[question].title if own and question in own.questions else question.capitalize()


def label(family: str, factor: str, value: str, settings: labels.Settings | None = None) -> str:
    """How the value of a factor reads, in charts and planners too; the value itself where it has no label.

    `settings`: the experiment's factors, for words that name others, as {size.bytes}.
    """
    own = declared().get(family)
    found = labels.value(own.words, factor, value, settings or {}) if own else None
    return value if found is None else found


def factors(family: str) -> list[str]:
    """What the configurations of a family differ in, as its main question names it: filesystem, scheduler."""
    own = declared().get(family)
    main = next(iter(own.questions.values())).compare if own else ["configuration"]
    return [factor.rpartition(".")[2] for factor in main]


def order(found: Iterable[str]) -> list[str]:
    """Families in the order of the questions, unknown ones last."""
    known = list(declared())
    return sorted(dict.fromkeys(found), key=lambda name: known.index(name) if name in known else len(known))


def is_control(family: str, question: str) -> bool:
    """Whether the results of the question are known in advance, as those of a twin."""
    own = declared().get(family)
    return bool(own and question in own.questions and own.questions[question].known)
