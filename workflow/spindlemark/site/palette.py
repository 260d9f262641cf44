"""Colour and shape of each configuration: the same on every chart of a version."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from spindlemark.site.configuration_labels import Configurations

COLOURS = 10
GREY = 8  # number of the colour of published figures
STUDY = ""  # name for published figures that share a chart with configurations
SHAPES = ("circle", "square", "diamond", "triangle-up", "cross", "triangle-down")


def assign(
    known: Configurations, names: set[str], others: Sequence[str] = (), together: Iterable[Collection[str]] = ()
) -> dict[str, dict]:
    """Configuration -> {colour: number of the CSS variable --s1..--s10, shape}.

    Variants of a base share its colour and differ in shape, as do successive bases. Charts also show each name next to
    its dots. `others` come after `names` and do not change their looks. Configurations of one collection in `together`, a
    chart or page, get different colours if there are enough, and not grey if STUDY is in it; those that share more
    collections are separated first.
    """
    every = list(dict.fromkeys([*sorted(names), *others]))
    bases = list(dict.fromkeys(known.base(s) for s in every))
    colours = _colours(bases, [{known.base(s) for s in group} for group in together])
    seen = {base: at for at, base in enumerate(bases)}
    looks = {}
    for name in every:
        base = known.base(name)
        looks[name] = {"colour": colours[base] + 1, "shape": SHAPES[seen[base] % len(SHAPES)]}
        seen[base] += 1
    return looks


def _colours(bases: Sequence[str], together: Sequence[Collection[str]]) -> dict[str, int]:
    """Base -> number of its colour: the next one, or the one that the fewest bases on the same charts have."""
    found = {STUDY: GREY - 1}
    for at, base in enumerate(bases):
        taken = Counter(found[other] for group in together if base in group for other in group if other in found)
        found[base] = min((at % COLOURS, *range(COLOURS)), key=taken.__getitem__)
    return found
