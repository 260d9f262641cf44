"""The answers to one question as tabs: by device, setting and, in versions that do not pool sessions, day."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from spindlemark.analysis.findings.model import Group
from spindlemark.analysis.format import rising
from spindlemark.site import address, testbed_labels
from spindlemark.site.context import Context

Page = dict[str, Any]


def of_groups(groups: Iterable[Group], context: Context, own: Group | None = None) -> list[Page]:
    """One list of tabs for each thing in which the groups of a family differ, in their order.

    A tab of the page of `own` leads to the group that differs from it in nothing else, or in as little as possible; without
    `own` to the first group. Amounts of a library have no tab but their own page's.
    """
    known = [g for g in groups if not context.series_of(g) or g is own]
    pooled = any(
        g.sessions for g in known
    )  # then days do not part the answers, although a group may have one session only
    days = not pooled and len({g.session for g in known}) > 1
    devices = _devices(known)
    setting = "Library" if known and known[0].family == address.FIRST else "Setting"
    kinds: dict[str, Callable[[Group], str]] = {
        "Device": lambda g: devices[g.testbed],
        setting: context.workload,
        "Measured on" if days else "Conditions": lambda g: context.session(g.session) if days else _conditions(g),
    }
    if setting == "Setting":  # libraries have an order of their own
        known.sort(key=lambda g: rising(context.workload(g)))
    known.sort(key=lambda g: context.beds.index(g.testbed))
    found = [
        {"label": label, "items": _items(known, own, of, list(kinds.values()), context)} for label, of in kinds.items()
    ]
    return [each for each in found if len(each["items"]) > 1]


def _devices(groups: list[Group]) -> dict[str, str]:
    """Testbed -> the title of its device; with its name too where several have one title."""
    titles = {g.testbed: testbed_labels.title(g.testbed) for g in groups}
    uses = Counter(titles.values())
    return {name: f"{title} ({name})" if uses[title] > 1 else title for name, title in titles.items()}


def _conditions(group: Group) -> str:
    """What separates groups of one device and workload: results of other methods and kernels are not pooled."""
    return f"method {group.conditions.get('method', '–')}, kernel {group.conditions.get('kernel', '–')}"


def _items(
    known: list[Group],
    own: Group | None,
    of: Callable[[Group], str],
    kinds: list[Callable[[Group], str]],
    context: Context,
) -> list[Page]:
    nearest: dict[str, tuple[int, Group]] = {}
    for group in known:
        apart = sum(kind(group) != kind(own) for kind in kinds) if own else 0
        title = of(group)
        if title and (title not in nearest or apart < nearest[title][0]):
            nearest[title] = (apart, group)
    return [
        {"title": title, "path": context.groups[group.group], "current": own is not None and title == of(own)}
        for title, (_, group) in nearest.items()
    ]
