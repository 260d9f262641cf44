"""A codec's whole range of settings: its bit rate at equal quality against an anchor's, and the time to transcode film."""

from collections.abc import Callable
from math import ceil

from spindlemark.core.lossless import is_lossless
from spindlemark.core.outcome import Failed
from spindlemark.families.codec_quality.codec_metrics import REFERENCE
from spindlemark.families.codec_quality.codec_work import NO_VMAF, Work
from spindlemark.families.shared.codecs import ffmpeg
from spindlemark.families.shared.codecs.bd_rate import CurveError, Point, rate_ratio

TRANSCODED_SECONDS = 10  # of film at least
_HOUR = 3600.0
QUALITIES = ("psnr", "ssim", "vmaf")
Curves = dict[str, list[Point]]  # by quality


def measure(work: Work) -> None:
    """Compare the curves of codec and anchor, and transcode film that the anchor coded with its best setting."""
    rate, other = work.repetition.factors["rate"], work.with_codec(REFERENCE)
    with work.repetition.step("reference", cold=False):
        reference = curves(other, rate["reference_settings"])
    with work.repetition.step("curve", cold=False):
        tested = curves(work, rate["settings"])
    work.repetition.attachments["curve"] = {
        "anchor": {quality: [list(point) for point in points] for quality, points in reference.items()},
        "codec": {quality: [list(point) for point in points] for quality, points in tested.items()},
    }
    for quality in QUALITIES:
        _compare(work, quality, reference, tested)
    _transcode(work, other, rate["settings"][len(rate["settings"]) // 2])


def curves(work: Work, settings: list[str]) -> Curves:
    """Bit rate and quality of each setting; settings that return the pictures unchanged have no finite PSNR and are left out."""
    found: Curves = {quality: [] for quality in QUALITIES}
    for setting in settings:
        rate = work.rate_of(setting)
        work.decode()
        kept, ssim, vmaf = work.quality()
        for quality, value in zip(QUALITIES, (kept.psnr, ssim, vmaf), strict=True):
            if value is not None and not is_lossless(kept.psnr, "dB"):
                found[quality].append(Point(rate, value))
    return found


def _compare(work: Work, quality: str, reference: Curves, tested: Curves) -> None:
    metric = f"bd_{quality}_ratio"
    if quality == "vmaf" and not reference[quality]:
        work.repetition.note({f"absent.{metric}": NO_VMAF})
        return
    record(work, metric, lambda: rate_ratio(reference[quality], tested[quality]))


def record(work: Work, metric: str, ratio: Callable[[], float]) -> None:
    """Measure a ratio of curves, or note why they have none."""
    try:
        work.repetition.measure(metric, ratio())
    except CurveError as error:
        work.repetition.note({f"absent.{metric}": str(error)})


def _transcode(work: Work, other: Work, setting: str) -> None:
    """Seconds for an hour of film with one setting, the middle one of the curve."""
    loops = ceil(TRANSCODED_SECONDS * work.shape.rate / work.frames)
    command = work.codec.transcode(setting, other.coded, loops)
    if command is None:
        work.repetition.note({"absent.transcode_hour_seconds": f"unsupported: ffmpeg does not have {work.codec.title}"})
        return
    work.repetition.note({"codec.setting": setting})
    with work.repetition.step("source", cold=False):
        other.encode(work.repetition.factors["rate"]["reference_settings"][0], other.original)
    with work.repetition.step("transcode", cold=False):
        seconds = ffmpeg.bench(work.run(command).stderr).seconds
    if not seconds:
        raise Failed("transcode: ffmpeg reports no time")
    frames_per_second = loops * work.frames / seconds
    work.repetition.measure("transcode_hour_seconds", _HOUR * work.shape.rate / frames_per_second)
