"""What a longer profile asks of a family beyond the shortest one, from config/experiments/ of today."""

from collections.abc import Iterator

from spindlemark.analysis.findings import question_list
from spindlemark.config import Experiments, read_yaml
from spindlemark.core import paths

SHORTEST, LONGER = "quick", "standard"


def adds(family: str) -> str:
    """As content: gradients, rolling text; format: 1080p25. Empty where it asks nothing more, or nothing is declared."""
    file = paths.CONFIG / "experiments" / f"{family}.yaml"
    if not file.exists():
        return ""
    declared = read_yaml(file, Experiments)
    short = set(_values(declared, SHORTEST))
    more: dict[str, list[str]] = {}
    for factor, value in dict.fromkeys(_values(declared, LONGER)):
        if (factor, value) not in short:
            more.setdefault(factor, []).append(_said(family, factor, value))
    return "; ".join(f"{factor.replace('_', ' ')}: {', '.join(said)}" for factor, said in more.items())


def _values(declared: Experiments, profile: str) -> Iterator[tuple[str, str]]:
    for each in declared.sets:
        if profile in each.profiles or not each.profiles:
            yield from ((factor, value) for factor, values in each.factors.items() for value in values)


def _said(family: str, factor: str, value: str) -> str:
    """A value in the family's words, where they need no other factor."""
    told = (question_list.said(family, name, value) for name in (f"{factor}.name", factor))
    return next(
        (text for text in told if text and text != value and "{" not in text),
        value.replace("--", ", ").replace("-", " "),
    )
