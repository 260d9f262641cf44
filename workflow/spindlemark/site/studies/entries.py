"""Entries of the comparisons with studies: their headings, and the groups that they compare."""

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
    """A kind of entries, collected from a study's `today` for a family, with their `title` and the start of their `fragment`."""

    kind: str
    title: str
    fragment: str
    listed: Callable[[Today], Iterable[Any]]
    task: Callable[[Any, Source, list[Group], Context], Page | None]


def head(source: Source, group: Group, context: Context, kind: str, title: str, fragment: str) -> Page:
    """Return the heading of an entry, with page and testbed of `group`."""
    return {
        "library": title,
        "path": context.groups[group.group],
        "study": source.title,
        "kind": kind,
        "source": source.id,
        "study_path": locations.study(source.id),
        "testbed": testbed_labels.of_group(group),
        "then": source.date or "undated",
        "anchor": locations.fragment(fragment),
        "link": f"study {source.id}",
    }


def gathered(groups: list[Group], known: dict[str, Source], context: Context, kind: Kind) -> list[Page]:
    """Return one entry per study, family and testbed, with a task for each declaration that was measured here."""
    found: dict[tuple[str, str, str], Page] = {}
    for source in known.values():
        for declared in kind.listed(source.today) if source.today else ():
            for testbed in dict.fromkeys(g.testbed for g in groups if g.family == declared.family):
                own = [
                    g for g in groups if (g.family, g.testbed) == (declared.family, testbed) and fits(g, declared.where)
                ]
                if task := kind.task(declared, source, own, context):
                    entry = found.setdefault(
                        (source.id, declared.family, testbed),
                        head(
                            source,
                            own[0],
                            context,
                            kind.kind,
                            f"{kind.title}: {question_list.title(declared.family)}",
                            f"{kind.fragment}-{declared.family}-{testbed}",
                        )
                        | {"tasks": []},
                    )
                    entry["tasks"].append(task)
    return list(found.values())


def fits(group: Group, where: Mapping[str, str]) -> bool:
    """Whether a group has the given values."""
    found = shared_factors(group)
    return all(str(found.get(name)) == value for name, value in where.items())


def shared_factors(group: Group) -> dict[str, Any]:
    """Return the factors that all experiments of a group share, including those of the workload."""
    return {**group.conditions, **group.library_factors}
