"""What changed between two versions: the same configuration, workload and metric in both, compared."""

from collections import Counter
from typing import Any

from spindlemark.analysis.findings import question_list
from spindlemark.analysis.findings.model import Cell, Findings, Group, MetricTable
from spindlemark.analysis.format import MISSING, count, interval, number, ratio
from spindlemark.site import conditions, difference_answers

Page = dict[str, Any]
MACHINE = (
    "host",
    "machine.cpu",
    "machine.cpus",
    "machine.memory_bytes",
    "kernel",
    "device.kind",
    "device.bytes",
    "device.model",
    "device.backing.filesystem",
    "device.backing.model",
)
MOST_LEVEL = 500  # limits the page for two large releases
Place = tuple[str, str, str, str, str]  # family, testbed, library, metric, experiment
Result = tuple[Group, MetricTable, Cell]


def compare(new: Findings, old: Findings) -> Page:
    """Rows of the results that both versions have, largest change first, and experiments that only one version has.

    Only results under the same conditions are compared: of one identity, or one session. They count as changed if the
    intervals of the medians do not overlap and the medians differ by more than the equivalence margin. Unchanged results
    are limited to the MOST_LEVEL with the largest difference; results that are not compared have no rows.
    """
    mine, theirs = _cells(new), _cells(old)
    both = [_row(place, mine[place], theirs[place], new.practical_threshold) for place in mine if place in theirs]
    both.sort(key=lambda row: (not row["changed"], not row["shared"], -row["size"]))
    shared = [row for row in both if row["shared"]]
    level = [row for row in shared if not row["changed"]]
    apart = [row for row in both if not row["shared"]]
    return {
        "changed": [row for row in both if row["changed"]],
        "level": level[:MOST_LEVEL],
        "level_count": len(level),
        "apart": _counted(apart),
        "apart_count": len(apart),
        "compared": len(shared),
        "machines": _machines(new, old),
        "added": _only(mine, theirs),
        "removed": _only(theirs, mine),
        "added_metrics": _metrics(mine, theirs),
        "removed_metrics": _metrics(theirs, mine),
        "advice": difference_answers.answers(new, old),
    }


def _machines(new: Findings, old: Findings) -> list[Page]:
    """Machines and devices of both versions, per common testbed; of groups with different conditions, the newest."""
    sides = [{g.testbed: g.conditions for g in reversed(findings.groups)} for findings in (old, new)]
    found = []
    for bed in (name for name in sides[1] if name in sides[0]):
        before, now = (side[bed] for side in sides)
        facts = [
            {
                "label": conditions.LABELS[name],
                "differs": before.get(name) != now.get(name),
                **{side: conditions.plain_value(name, own.get(name)) for side, own in (("old", before), ("new", now))},
            }
            for name in MACHINE
            if name in before or name in now
        ]
        found.append({"testbed": bed, "differs": any(f["differs"] for f in facts), "facts": facts})
    return found


def _cells(findings: Findings) -> dict[Place, Result]:
    """Every cell by its place; of groups with the same name, the newest, which comes first."""
    found: dict[Place, Result] = {}
    for g in findings.groups:
        for t in g.metrics:
            for c in t.cells:
                found.setdefault((g.family, g.testbed, g.library, t.metric, c.experiment), (g, t, c))
    return found


def _above(one: Cell, other: Cell) -> bool:
    """Whether the whole interval of one is above that of the other."""
    return one.low is not None and other.high is not None and one.low > other.high


def _row(place: Place, new: Result, old: Result, least: float) -> Page:
    family, testbed, library, metric, _ = place
    (group, table, c), (before, _, b) = new, old
    change = c.median / b.median if b.median else None
    apart = _above(c, b) or _above(b, c)
    shared = c.identity == b.identity or (
        bool(group.session) and group.session == before.session and group.library_factors == before.library_factors
    )
    size = max(change, 1 / change) - 1 if change else 0.0
    return {
        "family": question_list.title(family),
        "testbed": testbed,
        "library": group.workload_title or library,
        "metric": metric,
        "title": table.title,
        "subject": c.configuration,
        "old": number(b.median, table.unit, table.kind),
        "old_n": b.n,
        "old_interval": interval(b.low, b.high, b.median, table.unit, table.kind),
        "new": number(c.median, table.unit, table.kind),
        "new_n": c.n,
        "new_interval": interval(c.low, c.high, c.median, table.unit, table.kind),
        "ratio": ratio(change) if shared else MISSING,
        "size": size,
        "shared": shared,
        "changed": bool(shared and apart and size > least),
        "verdict": _verdict(table.better, change, apart and size > least) if shared else "not compared",
    }


def _counted(rows: list[Page]) -> list[Page]:
    """Number of results per family and testbed."""
    found = Counter((row["family"], row["testbed"]) for row in rows)
    return [
        {"family": family, "testbed": testbed, "count": count(n, "result")}
        for (family, testbed), n in sorted(found.items())
    ]


def _verdict(better: str, change: float | None, changed: bool) -> str:
    if not changed or change is None:
        return "no clear change"
    if better == "none":
        return "changed"
    return "better" if (change < 1) == (better == "lower") else "worse"


def _metrics(mine: dict[Place, Result], theirs: dict[Place, Result]) -> list[str]:
    """Titles of metrics that only one version has, in a family that both have."""
    families = {place[0] for place in theirs}
    known = {(place[0], place[3]) for place in theirs}
    return sorted(
        {
            f"{table.title} ({question_list.title(place[0])})"
            for place, (_, table, _) in mine.items()
            if place[0] in families and (place[0], place[3]) not in known
        }
    )


def _only(mine: dict[Place, Result], theirs: dict[Place, Result]) -> list[Page]:
    """Experiments of one version only, per family and testbed: a number per base, and names to unfold."""
    found: dict[tuple[str, str], dict[str, set[tuple[str, str]]]] = {}
    both = {(*place[:3], place[4]) for place in theirs}
    for (family, testbed, library, _, experiment), (group, _, cell) in mine.items():
        if (family, testbed, library, experiment) not in both:
            own = found.setdefault((family, testbed), {})
            own.setdefault(_base_of(cell.configuration, group), set()).add(
                (cell.configuration, group.workload_title or library)
            )
    return [
        {
            "family": question_list.title(family),
            "testbed": testbed,
            "count": count(sum(map(len, own.values())), "experiment"),
            "bases": [_base(name, own[name]) for name in sorted(own)],
        }
        for (family, testbed), own in sorted(found.items())
    ]


def _base_of(name: str, group: Group) -> str:
    """The filesystem of a configuration that is named after it, as ext4 of ext4+m0; others are their own base."""
    found = group.settings.get(name)
    return found.filesystem if found and name.startswith(found.filesystem) else name


def _base(name: str, pairs: set[tuple[str, str]]) -> Page:
    names, workloads = {s for s, _ in pairs}, {w for _, w in pairs if w}
    number_of = count(len(names), "configuration")
    return {
        "base": name,
        "summary": f"{number_of} × {count(len(workloads), 'workload')}" if workloads else number_of,
        "names": sorted(f"{s} with {w}" if w else s for s, w in pairs),
    }
