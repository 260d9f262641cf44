"""Network shares: what larger packets save, where the kernel hands over each of them by itself."""

from spindlemark.findings.report import Group, MetricTable
from spindlemark.publish.pictures import Axis, Curves, Point, Seen

METRICS = ("read_gb_cpu_seconds", "write_gb_cpu_seconds", "seq1m_q8t1_read_bytes_per_second", "seq1m_q8t1_write_bytes_per_second")
SAYS = ("With offloads off every packet is handed over by itself, and costs about the same whatever it holds. With them on (grey), as "
        "all cards of today have them, the kernel hands over up to 64 KiB at once, and the MTU changes little.")


def pictures(group: Group, seen: Seen) -> list[Curves]:
    """One per metric, over the MTU, where a protocol was measured with more than one of them and offloads off."""
    found = [_curves(table, seen) for metric in METRICS if (table := group.table(metric)) and table.cells]
    return [curves for curves in found if len({p.x for p in curves.points}) > 1]


def _curves(table: MetricTable, seen: Seen) -> Curves:
    """One curve per protocol with offloads off, and beside it, in grey, what it is with offloads on."""
    found: dict[str, dict[tuple[str, int], Point]] = {"off": {}, "on": {}}
    cells = [(seen.factors(cell), cell) for cell in table.cells if cell.median is not None]
    called: dict[str, str] = {}  # a protocol by its shortest name: that without other packets or loads
    for factors, cell in cells:
        called[factors["protocol.name"]] = min(called.get(factors["protocol.name"], cell.subject), cell.subject, key=len)
    for factors, cell in cells:
        offloads, protocol = factors["offloads"], called[factors["protocol.name"]]
        if factors["protocol.over"] == "network" and factors["link_rate"] == cells[0][0]["link_rate"]:
            place = protocol if offloads == "off" else f"{protocol}, offloads on", int(factors["mtu"])
            found[offloads].setdefault(place, Point(*place, cell.median, cell.low, cell.high))
    varied = {name for name, _ in found["on"] if sum(each == name for each, _ in found["on"]) > 1}
    return Curves(f"mtu-{table.metric}", f"{table.title}, over the MTU", SAYS, Axis("MTU, bytes"),
                  Axis(table.title, table.unit, table.metric), list(found["off"].values()),
                  [point for (name, _), point in found["on"].items() if name in varied])
