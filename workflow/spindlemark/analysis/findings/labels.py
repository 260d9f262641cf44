"""Labels: how factor values read, in the words of config/questions/: the one place for them."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from spindlemark.analysis.findings import text
from spindlemark.config.questions import PLACEHOLDER, Labels
from spindlemark.core import record

Settings = Mapping[str, str | None]
_ONE = re.compile(r"^(1 [a-z]+)s$")


class Part(NamedTuple):
    """A part of an experiment's name: the factor that it is a value of, where one has it, and how it reads."""

    factor: str | None
    text: str
    labelled: bool


def value(declared: Labels, factor: str, plain: str, settings: Settings) -> str | None:
    """How the value `plain` of a factor reads; None where it has no label.

    `settings`: factor -> value of the same experiment, for words that name others, as {size.bytes}.
    """
    labels = declared.get(factor)
    text = labels.get(plain) if isinstance(labels, Mapping) else labels
    if text is None:
        return None
    return singular(PLACEHOLDER.sub(lambda found: _filled(found[1], plain, settings), text))


def singular(label: str) -> str:
    """As 1 source, where a template such as `{} sources` made 1 sources."""
    return _ONE.sub(r"\1", label)


def parts(
    name: Sequence[record.Part], declared: Labels, settings: Settings, usual: Settings | None = None
) -> list[Part]:
    """Each part of an experiment's name in words.

    Of several factors with the same value a part is the first of those that words are declared for, rather one that differs
    from the `usual` value of the testbed, since a name says what was chosen.
    """
    found: list[Part] = []
    order = [*declared, *settings]
    for plain in name:
        taken = {part.factor for part in found}
        same = [factor for factor in order if settings.get(factor) == plain.value]
        factor = min(
            same,
            default=None,
            key=lambda each: (each in taken, (usual or {}).get(each) == settings[each], each not in declared),
        )
        label = value(declared, factor, plain.name, settings) if factor else None
        found.append(Part(factor, plain.name if label is None else label, label is not None))
    return found


def workload(found: Sequence[Part]) -> str:
    """As one file of 537 MB, past the page cache: a value without a label loses its hyphens."""
    return ", ".join(part.text if part.labelled else part.text.replace("-", " ") for part in found if part.text)


def heading(found: Sequence[Part], names: Collection[str] = ()) -> str:
    """A workload that begins a line, as A file on the disk, reading; a filesystem alone is a name, as ext4, edit and crashes.

    `names`: the factors whose values are such names.
    """
    first = next((part for part in found if part.text), None)
    text = workload(found)
    name = first is None or not first.labelled or (first.factor in names and " " not in first.text)
    return text if name else text[:1].upper() + text[1:]


def configuration(found: Sequence[Part]) -> str:
    """As xfs+log128m-logbufs8, or each command by itself, edit aside: a value without a label stays a name."""
    return ", ".join(part.text for part in found if part.text)


def _filled(name: str, plain: str, settings: Settings) -> str:
    """A placeholder's text: {} is the value itself; bytes and rates have a readable size, as 54.9 MB and 25 Mbit/s.

    Files of a library and other counts read as 134,510.
    """
    text = settings.get(name) if name else plain.replace("-", " ")
    if text is None:
        return f"{{{name}}}"
    if name.endswith("bytes_per_second"):
        return _readable(8 * float(text), "bit/s")
    if name.endswith((".files", ".count")):
        return f"{int(text):,}"
    return _readable(float(text), "B") if name.endswith("bytes") else text


def _readable(value: float, unit: str) -> str:
    """As 25 Mbit/s: what was chosen, and not measured to 25.0."""
    digits, _, prefixed = text.quantity(value, unit).partition(" ")
    return f"{digits.rstrip('0').rstrip('.') if '.' in digits else digits} {prefixed}"
