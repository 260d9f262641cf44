"""Asked: which identities a question compares with one another, and what each of them is called there.

Groups come from factors alone; the names come from the slugs, in the words of the family.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any

from spindlemark.analysis.findings import labels
from spindlemark.config.questions import OLDER, Question, Words, meets

Row = dict[str, Any]
Factors = Mapping[str, str | None]
_group = itemgetter("place", "session", "conditions", "workload")


@dataclass(frozen=True)
class Asked:
    """Subjects that a question compares: name -> its row of subject.sql, in the order of the names.

    `slugs`: name -> the part of its slug that it says in words.
    """

    rows: dict[str, Row]
    same: str
    library: str
    contenders: frozenset[str]
    baseline: str | None = None
    slugs: Mapping[str, str] = field(default_factory=dict)


class Asking:
    """One question, asked of rows of subject.sql.

    `factors`: identity -> name -> value; `usual`: testbed -> name -> the value that most have there; `words`: how values read.
    """

    def __init__(
        self,
        question: Question,
        factors: Mapping[str, Factors],
        usual: Mapping[str, Factors],
        words: Words | None = None,
    ) -> None:
        self.question, self.factors, self.usual, self.words = question, factors, usual, words or {}

    def groups(self, rows: Sequence[Row]) -> Iterator[Asked]:
        """Each group that has an answer: under a question with a baseline only those that have it, and more."""
        for _, found in groupby(rows, key=_group):
            yield from self._against(self._named(list(found)))

    def _named(self, rows: list[Row]) -> Asked:
        """All rows of a group, each under the parts of its slug that others lack; of two with one name the newer.

        A lone subject is called by what its slug begins with, or by what is compared where that does not lead.
        """
        slugs = [row["experiment"].split("--") for row in rows]
        shared = [part for part in slugs[0] if all(part in slug for slug in slugs)]
        own = [[part for part in slug if part not in shared] for slug in slugs]
        if self.question.against is None and not any(own):
            own = [
                slug[:1] if self._leads(row, slug) else self._values(row) for row, slug in zip(rows, slugs, strict=True)
            ]
            shared = [part for part in shared if part not in own[0]]
        # A slug begins with what is compared, or else, where others are chosen from, with what they all have as well.
        leads = 0 if self.question.against is None else 1
        by_slug: dict[str, Row] = {}
        for mine, row in zip(own, rows, strict=True):
            by_slug.setdefault("--".join(mine or self._values(row)), row)
        said = {slug: self._said(slug, row, rows, shared) for slug, row in by_slug.items()}
        times = Counter(said.values())
        names = {slug: name if times[name] == 1 else slug for slug, name in said.items()}
        named = {names[slug]: row for slug, row in by_slug.items()}
        return Asked(
            rows=dict(sorted(named.items())),
            same="--".join(shared),
            library="--".join(part for part in shared if all(part in slug[leads:] for slug in slugs)),
            contenders=frozenset(name for name, row in named.items() if self._has(row, self.question.among)),
            slugs={name: slug for slug, name in names.items()},
        )

    def _said(self, slug: str, row: Row, rows: Sequence[Row], shared: Sequence[str]) -> str:
        """A name in words, without what all `rows` have and only some slugs say.

        What all their slugs say belongs to it where it is compared, so that a subject is called the same in each group.
        """
        settings, usual = self.factors[row["identity"]], self.usual.get(row["testbed"])

        def spoken_of(plains: Sequence[str]) -> list[tuple[str, labels.Part]]:
            return list(zip(plains, labels.parts(plains, self.words, settings, usual), strict=True))

        own = spoken_of(slug.split("--"))
        telling = [
            (plain, part)
            for plain, part in own
            if part.factor is None
            or settings[part.factor] != plain
            or len({self.factors[each["identity"]].get(part.factor) for each in rows}) > 1
        ]
        also = [
            (plain, part) for plain, part in spoken_of(shared) if part.said and part.factor in self.question.compare
        ]
        order = row["experiment"].split("--")
        named = sorted([*(telling or own), *also], key=lambda each: order.index(each[0]) if each[0] in order else -1)
        return labels.subject([part for _, part in named]) or slug

    def _against(self, asked: Asked) -> Iterator[Asked]:
        against = self.question.against
        if against is None:
            yield asked
        elif OLDER in against.values():
            yield from self._neighbours(asked, next(factor for factor, value in against.items() if value == OLDER))
        else:
            baseline = next((name for name, row in asked.rows.items() if self._has(row, against)), None)
            if baseline is not None and len(asked.rows) > 1:
                yield replace(asked, baseline=baseline)

    def _neighbours(self, asked: Asked, factor: str) -> Iterator[Asked]:
        """Each version against the next lower one: 6.12.9-amd64 comes after 6.1.0."""

        def version(name: str) -> list[int]:
            return [int(number) for number in re.findall(r"\d+", self._factor(asked.rows[name], factor) or "")]

        for older, newer in pairwise(sorted(filter(version, asked.rows), key=version)):
            rows = {name: row for name, row in asked.rows.items() if name in (older, newer)}
            yield replace(asked, rows=rows, contenders=asked.contenders & rows.keys(), baseline=older)

    def _has(self, row: Row, wanted: Mapping[str, str | list[str]]) -> bool:
        usual = self.usual.get(row["testbed"], {})
        return all(
            meets(self._factor(row, factor), value, lambda factor=factor: usual.get(factor))
            for factor, value in wanted.items()
        )

    def _leads(self, row: Row, slug: Sequence[str]) -> bool:
        """Whether the slug begins with the value of the first factor that is compared, or none is known."""
        first = self.question.compare[0]
        return slug[0].startswith(self._factor(row, first) or self._factor(row, f"{first}.name") or "")

    def _values(self, row: Row) -> list[str]:
        """The values of what is compared: of a factor with parts its name."""
        found = (self._factor(row, factor) or self._factor(row, f"{factor}.name") for factor in self.question.compare)
        return [value for value in found if value]

    def _factor(self, row: Row, name: str) -> str | None:
        return row["testbed"] if name == "testbed" else self.factors[row["identity"]].get(name)
