"""Data of a version that every page builder needs."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from spindlemark.analysis.findings import question_list
from spindlemark.analysis.findings.model import Contrasts, Findings, Group
from spindlemark.config import Library
from spindlemark.site import address, session_labels, testbed_labels
from spindlemark.site.configuration_labels import Configurations
from spindlemark.site.query import Key


class Studied(NamedTuple):
    """Published groups: group -> id of its study, (study, identity, metric) -> printed table, and the studies with several
    testbeds.
    """

    sources: dict[str, str]
    tables: dict[tuple[str, str, str], str]
    several: set[str]

    def title(self, group: Group, library: str | None) -> str:
        """A group with its study; tests of a whole device have no library."""
        series = group.conditions.get("series")
        plain = library or (group.library if group.library not in ("", "none", "None") else "no library")
        source = self.sources[group.group]
        where = f" on {group.testbed}" if source in self.several else ""
        return f"{plain}{where}{'' if series in (None, 'main') else f', {series}'} ({source})"


def newest(groups: Iterable[Group]) -> list[Group]:
    """The groups without those that have the testbed, family and workload of an earlier one: of several, the newest comes first."""
    found: dict[tuple[str, str, str], Group] = {}
    for group in groups:
        found.setdefault((group.testbed, group.family, group.library), group)
    return list(found.values())


class Context:
    """Looks of configurations, addresses of experiments and groups, and declarations."""

    def __init__(
        self,
        looks: dict[str, dict],
        experiments: dict[Key, str],
        places: dict[tuple, str],
        declared: dict[str, Library],
        findings: Findings,
        studied: Studied | None = None,
        configurations: Configurations | None = None,
    ) -> None:
        """`places`: (testbed, family, experiment) -> page; `contrasted` will be the contrasts of each group."""
        self.looks = looks
        self.experiments = experiments
        self.places = places
        self.groups = address.groups(findings)
        self.declared = declared
        self.studied = studied or Studied({}, {}, set())
        self.configurations = configurations or Configurations({})
        self.confidence = findings.confidence
        self.contrasts: list[Contrasts] = findings.contrasts
        self.contrasted: dict[str | None, list[Contrasts]] = {}
        for each in findings.contrasts:
            self.contrasted.setdefault(each.group, []).append(each)
        self.beds = testbed_labels.order(findings)
        beds: dict[str, set[str]] = {}
        for g in findings.groups:
            beds.setdefault(g.family, set()).add(g.testbed)
        self.marks = {g.testbed: testbed_labels.mark(g.conditions) for g in findings.groups}
        self.several = {family for family, own in beds.items() if len(own) > 1}
        self.newest_session: dict[tuple[str, str, str], str] = {}
        for g in findings.groups:
            same = (g.family, g.testbed, g.library)
            self.newest_session[same] = max(g.session, self.newest_session.get(same, ""))
        self._sessions = session_labels.titles(
            {name for g in findings.groups for name in [g.session, *g.sessions]}
            | {c.session for c in findings.contrasts}
        )
        self.named = {g.group: self.title(g) for g in findings.groups}

    def title(self, group: Group) -> str:
        """The title of a group: its workload, with the study, or with its testbed if there are several.

        A group whose workload was measured again later, under other conditions, has its session in its title.
        """
        if group.group in self.studied.sources:
            known = self.declared.get(group.library)
            return self.studied.title(group, known.title if known else None)
        title = self.workload(group)
        where = f" on {testbed_labels.title(group.testbed)}" if group.family in self.several or not title else ""
        older = group.session and group.session < self.newest_session[group.family, group.testbed, group.library]
        return (
            (title or question_list.title(group.family)) + where + (f", {self.session(group.session)}" if older else "")
        )

    def session(self, name: str) -> str:
        """The title of a session: its day."""
        return self._sessions.get(name, name)

    def sessions(self, group: Group) -> str:
        """The titles of the sessions that a group rests on; empty if they are not known."""
        return ", ".join(self.session(name) for name in group.sessions or [group.session] if name)

    def workload(self, group: Group) -> str:
        """The title of a group's workload; empty for a family without workloads."""
        known = self.declared.get(group.library) if group.family == address.FIRST else None
        return known.title if known else group.workload_title or group.library

    def series_of(self, group: Group) -> str | None:
        """The library of which a group has another amount, on whose page it is shown; None for all other groups."""
        known = self.declared.get(group.library) if group.family == address.FIRST else None
        return known.series_of if known else None

    def configuration(self, name: str) -> dict[str, Any]:
        """A configuration's name with its colour and shape."""
        return {"name": name, **self.looks[name]}
