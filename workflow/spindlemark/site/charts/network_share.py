"""Network shares: what they keep of the disk's speed, and what larger packets save, with offloads and without."""

from spindlemark.analysis.findings import question_list, text
from spindlemark.analysis.findings.model import Contrast, Group, MetricTable
from spindlemark.core import declared
from spindlemark.site.charts.pictures import Axis, Builder, Curves, Mark, Matrix, Point, Seen
from spindlemark.site.verdict_labels import SIGNS

GLUE = "\u00a0"  # a space at which no line ends
ABSENT = Mark("not measured", "none")
SAYS_KEPT = (
    "Of the speed that the same disk has on the server itself, as the mean ratio of the rounds. The faster the disk, the smaller "
    "the share that a network can keep of it. Orange is surely less than the disk alone."
)

METRICS = (
    "read_gb_cpu_seconds",
    "write_gb_cpu_seconds",
    "seq1m_q8t1_read_bytes_per_second",
    "seq1m_q8t1_write_bytes_per_second",
)
SAYS = (
    "With offloads off the kernel hands over every packet by itself. With them on (grey), as cards usually have them, it hands over "
    "up to 64 KiB at once, whatever the MTU is. Which differences are sure is told below, question by question."
)


def pictures(group: Group, seen: Seen) -> list[Matrix | Curves]:
    """What is kept of the disk's speed; then one per metric over the MTU, where a protocol was measured with more than one of
    them and offloads off.
    """
    found = [_curves(table, seen) for metric in METRICS if (table := group.table(metric)) and table.cells]
    return [_kept(group, seen), *(curves for curves in found if len({p.x for p in curves.points}) > 1)]


def _kept(group: Group, seen: Seen) -> Matrix:
    """A field for each protocol and task that is a speed: the share that is kept; above them the speeds of the disk."""
    asked = question_list.declared()[group.family].tasks.values()
    known = declared.metrics(group.family)
    tasks = {task.metric: task.title for task in asked if known[task.metric].kind == "rate"}
    rows: dict[str, dict[str, Contrast]] = {}
    disk: dict[str, dict[str, Mark]] = {}
    for row in seen.against(group, "network"):
        if row.metric in tasks and row.baseline_median is not None:
            rows.setdefault(row.subject, {})[row.metric] = row
            disk.setdefault(row.baseline, {})[row.metric] = Mark(
                text.quantity(row.baseline_median, row.unit).replace(" ", GLUE), "none"
            )
    return Matrix(
        "kept",
        "What is kept of the disk's speed",
        SAYS_KEPT,
        "protocol",
        "task",
        list(tasks.values()),
        [(name, [marks.get(metric, ABSENT) for metric in tasks]) for name, marks in disk.items()]
        + [(subject, [_mark(found.get(metric)) for metric in tasks]) for subject, found in rows.items()],
    )


def _mark(row: Contrast | None) -> Mark:
    if row is None:
        return ABSENT
    word = f"{100 * row.ratio:.2g}{GLUE}%"
    if row.verdict == "undecided":
        return Mark(f"{word}{GLUE}{SIGNS['undecided']}", "none")
    return Mark(word, "partly" if row.side == "loss" else "good")


def _curves(table: MetricTable, seen: Seen) -> Curves:
    """One curve per protocol with offloads off, and beside it, in grey, what it is with offloads on."""
    found: dict[str, dict[tuple[str, int], Point]] = {"off": {}, "on": {}}
    cells = [(seen.factors(cell), cell) for cell in table.cells]
    called: dict[str, str] = {}  # a protocol by its shortest name: that without other packets or loads
    for factors, cell in cells:
        called[factors["protocol.name"]] = min(
            called.get(factors["protocol.name"], cell.subject), cell.subject, key=len
        )
    for factors, cell in cells:
        offloads, protocol = factors["offloads"], called[factors["protocol.name"]]
        if factors["protocol.over"] == "network" and factors["link_rate"] == cells[0][0]["link_rate"]:
            place = protocol if offloads == "off" else f"{protocol}, offloads on", int(factors["mtu"])
            found[offloads].setdefault(place, Point(*place, cell.median, cell.low, cell.high))
    varied = {name for name, _ in found["on"] if sum(each == name for each, _ in found["on"]) > 1}
    return Curves(
        f"mtu-{table.metric}",
        f"{table.title}, over the MTU",
        SAYS if table.metric == METRICS[0] else "",
        Axis("MTU, bytes"),
        Axis(table.title, table.unit, table.kind),
        list(found["off"].values()),
        [point for (name, _), point in found["on"].items() if name in varied],
    )


BUILDER = Builder(draw=pictures)
