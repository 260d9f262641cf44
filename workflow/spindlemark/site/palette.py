"""Colour and shape of each configuration: declared in `config/looks.yaml`, the same on every chart of every version."""

import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import cache

from spindlemark.config import Look, read_yaml
from spindlemark.core.paths import CONFIG
from spindlemark.site.configuration_labels import Configurations

COLOURS = 10
GREY = 8  # number of the colour of published figures
STUDY = ""  # name for published figures that share a chart with configurations
SHAPES = ("circle", "square", "diamond", "triangle-up", "cross", "triangle-down")


def assign(
    known: Configurations, names: set[str], others: Sequence[str] = (), together: Iterable[Collection[str]] = ()
) -> dict[str, dict]:
    """Configuration -> {colour: number of the CSS variable --s1..--s10, shape}.

    A declared base has its own colour and shape. Variants of a base share its colour, and their shape follows from their name
    alone. Charts also show each name next to its dots. `others` come after `names` and do not change their looks. Bases that are
    not declared get the next colour that those of one collection in `together`, a chart or page, do not have, if there are
    enough, and not grey if STUDY is in it.
    """
    every = list(dict.fromkeys([*sorted(names), *others]))
    bases = list(dict.fromkeys(known.base(s) for s in every))
    colours = _colours(bases, [{known.base(s) for s in group} for group in together])
    return {
        name: {"colour": colours[known.base(name)] + 1, "shape": _shape(name, known.base(name), bases)}
        for name in every
    }


@cache
def declared() -> dict[str, Look]:
    """The declared looks by name in lower case."""
    return read_yaml(CONFIG / "looks.yaml", dict[str, Look])


def _shape(name: str, base: str, bases: Sequence[str]) -> str:
    look = declared().get(base.lower())
    first = SHAPES.index(look.shape) if look else bases.index(base) % len(SHAPES)
    if name == base:
        return SHAPES[first]
    return SHAPES[(first + 1 + zlib.crc32(name.encode()) % (len(SHAPES) - 1)) % len(SHAPES)]


def _colours(bases: Sequence[str], together: Sequence[Collection[str]]) -> dict[str, int]:
    """Base -> number of its colour: the declared one, the next one, or the one that the fewest on the same charts have."""
    looks = {base: declared().get(base.lower()) for base in bases}
    found = {STUDY: GREY - 1} | {base: look.colour - 1 for base, look in looks.items() if look}
    for at, base in enumerate(bases):
        if base not in found:
            taken = Counter(found[other] for group in together if base in group for other in group if other in found)
            found[base] = min((at % COLOURS, *range(COLOURS)), key=taken.__getitem__)
    return found
