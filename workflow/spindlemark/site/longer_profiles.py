"""What the longer profile of a family tests in addition to the shortest one and to what was measured, by today's config/experiments/."""

from collections.abc import Collection, Iterator

from spindlemark.analysis.findings import labels, question_list
from spindlemark.config import Experiments, read_yaml
from spindlemark.core import paths

SHORTEST, LONGER = "quick", "standard"
MOST = 12  # values of a factor that are listed


def adds(family: str, measured: Collection[str] = ()) -> str:
    """Text such as `gradients, rolling text (content); 1080p25 (format)`; empty if there is nothing more, or nothing declared.

    `measured`: names of measured experiments, which consist of the values of their factors.
    """
    file = paths.CONFIG / "experiments" / f"{family}.yaml"
    if not file.exists():
        return ""
    declared = read_yaml(file, Experiments)
    short = set(_values(declared, SHORTEST))
    more: dict[str, list[str]] = {}
    for factor, value in dict.fromkeys(_values(declared, LONGER)):
        if (factor, value) not in short and not any(f"--{value}--" in f"--{name}--" for name in measured):
            more.setdefault(factor, []).append(_label(family, factor, value))
    return "; ".join(f"{_listed(values)} ({factor.replace('_', ' ')})" for factor, values in more.items())


def _listed(values: list[str]) -> str:
    """All of few values; of many, such as numbers of sources, the first and the last."""
    return ", ".join(values) if len(values) <= MOST else f"{len(values)} values from {values[0]} to {values[-1]}"


def _values(declared: Experiments, profile: str) -> Iterator[tuple[str, str]]:
    for each in declared.sets:
        if profile in each.profiles or not each.profiles:
            yield from ((factor, value) for factor, values in each.factors.items() for value in values)


def _label(family: str, factor: str, value: str) -> str:
    """The family's label of a value, if it needs no other factor; else the value itself.

    A label for a number, such as "{} sources", does not fit a value that says it already, such as "4000-sources".
    """
    plain = value.replace("--", ", ").replace("-", " ")
    found = (question_list.label(family, name, value) for name in (f"{factor}.name", factor))
    return next(
        (text for text in found if text and text != value and "{" not in text and not _twice(plain, text)),
        labels.singular(plain),
    )


def _twice(plain: str, text: str) -> bool:
    return " " in plain and text.replace("-", " ").startswith(f"{plain} ")
