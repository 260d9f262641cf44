"""Network shares: what larger packets save, where the kernel hands over each of them by itself."""

from spindlemark.findings.report import Group
from spindlemark.publish.pictures import Axis, Curves, Point, Seen

METRICS = ("read_gb_cpu_seconds", "write_gb_cpu_seconds", "seq1m_q8t1_read_bytes_per_second", "seq1m_q8t1_write_bytes_per_second")
SAYS = ("With offloads off every packet is handed over by itself, and costs about the same whatever it holds. With them on, as all "
        "cards of today have them, the kernel hands over up to 64 KiB at once, and the MTU changes little.")


def pictures(group: Group, seen: Seen) -> list[Curves]:
    """One per metric, over the MTU, of all groups of this link's rate that have more than one MTU with offloads off."""
    found = [_curves(metric, group, seen) for metric in METRICS]
    return [curves for curves in found if curves and len({p.x for p in curves.points}) > 1]


def _curves(metric: str, group: Group, seen: Seen) -> Curves | None:
    table = next((t for t in group.metrics if t.metric == metric), None)
    if table is None or not table.cells:
        return None
    rate = seen.factors(table.cells[0]).get("link_rate")
    points: dict[tuple[str, int], Point] = {}
    for other in (group, *seen.beside(group)):  # its own loads before others
        for cell in next((t.cells for t in other.metrics if t.metric == metric), ()):
            factors = seen.factors(cell)
            if (factors.get("offloads"), factors.get("link_rate")) == ("off", rate) and cell.median is not None:
                place = (cell.subject, int(factors["mtu"]))
                points.setdefault(place, Point(*place, cell.median, cell.low, cell.high))
    return Curves(f"mtu-{metric}", f"{table.title}, over the MTU", SAYS, Axis("MTU, bytes"),
                  Axis(table.title, table.unit, metric), list(points.values()))
