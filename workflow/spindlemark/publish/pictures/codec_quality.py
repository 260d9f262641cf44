"""Compression: quality over bits, and over generations, and the places that suffered most."""

from base64 import b64decode

from spindlemark.findings.report import Cell, Group
from spindlemark.publish.pictures import Axis, Crop, Crops, Curves, Point, Seen

PSNR, RATE = "psnr_db", "stream_bits_per_second"
OVER_BITS = ("Further up is nearer to the original: 6 dB are half the error. Each point is the best setting within one of the rates "
             "that were asked for, at the bits that it really takes; a codec without a point at the left has no setting that small.")
OVER_GENERATIONS = ("The same setting again and again, each time shifted as by editing. A line that falls little keeps what it had "
                    "after the first time.")
WORST = ("The place where each codec's luma suffered most, and the original there, enlarged so that single pixels can be seen.")


def pictures(group: Group, seen: Seen) -> list[Curves | Crops]:
    """The curves hold the other rates, and the other generations, of the same content and format too."""
    alike = seen.beside(group)
    bits = [Point(c.subject, rate.median, c.median) for g in _but(group, alike, "rate", seen)
            for c, rate in _pairs(g) if c.median is not None and rate.median is not None]
    generations = [Point(c.subject, float(seen.factors(c)["generations"]), c.median)
                   for g in _but(group, alike, "generations", seen) for c, _ in _pairs(g) if c.median is not None]
    found: list[Curves | Crops] = [Curves("bits", "Quality over bits", OVER_BITS, Axis("bit rate", "bit/s", log=True),
                                          Axis("PSNR", "dB", zero=False), bits)]
    if len({point.x for point in generations}) > 1:
        found.append(Curves("generations", "Quality over generations", OVER_GENERATIONS, Axis("generations"),
                            Axis("PSNR", "dB", zero=False), generations))
    rows = [(c.subject, crops) for c, _ in _pairs(group) if (crops := _crops(c, seen))]
    return [*found, Crops("worst", "What suffered most", WORST, rows)]


def _pairs(group: Group) -> list[tuple[Cell, Cell]]:
    """Each subject's cell of quality with that of its bit rate."""
    tables = {t.metric: {c.subject: c for c in t.cells} for t in group.metrics}
    rates = tables.get(RATE, {})
    return [(c, rates[s]) for s, c in tables.get(PSNR, {}).items() if s in rates]


def _but(group: Group, alike: list[Group], factor: str, seen: Seen) -> list[Group]:
    """The groups that differ from this one in nothing but a factor of their workload."""
    own = _workload(group, factor, seen)
    return [g for g in alike if own is not None and _workload(g, factor, seen) == own]


def _workload(group: Group, factor: str, seen: Seen) -> dict[str, str] | None:
    """All factors but the subject's own and the one that may differ; None where nothing was measured."""
    first = next((c for c, _ in _pairs(group)), None)
    return first and {name: value for name, value in seen.factors(first).items()
                      if name.split(".")[0] not in ("codec", factor)}


def _crops(cell: Cell, seen: Seen) -> list[Crop]:
    kept = next((a["crop"] for a in seen.attachments(cell) if "crop" in a), None)
    if kept is None:
        return []
    place = f"frame {kept['frame']}, row {kept['row']}, column {kept['column']}"
    return [Crop(b64decode(kept["png"][name]), f"{words}, {place}", f"A square of the picture, {words}: {place}.")
            for name, words in (("original", "original"), ("decoded", f"after {cell.subject}"))]
