"""Names of configurations and their parts: ext4+m0@bfq is ext4 with the setting m0 under the scheduler bfq."""

from collections.abc import Iterable, Mapping, Sequence

from spindlemark.core.record import Part

MANY = 12  # a table or chart of more configurations first shows the default and the best of each base


class Configurations:
    """The parts of each configuration's name, as the database stores them.

    A name that it does not store, such as one in words, is a base without settings.
    """

    def __init__(self, parts: Mapping[str, Part]) -> None:
        self._parts = parts

    def parts(self, name: str) -> Part:
        """Base, setting and what it was measured under; the last two are empty for the default."""
        return self._parts.get(name) or Part.model_construct(value=name)

    def base(self, name: str) -> str:
        """The configuration without settings."""
        return self.parts(name).value

    def is_default(self, name: str) -> bool:
        """Whether it has no settings."""
        return name == self.base(name)

    def by_base(self, ordered: Iterable[str]) -> dict[str, list[str]]:
        """Base -> its configurations: the default first, otherwise bases and configurations in the given order."""
        found: dict[str, list[str]] = {}
        for name in ordered:
            found.setdefault(self.base(name), []).append(name)
        return {base: sorted(own, key=lambda name: not self.is_default(name)) for base, own in found.items()}

    def leading(
        self, best_first: Sequence[str], wanted: Iterable[str] = (), candidates: Sequence[str] = ()
    ) -> list[str]:
        """The configurations to show first: all if they are few, else the default and the best of each base, and `wanted`.

        With `candidates`, bases without one are left out, unless no base has one.
        """
        if len(best_first) <= MANY:
            return list(best_first)
        kept = set(wanted)
        found = self.by_base(best_first).values()
        for own in [own for own in found if not {*own}.isdisjoint(candidates)] or found:
            kept |= {own[0], next(name for name in best_first if name in own)}
        return [name for name in best_first if name in kept]
