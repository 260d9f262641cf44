"""Which colour and shape a configuration has: the same on every chart of a version."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from spindlemark.site.configuration_labels import Configurations

COLOURS = 10
GREY, STUDY = (
    8,
    "",
)  # of the colours: that of what a study prints, and the name under which that is together with configurations
SHAPES = ("circle", "square", "diamond", "triangle-up", "cross", "triangle-down")


def assign(
    known: Configurations, names: set[str], others: Sequence[str] = (), together: Iterable[Collection[str]] = ()
) -> dict[str, dict]:
    """Configuration -> {colour: number of the CSS variable --s1..--s10, shape}.

    A base keeps its colour over its variants, which differ by shape; so do bases that follow one another. Each configuration is also
    named beside its dots. `others` come after `names`, whose looks they do not change. Configurations that stand `together` on a
    chart or page have different colours while there are enough, and none is grey beside STUDY; who is together twice comes first.
    """
    subjects = list(dict.fromkeys([*sorted(names), *others]))
    bases = list(dict.fromkeys(known.base(s) for s in subjects))
    colours = _colours(bases, [{known.base(s) for s in group} for group in together])
    seen = {base: at for at, base in enumerate(bases)}
    looks = {}
    for subject in subjects:
        base = known.base(subject)
        looks[subject] = {"colour": colours[base] + 1, "shape": SHAPES[seen[base] % len(SHAPES)]}
        seen[base] += 1
    return looks


def _colours(bases: Sequence[str], together: Sequence[Collection[str]]) -> dict[str, int]:
    """Base -> number of its colour: the next in turn, or one that fewer of those beside it have."""
    found = {STUDY: GREY - 1}
    for at, base in enumerate(bases):
        beside = Counter(found[other] for group in together if base in group for other in group if other in found)
        found[base] = min((at % COLOURS, *range(COLOURS)), key=beside.__getitem__)
    return found
