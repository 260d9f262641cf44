"""Metrics of video codecs: error, bit rate and speed."""

from spindlemark.core.metric import OF_MANY, Metric
from spindlemark.core.record import Better

MILLISECONDS = "ffmpeg reports its time in whole milliseconds, which fast codecs need few of in the profile quick"
REFERENCE = "mjpeg"  # every editing program reads it, and it has a fine scale of settings


def _at_equal(quality: str, better: Better, live: bool = False) -> Metric:
    compared = (
        f"bit rate with the setting of live video, as a multiple of the one that Motion JPEG needs for the same {quality}"
        if live
        else f"multiple of Motion JPEG's bit rate at equal {quality}: 0.8 is a BD-rate of -20 %"
    )
    return Metric(
        title=f"Bit rate {'of live video ' if live else ''}at equal {quality}",
        unit="1",
        kind="ratio",
        better=better,
        description=compared,
    )


METRICS = {
    "error_levels": Metric(
        title="Error",
        unit="levels",
        better="lower",
        description="root mean square over all samples of the decoded pictures, less the original, in levels of 255",
    ),
    "psnr_db": Metric(
        title="PSNR", unit="dB", better="higher", description="peak signal-to-noise ratio, of all samples together"
    ),
    "ssim_ratio": Metric(
        title="SSIM", unit="1", kind="ratio", better="higher", description="structural similarity, 1 for equal pictures"
    ),
    "vmaf_score": Metric(
        title="VMAF",
        unit="points",
        better="none",
        description="Netflix's score of films, up to 100; it ranks no synthetic pictures",
    ),
    "stream_bits_per_second": Metric(
        title="Bit rate",
        unit="bit/s",
        better="none",
        description="of the best setting that fits the rate, at the format's frames per second",
    ),
    "encode_frames_per_second": Metric(
        title="Encoding",
        unit="1/s",
        step="encode",
        better="higher",
        exact=MILLISECONDS,
        description="frames that one thread encodes",
    ),
    "decode_frames_per_second": Metric(
        title="Decoding",
        unit="1/s",
        step="decode",
        better="higher",
        exact=MILLISECONDS,
        description="frames that one thread decodes",
    ),
    "encode_cpu_seconds": Metric(
        title="Encoding: processor time",
        unit="s",
        step="encode_cpu",
        work="cpu",
        better="lower",
        shortest_seconds=OF_MANY,
        description="user and system time for each frame",
    ),
    "decode_cpu_seconds": Metric(
        title="Decoding: processor time",
        unit="s",
        step="decode_cpu",
        work="cpu",
        better="lower",
        shortest_seconds=OF_MANY,
        description="user and system time for each frame",
    ),
    "bd_psnr_ratio": _at_equal("PSNR", "lower"),
    "bd_ssim_ratio": _at_equal("SSIM", "lower"),
    "bd_vmaf_ratio": _at_equal("VMAF", "none"),  # it ranks no synthetic pictures
    "equal_psnr_ratio": _at_equal("PSNR", "lower", live=True),
    "equal_ssim_ratio": _at_equal("SSIM", "lower", live=True),
    "equal_vmaf_ratio": _at_equal("VMAF", "none", live=True),
    "pixel_bits_count": Metric(
        title="Bits per pixel",
        unit="1",
        kind="density",
        better="none",
        description="with the setting of live video: bit rate over width, height and frames per second",
    ),
    "transcode_hour_seconds": Metric(
        title="Transcode one hour of film",
        unit="s",
        step="transcode",
        better="lower",
        projected=True,
        description="from Motion JPEG of high quality, with all processors: an hour over the measured frames per second of at "
        "least ten seconds of film",
    ),
}
