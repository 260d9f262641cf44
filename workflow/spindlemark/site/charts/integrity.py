"""Damaged blocks: a matrix of outcomes by configuration, place and kind of fault."""

from collections import Counter
from typing import Literal

from spindlemark.analysis.findings import question_list
from spindlemark.analysis.findings.model import Group
from spindlemark.config.questions import DEFAULT
from spindlemark.site import testbed_labels
from spindlemark.site.charts.chart_model import Builder, Chart, ChartData, Mark, Matrix

FAMILY = "integrity"
FIRST = ("outcomes",)
METRIC = "honest_ratio"
PLACE, FAULT = "place", "fault"
NAME, VARIANT, COPIES = "filesystem.name", "filesystem.variant", "copies.name"
COLUMNS = (("data", "bit"), ("data", "sector"), ("metadata", "bit"), ("metadata", "sector"))
# Outcomes, the worst first: key in the record -> label and rating.
OUTCOMES: dict[str, tuple[str, Literal["good", "partly", "bad"]]] = {
    "silent": ("silent", "bad"),
    "lost": ("filesystem lost", "bad"),
    "detected": ("detected", "partly"),
    "repaired": ("repaired", "good"),
    "harmless": ("harmless", "good"),
}
CAPTION = (
    "Each number counts the faults of all repetitions, under each kernel. Silent: nothing reports the damage, and a file is wrong or "
    "missing. Filesystem lost: it cannot be mounted, also after a repair. Detected: a mount, read, scrub or check reports the damage, and "
    "it stays. Repaired: it is reported, and at the end all files are whole and the check finds no errors. Harmless: nothing is reported, "
    "and all files are whole. The worst outcome decides the colour. The numbers are not failure rates, because places are drawn from the "
    "blocks in use."
)


def charts(group: Group, data: ChartData) -> list[Chart]:
    """Return the matrix of all configurations of this question on every testbed: the same for each of its workloads."""
    found: dict[str, dict[tuple[str, str], Counter[str]]] = {}
    for other in data.on_every_testbed(group):
        place = "" if other.testbed == group.testbed else f" ({testbed_labels.title(other.testbed)})"
        for cell in other.cells(METRIC):
            factors = data.factors(cell)
            faults = [fault["outcome"] for kept in data.pooled_attachments(cell) for fault in kept.get("faults", [])]
            if faults:
                found.setdefault(f"{_name(factors)}{place}", {})[factors[PLACE], factors[FAULT]] = Counter(faults)
    columns = [column for column in COLUMNS if any(column in row for row in found.values())]
    rows = [(name, [_mark(row.get(column)) for column in columns]) for name, row in sorted(found.items(), key=_harm)]
    labels = [
        ", ".join(question_list.label(FAMILY, *pair) for pair in zip((FAULT, PLACE), (fault, place), strict=True))
        for place, fault in columns
    ]
    return (
        [Matrix("outcomes", "What becomes of a damaged block", CAPTION, "configuration", "fault", labels, rows)]
        if rows
        else []
    )


def _name(factors: dict[str, str]) -> str:
    """Name a configuration the same in all groups, whose own names depend on what differs in the group."""
    variant = factors[VARIANT]
    setting = "" if variant == DEFAULT else f"+{variant}"
    return f"{factors[NAME]}{setting}, {question_list.label(FAMILY, COPIES, factors[COPIES])}"


def _harm(row: tuple[str, dict[tuple[str, str], Counter[str]]]) -> tuple[list[float], str]:
    """Sort by the shares of outcomes over all faults, the worst outcome first; those with least harm lead."""
    name, fields = row
    total = sum(fields.values(), Counter())
    return [total[outcome] / total.total() for outcome in OUTCOMES][:3], name


def _mark(outcomes: Counter[str] | None) -> Mark:
    """List the outcomes of the faults, the worst first, rated by the worst."""
    if outcomes is None:
        return Mark("not measured", "none")
    present = [(outcomes[key], *OUTCOMES[key]) for key in OUTCOMES if outcomes[key]]
    if len(present) == 1:
        return Mark(f"all {outcomes.total()} {present[0][1]}", present[0][2])
    return Mark(", ".join(f"{count} {label}" for count, label, _ in present), present[0][2])


BUILDER = Builder(draw=charts, first=FIRST, factors=(PLACE, FAULT, NAME, VARIANT, COPIES))
