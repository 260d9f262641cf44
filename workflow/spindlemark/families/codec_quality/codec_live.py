"""A codec with the setting that live video sends with: its bits per pixel, its quality, and its bit rate at equal quality."""

from spindlemark.core.lossless import is_lossless
from spindlemark.families.codec_quality.codec_curve import QUALITIES, Curves, curves, record
from spindlemark.families.codec_quality.codec_metrics import REFERENCE
from spindlemark.families.codec_quality.codec_work import NO_VMAF, Work
from spindlemark.families.shared.codecs.bd_rate import Point, ratio_at


def measure(work: Work) -> None:
    """Encode with the one setting, and compare its rate with what the anchor needs for the same quality."""
    rate, other = work.repetition.factors["rate"], work.with_codec(REFERENCE)
    with work.repetition.step("reference", cold=False):
        reference = curves(other, rate["reference_settings"])
    with work.repetition.step("code", cold=False):
        bits = work.rate_of(rate["setting"])
        work.decode()
    with work.repetition.step("compare", cold=False):
        kept, ssim, vmaf = work.quality()
    work.repetition.note({"codec.setting": rate["setting"]})
    work.repetition.measure("stream_bits_per_second", bits)
    work.repetition.measure("pixel_bits_count", bits / (work.shape.width * work.shape.height * work.shape.rate))
    work.repetition.measure("psnr_db", kept.psnr)
    work.repetition.measure("ssim_ratio", ssim)
    if vmaf is None:
        work.repetition.note({f"absent.{metric}": NO_VMAF for metric in ("vmaf_score", "equal_vmaf_ratio")})
    else:
        work.repetition.measure("vmaf_score", vmaf)
    for quality, value in zip(QUALITIES, (kept.psnr, ssim, vmaf), strict=True):
        if value is not None:
            _compare(work, quality, reference, Point(bits, value), is_lossless(kept.psnr, "dB"))


def _compare(work: Work, quality: str, reference: Curves, point: Point, lossless: bool) -> None:
    metric = f"equal_{quality}_ratio"
    if lossless:
        work.repetition.note(
            {f"absent.{metric}": "the pictures came back unchanged, so no rate of the anchor equals it"}
        )
        return
    record(work, metric, lambda: ratio_at(reference[quality], point))
