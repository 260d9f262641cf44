"""Question groups: which identities a question compares with one another, and what each of them is called there.

Groups come from factors alone; the names come from those of the experiments, in the words of the family.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any

from spindlemark.analysis.findings import labels
from spindlemark.config.questions import OLDER, Labels, Question, meets
from spindlemark.core.record import Part, join_parts

Row = dict[str, Any]
Factors = Mapping[str, str | None]
_group = itemgetter("place", "session", "conditions", "workload")


@dataclass(frozen=True)
class QuestionGroup:
    """Configurations that a question compares: name -> its row of configuration.sql, in the order of the names.

    `shared`: the parts of their experiments' names that all have, and `workload` those of them that are not compared.
    `own`: name -> the parts that it says in words.
    """

    rows: dict[str, Row]
    shared: tuple[Part, ...]
    workload: tuple[Part, ...]
    candidates: frozenset[str]
    baseline: str | None = None
    own: Mapping[str, tuple[Part, ...]] = field(default_factory=dict)

    @property
    def same(self) -> str:
        """The shared parts as a name."""
        return join_parts(self.shared)

    @property
    def library(self) -> str:
        """The workload as a name."""
        return join_parts(self.workload)


class Grouping:
    """One question, and how it groups the rows of configuration.sql.

    `factors`: identity -> name -> value; `names`: identity -> the parts of its name; `usual`: testbed ->
    name -> the value that most have there; `words`: how values read.
    """

    def __init__(
        self,
        question: Question,
        factors: Mapping[str, Factors],
        names: Mapping[str, Sequence[Part]],
        usual: Mapping[str, Factors],
        words: Labels | None = None,
    ) -> None:
        self.question, self.factors, self.names = question, factors, names
        self.usual, self.words = usual, words or {}

    def groups(self, rows: Sequence[Row]) -> Iterator[QuestionGroup]:
        """Each group that has an answer: under a question with a baseline only those that have it, and more."""
        for _, found in groupby(rows, key=_group):
            yield from self._against(self._named(list(found)))

    def _named(self, rows: list[Row]) -> QuestionGroup:
        """All rows of a group, each under the parts of its name that others lack; of two with one name the newer.

        A lone configuration is called by what its name begins with, or by the compared values in its name where those do not lead.
        """
        whole = [self.names[row["identity"]] for row in rows]
        shared = [part for part in whole[0] if all(part in parts for parts in whole)]
        own = [[part for part in parts if part not in shared] for parts in whole]
        if self.question.against is None and not any(own):
            own = [
                list(parts[:1]) if self._leads(row, parts) else self._values_in(row, parts)
                for row, parts in zip(rows, whole, strict=True)
            ]
            shared = [part for part in shared if part not in own[0]]
        # A name begins with what is compared, or else, where others are chosen from, with what they all have as well.
        leads = 0 if self.question.against is None else 1
        by_parts: dict[tuple[Part, ...], Row] = {}
        for mine, row in zip(own, rows, strict=True):
            by_parts.setdefault(tuple(mine or self._values(row)), row)
        label_of = {parts: self._label(parts, row, rows, shared) for parts, row in by_parts.items()}
        times = Counter(label_of.values())
        names = {parts: name if times[name] == 1 else join_parts(parts) for parts, name in label_of.items()}
        named = {names[parts]: row for parts, row in by_parts.items()}
        return QuestionGroup(
            rows=dict(sorted(named.items())),
            shared=tuple(shared),
            workload=tuple(part for part in shared if all(part in parts[leads:] for parts in whole)),
            candidates=frozenset(name for name, row in named.items() if self._has(row, self.question.among)),
            own={name: parts for parts, name in names.items()},
        )

    def _label(self, own_parts: Sequence[Part], row: Row, rows: Sequence[Row], shared: Sequence[Part]) -> str:
        """A name in words, without what all `rows` have and only some names say.

        What all their names say belongs to it where it is compared, so that a configuration is called the same in each group.
        """
        settings, usual = self.factors[row["identity"]], self.usual.get(row["testbed"])

        def labelled(plains: Sequence[Part]) -> list[tuple[Part, labels.Part]]:
            return list(zip(plains, labels.parts(plains, self.words, settings, usual), strict=True))

        own = labelled(own_parts)
        telling = [
            (plain, part)
            for plain, part in own
            if part.factor is None
            or settings[part.factor] != plain.name
            or len({self.factors[each["identity"]].get(part.factor) for each in rows}) > 1
        ]
        also = [(plain, part) for plain, part in labelled(shared) if part.labelled and self._is_compared(part.factor)]
        order = self.names[row["identity"]]
        named = sorted([*(telling or own), *also], key=lambda each: order.index(each[0]) if each[0] in order else -1)
        return labels.configuration([part for _, part in named]) or join_parts(own_parts)

    def _against(self, group: QuestionGroup) -> Iterator[QuestionGroup]:
        against = self.question.against
        if against is None:
            yield group
        elif OLDER in against.values():
            yield from self._neighbours(group, next(factor for factor, value in against.items() if value == OLDER))
        else:
            baseline = next((name for name, row in group.rows.items() if self._has(row, against)), None)
            if baseline is not None and len(group.rows) > 1:
                yield replace(group, baseline=baseline)

    def _neighbours(self, group: QuestionGroup, factor: str) -> Iterator[QuestionGroup]:
        """Each version against the next lower one: 6.12.9-amd64 comes after 6.1.0."""

        def version(name: str) -> list[int]:
            return [int(number) for number in re.findall(r"\d+", self._factor(group.rows[name], factor) or "")]

        for older, newer in pairwise(sorted(filter(version, group.rows), key=version)):
            rows = {name: row for name, row in group.rows.items() if name in (older, newer)}
            yield replace(group, rows=rows, candidates=group.candidates & rows.keys(), baseline=older)

    def _has(self, row: Row, wanted: Mapping[str, str | list[str]]) -> bool:
        usual = self.usual.get(row["testbed"], {})
        return all(
            meets(self._factor(row, factor), value, partial(usual.get, factor)) for factor, value in wanted.items()
        )

    def _leads(self, row: Row, name: Sequence[Part]) -> bool:
        """Whether the name begins with the value of the first factor that is compared, or none is known."""
        first = self.question.compare[0]
        value = self._factor(row, first) or self._factor(row, f"{first}.name")
        return not value or value in (name[0].value, name[0].model_copy(update={"under": ""}).name)

    def _values(self, row: Row) -> list[Part]:
        """The values of the compared factors; the name of a factor with parts."""
        found = (self._factor(row, factor) or self._factor(row, f"{factor}.name") for factor in self.question.compare)
        return [Part(value=value) for value in found if value]

    def _values_in(self, row: Row, name: Sequence[Part]) -> list[Part]:
        """The values of the compared factors that the name says, in its order; all of them where it says none."""
        found = self._values(row)
        return [part for part in name if part in found] or found

    def _is_compared(self, factor: str | None) -> bool:
        """Whether a factor, or the one of which it is the name, is compared."""
        return factor is not None and factor.removesuffix(".name") in self.question.compare

    def _factor(self, row: Row, name: str) -> str | None:
        return row["testbed"] if name == "testbed" else self.factors[row["identity"]].get(name)
