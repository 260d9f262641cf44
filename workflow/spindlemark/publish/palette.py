"""Which colour and shape a subject has: the same on every chart of a version."""

from collections.abc import Sequence

from spindlemark.publish.configuration import parts

COLOURS = 10
SHAPES = ("circle", "square", "diamond", "triangle-up", "cross", "triangle-down")


def assign(names: set[str], others: Sequence[str] = ()) -> dict[str, dict]:
    """subject -> {colour: number of the CSS variable --s1..--s10, shape}.

    A base keeps its colour over its variants, which differ by shape; shape is never the only mark, since each
    subject is also named beside its dots. `others` come after `names`, whose looks they do not change.
    """
    subjects = list(dict.fromkeys([*sorted(names), *others]))
    bases = list(dict.fromkeys(parts(s).base for s in subjects))
    seen: dict[str, int] = {}
    looks = {}
    for subject in subjects:
        base = parts(subject).base
        looks[subject] = {"colour": bases.index(base) % COLOURS + 1, "shape": SHAPES[seen.get(base, 0) % len(SHAPES)]}
        seen[base] = seen.get(base, 0) + 1
    return looks
