"""Codecs: quality by bit rate, by speed and by generation, and the area with the largest error."""

from base64 import b64decode

from spindlemark.analysis.findings.model import Cell, Group
from spindlemark.analysis.findings.text import listed
from spindlemark.core.lossless import is_lossless
from spindlemark.site.charts.chart_model import Axis, Builder, ChartData, Crop, Crops, Curves, Point

FIRST = ("bits",)
PSNR, RATE, SPEEDS = "psnr_db", "stream_bits_per_second", ("encode_frames_per_second", "decode_frames_per_second")
CODEC, GENERATIONS = "codec", "generations"
CAPTION_BITS = (
    "Higher is nearer to the original: 6 dB is half the error. Each point is the best setting that fits one of the requested rates, "
    "at its actual rate. A codec without a point at the left has no setting that small."
)
CAPTION_SPEED = (
    "Quality against speed in one thread: higher is nearer to the original, further right is faster. A codec's points are its "
    "best settings that fit the requested rates."
)
CAPTION_GENERATIONS = (
    "The same setting applied repeatedly, with a shift by a row and two columns in between, as editing does. The less a line falls, the "
    "less is lost after the first generation. Codecs that were applied only once are left out."
)
CAPTION_WORST = "The area with each codec's largest luma error, and the original there, enlarged to show single pixels."
_QUALITY = Axis("PSNR", "dB", zero=False)


def charts(group: Group, data: ChartData) -> list[Curves | Crops]:
    """Return curves that include the other rates, and the other generations, of the same content and format."""
    related = data.same_question(group)
    rates, repeated = _but(group, related, "rate", data), _but(group, related, GENERATIONS, data)
    found: list[Curves | Crops] = [
        _curve(
            "bits",
            "Quality by bit rate",
            CAPTION_BITS,
            Axis("bit rate", "bit/s", log=True),
            [(c, rate.median) for g in rates for c, rate in _pairs(g, RATE)],
        )
    ]
    for metric, name in zip(SPEEDS, ("encoding", "decoding"), strict=True):
        found.append(
            _curve(
                name,
                f"Quality by {name} speed",
                CAPTION_SPEED,
                Axis(f"{name}, frames", "1/s", log=True),
                [(c, speed.median) for g in rates for c, speed in _pairs(g, metric)],
            )
        )
    generations = [(c, float(data.factors(c)[GENERATIONS])) for g in repeated for c, _ in _pairs(g, RATE)]
    several = {c.configuration for c, number in generations if number > 1}
    if several:
        curve = _curve(
            "generations",
            "Quality by generation",
            CAPTION_GENERATIONS,
            Axis("generations", zero=False, whole=True),
            [(c, number) for c, number in generations if c.configuration in several],
        )
        found.insert(len(found) if group.conditions.get(GENERATIONS, 1) == 1 else 0, curve)
    rows = [(c.configuration, crops) for c, _ in _pairs(group, RATE) if (crops := _crops(c, data))]
    return [*found, Crops("worst", "Largest errors", CAPTION_WORST, rows)]


def _curve(name: str, title: str, caption: str, x: Axis, places: list[tuple[Cell, float | None]]) -> Curves:
    """Return PSNR by `x`. A lossless codec has no finite PSNR, so the caption names it."""
    known = [(c, at) for c, at in places if at is not None]
    lossless = dict.fromkeys(c.configuration for c, _ in known if is_lossless(c.median, _QUALITY.unit))
    more = f" Lossless, so not on the scale: {listed(list(lossless))}." if lossless else ""
    return Curves(
        name,
        title,
        caption + more,
        x,
        _QUALITY,
        [Point(c.configuration, at, c.median) for c, at in known if not is_lossless(c.median, _QUALITY.unit)],
    )


def _pairs(group: Group, metric: str) -> list[tuple[Cell, Cell]]:
    """Return each configuration's cell of PSNR with its cell of another metric."""
    tables = {t.metric: {c.configuration: c for c in t.cells} for t in group.metrics}
    others = tables.get(metric, {})
    return [(c, others[s]) for s, c in tables.get(PSNR, {}).items() if s in others]


def _but(group: Group, related: list[Group], factor: str, data: ChartData) -> list[Group]:
    """Return the groups that differ from this one only in a factor of their workload."""
    own = _workload(group, factor, data)
    return [g for g in related if own is not None and _workload(g, factor, data) == own]


def _workload(group: Group, factor: str, data: ChartData) -> dict[str, str] | None:
    """Return all factors but the codec and the one that may differ; None if nothing was measured."""
    first = next((c for c, _ in _pairs(group, RATE)), None)
    if first is None:
        return None
    return {name: value for name, value in data.factors(first).items() if name.split(".")[0] not in (CODEC, factor)}


def _crops(cell: Cell, data: ChartData) -> list[Crop]:
    crop = next((a["crop"] for a in data.attachments(cell) if "crop" in a), None)
    if crop is None:
        return []
    place = f"frame {crop['frame']}, row {crop['row']}, column {crop['column']}"
    return [
        Crop(b64decode(crop["png"][name]), f"{words}, {place}", f"A square of the image, {words}: {place}.")
        for name, words in (("original", "original"), ("decoded", f"after {cell.configuration}"))
    ]


BUILDER = Builder(draw=charts, first=FIRST, factors=(CODEC, "rate", GENERATIONS))
