"""Entries of then and now: what each says of itself, and which groups of ours it is about."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from spindlemark.analysis.findings import question_list
from spindlemark.analysis.findings.model import Group
from spindlemark.analysis.studies.source_model import Source, Today
from spindlemark.site import testbed_labels
from spindlemark.site.context import Context
from spindlemark.site.studies import locations

Page = dict[str, Any]


class Kind(NamedTuple):
    """Entries that gather what a study's `today` declares for a family: `title` and `anchor` say how they are called."""

    kind: str
    title: str
    anchor: str
    listed: Callable[[Today], Iterable[Any]]
    task: Callable[[Any, Source, list[Group], Context], Page | None]


def head(source: Source, group: Group, context: Context, kind: str, title: str, anchor: str) -> Page:
    """What every entry says of itself; `group` lends it page and testbed."""
    return {
        "library": title,
        "path": context.groups[group.group],
        "study": source.title,
        "kind": kind,
        "source": source.id,
        "study_path": locations.study(source.id),
        "testbed": testbed_labels.of_group(group),
        "then": source.date or "undated",
        "anchor": locations.anchor(anchor),
        "link": f"published in study {source.id}",
    }


def gathered(groups: list[Group], known: dict[str, Source], context: Context, kind: Kind) -> list[Page]:
    """One entry per study, family and testbed, with a task for each thing that is declared and was measured here."""
    found: dict[tuple[str, str, str], Page] = {}
    for source in known.values():
        for asked in kind.listed(source.today) if source.today else ():
            for testbed in dict.fromkeys(g.testbed for g in groups if g.family == asked.family):
                own = [g for g in groups if (g.family, g.testbed) == (asked.family, testbed) and fits(g, asked.where)]
                if task := kind.task(asked, source, own, context):
                    entry = found.setdefault(
                        (source.id, asked.family, testbed),
                        head(
                            source,
                            own[0],
                            context,
                            kind.kind,
                            f"{kind.title}: {question_list.title(asked.family)}",
                            f"{kind.anchor}-{asked.family}-{testbed}",
                        )
                        | {"tasks": []},
                    )
                    entry["tasks"].append(task)
    return list(found.values())


def fits(group: Group, where: Mapping[str, str]) -> bool:
    """Whether a group has the values that are asked for."""
    found = told(group)
    return all(str(found.get(name)) == value for name, value in where.items())


def told(group: Group) -> dict[str, Any]:
    """The factors that all experiments of a group share, whatever answers are listed by."""
    return {**group.conditions, **group.library_factors}
