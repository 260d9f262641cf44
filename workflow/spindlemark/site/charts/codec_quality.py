"""Compression: quality over bits, and over generations, and the places that suffered most."""

from base64 import b64decode

from spindlemark.analysis.findings.model import Cell, Group
from spindlemark.analysis.findings.text import listed
from spindlemark.core.lossless import is_lossless
from spindlemark.site.charts.pictures import Axis, Builder, Crop, Crops, Curves, Point, Seen

FIRST = ("bits",)
PSNR, RATE, SPEEDS = "psnr_db", "stream_bits_per_second", ("encode_frames_per_second", "decode_frames_per_second")
OVER_BITS = (
    "Further up is nearer to the original: 6 dB are half the error. Each point is the best setting within one of the rates "
    "that were asked for, at the bits that it really takes; a codec without a point at the left has no setting that small."
)
OVER_SPEED = (
    "What quality costs: further up is nearer to the original, further right faster, in one thread. A codec's points are its "
    "best settings within the rates that were asked for."
)
OVER_GENERATIONS = (
    "The same setting again and again, shifted by a row and two columns between, as editing does. A line that falls "
    "little keeps what it had after the first time. Codecs that were coded once only are left out."
)
WORST = "The place where each codec's luma suffered most, and the original there, enlarged so that single pixels can be seen."
_QUALITY = Axis("PSNR", "dB", zero=False)


def pictures(group: Group, seen: Seen) -> list[Curves | Crops]:
    """The curves hold the other rates, and the other generations, of the same content and format too."""
    alike = seen.beside(group)
    rates, repeated = _but(group, alike, "rate", seen), _but(group, alike, "generations", seen)
    found: list[Curves | Crops] = [
        _curve(
            "bits",
            "Quality over bits",
            OVER_BITS,
            Axis("bit rate", "bit/s", log=True),
            [(c, rate.median) for g in rates for c, rate in _pairs(g, RATE)],
        )
    ]
    for metric, name in zip(SPEEDS, ("encoding", "decoding"), strict=True):
        found.append(
            _curve(
                name,
                f"Quality over speed: {name}",
                OVER_SPEED,
                Axis(f"{name}, frames", "1/s", log=True),
                [(c, speed.median) for g in rates for c, speed in _pairs(g, metric)],
            )
        )
    again = [(c, float(seen.factors(c)["generations"])) for g in repeated for c, _ in _pairs(g, RATE)]
    often = {c.subject for c, number in again if number > 1}
    if often:
        curve = _curve(
            "generations",
            "Quality over generations",
            OVER_GENERATIONS,
            Axis("generations", zero=False, whole=True),
            [(c, number) for c, number in again if c.subject in often],
        )
        found.insert(len(found) if group.conditions.get("generations", 1) == 1 else 0, curve)
    rows = [(c.subject, crops) for c, _ in _pairs(group, RATE) if (crops := _crops(c, seen))]
    return [*found, Crops("worst", "What suffered most", WORST, rows)]


def _curve(name: str, title: str, says: str, x: Axis, places: list[tuple[Cell, float | None]]) -> Curves:
    """PSNR over what each cell has at `x`. What is lossless has no distance to the original, and no point: it is named."""
    known = [(c, at) for c, at in places if at is not None]
    whole = dict.fromkeys(c.subject for c, _ in known if is_lossless(c.median, _QUALITY.unit))
    more = f" Lossless, and so off any scale: {listed(list(whole))}." if whole else ""
    return Curves(
        name,
        title,
        says + more,
        x,
        _QUALITY,
        [Point(c.subject, at, c.median) for c, at in known if not is_lossless(c.median, _QUALITY.unit)],
    )


def _pairs(group: Group, metric: str) -> list[tuple[Cell, Cell]]:
    """Each configuration's cell of quality with that of another metric."""
    tables = {t.metric: {c.subject: c for c in t.cells} for t in group.metrics}
    others = tables.get(metric, {})
    return [(c, others[s]) for s, c in tables.get(PSNR, {}).items() if s in others]


def _but(group: Group, alike: list[Group], factor: str, seen: Seen) -> list[Group]:
    """The groups that differ from this one in nothing but a factor of their workload."""
    own = _workload(group, factor, seen)
    return [g for g in alike if own is not None and _workload(g, factor, seen) == own]


def _workload(group: Group, factor: str, seen: Seen) -> dict[str, str] | None:
    """All factors but the configuration's own and the one that may differ; None where nothing was measured."""
    first = next((c for c, _ in _pairs(group, RATE)), None)
    if first is None:
        return None
    return {name: value for name, value in seen.factors(first).items() if name.split(".")[0] not in ("codec", factor)}


def _crops(cell: Cell, seen: Seen) -> list[Crop]:
    kept = next((a["crop"] for a in seen.attachments(cell) if "crop" in a), None)
    if kept is None:
        return []
    place = f"frame {kept['frame']}, row {kept['row']}, column {kept['column']}"
    return [
        Crop(b64decode(kept["png"][name]), f"{words}, {place}", f"A square of the picture, {words}: {place}.")
        for name, words in (("original", "original"), ("decoded", f"after {cell.subject}"))
    ]


BUILDER = Builder(draw=pictures, first=FIRST)
