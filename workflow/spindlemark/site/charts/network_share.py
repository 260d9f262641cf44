"""Network shares: how much of the disk's speed they reach, and the effect of the MTU with and without offloads."""

from spindlemark.analysis.findings import question_list, text
from spindlemark.analysis.findings.model import Contrast, Group, MetricTable
from spindlemark.core import declared
from spindlemark.site.charts.chart_model import Axis, Builder, ChartData, Curves, Mark, Matrix, Point
from spindlemark.site.verdict_labels import SIGNS

NO_BREAK = "\u00a0"  # space without a line break
MISSING = Mark("not measured", "none")
PROTOCOL, PLACE, MTU, OFFLOADS, LINK_RATE = "protocol.name", "protocol.over", "mtu", "offloads", "link_rate"
NETWORK, QUESTION = "network", "network"
CAPTION_SHARE = (
    "Share of the speed that the same disk reaches on the server itself (mean ratio over the blocks). The faster the disk, the smaller "
    "the share that a network can reach. Orange: significantly slower than the disk alone."
)

METRICS = (
    "read_gb_cpu_seconds",
    "write_gb_cpu_seconds",
    "seq1m_q8t1_read_bytes_per_second",
    "seq1m_q8t1_write_bytes_per_second",
)
CAPTION_MTU = (
    "With offloads off, the kernel sends every packet by itself. With them on (grey), the default of most network cards, it hands over "
    "up to 64 KiB at once, whatever the MTU is. The verdicts are given below, question by question."
)


def charts(group: Group, data: ChartData) -> list[Matrix | Curves]:
    """Return the share of the disk's speed, and each metric by MTU if there are several MTUs with offloads off."""
    found = [_by_mtu(table, data) for metric in METRICS if (table := group.table(metric)) and table.cells]
    return [_share_of_disk(group, data), *(curves for curves in found if len({p.x for p in curves.points}) > 1)]


def _share_of_disk(group: Group, data: ChartData) -> Matrix:
    """Return a row of shares for each protocol, below the speeds of the disk; a column for each task that is a speed."""
    declared_tasks = question_list.declared()[group.family].tasks.values()
    known = declared.metrics(group.family)
    tasks = {task.metric: task.title for task in declared_tasks if known[task.metric].kind == "rate"}
    rows: dict[str, dict[str, Contrast]] = {}
    disk: dict[str, dict[str, Mark]] = {}
    for row in data.contrasts(group, QUESTION):
        if row.metric in tasks and row.baseline_median is not None:
            rows.setdefault(row.configuration, {})[row.metric] = row
            disk.setdefault(row.baseline, {})[row.metric] = Mark(
                text.quantity(row.baseline_median, row.unit).replace(" ", NO_BREAK), "none"
            )
    return Matrix(
        "kept",
        "Share of the disk's speed",
        CAPTION_SHARE,
        "protocol",
        "task",
        list(tasks.values()),
        [(name, [marks.get(metric, MISSING) for metric in tasks]) for name, marks in disk.items()]
        + [(name, [_mark(found.get(metric)) for metric in tasks]) for name, found in rows.items()],
    )


def _mark(row: Contrast | None) -> Mark:
    if row is None:
        return MISSING
    word = f"{100 * row.ratio:.2g}{NO_BREAK}%"
    if row.verdict == "undecided":
        return Mark(f"{word}{NO_BREAK}{SIGNS['undecided']}", "none")
    return Mark(word, "partly" if row.side == "loss" else "good")


def _by_mtu(table: MetricTable, data: ChartData) -> Curves:
    """Return one curve per protocol with offloads off, and in grey those with offloads on."""
    found: dict[str, dict[tuple[str, int], Point]] = {"off": {}, "on": {}}
    cells = [(data.factors(cell), cell) for cell in table.cells]
    names: dict[str, str] = {}  # protocol -> its shortest name, which has no MTU and no background load
    for factors, cell in cells:
        names[factors[PROTOCOL]] = min(names.get(factors[PROTOCOL], cell.configuration), cell.configuration, key=len)
    for factors, cell in cells:
        offloads, name = factors[OFFLOADS], names[factors[PROTOCOL]]
        if factors[PLACE] == NETWORK and factors[LINK_RATE] == cells[0][0][LINK_RATE]:
            place = name if offloads == "off" else f"{name}, offloads on", int(factors[MTU])
            found[offloads].setdefault(place, Point(*place, cell.median, cell.low, cell.high))
    varied = {name for name, _ in found["on"] if sum(each == name for each, _ in found["on"]) > 1}
    return Curves(
        f"mtu-{table.metric}",
        f"{table.title} by MTU",
        CAPTION_MTU if table.metric == METRICS[0] else "",
        Axis("MTU, bytes"),
        Axis(table.title, table.unit, table.kind),
        list(found["off"].values()),
        [point for (name, _), point in found["on"].items() if name in varied],
    )


BUILDER = Builder(draw=charts, factors=(PROTOCOL, PLACE, MTU, OFFLOADS, LINK_RATE))
