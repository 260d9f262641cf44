"""Family `codec_quality`: the error and the cost of video codecs at a bit rate, and the error after several generations.

Study 002 gives bit rates of two codecs, and describes quality in words only ("looks much better"); it names what breaks a
codec, and that content is drawn here by seed. What was decided, and why:

- The bit rate is given, as it is for a link or a disk of that rate. The chosen setting of a codec is the best one
  whose stream is not larger; a codec whose smallest stream is larger has failed at that rate, and the reason says how
  large it is. The size is that of the file (NUT, or a frame behind its length), so a few bytes for each frame are added.
- What came out of the decoder is compared as raw samples with the raw original, in the same 4:2:2 with 8 bits: what a codec
  loses by converting to its own form and back is its loss.
- The error (root mean square, in levels of 255) is what is ranked: twice the error is twice as bad at any rate, which
  cannot be said of decibels. Below LEAST_ERROR, the error of rounding to 8 bits itself, it counts as that. PSNR is the same
  in decibels, without that bound; SSIM is ffmpeg's. VMAF is reported too and ranks nothing: it was made for
  films and gives 94 to pictures that are broken.
- A generation is encoding and decoding. Before each one the picture is shifted by a row and two columns, as editing does:
  in place a codec finds its own blocks again, and loses nothing.
- Sizes and errors are exact: the same in every repetition. Times are those that the tool itself takes from the first frame
  to the last, in one thread, from memory to memory, without its start; decoding ends in memory that is not read.
- With the rate `curve` a codec's settings are compared with an anchor's at equal quality, and film is transcoded: see
  codec_curve. With the rate `live` it has the setting that live video sends with: see codec_live.
- VMX holds its rate by itself over some frames: `settle` of them come first and are not counted. ffmpeg's codecs need none.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from spindlemark.core.errors import ProfileError, UserError
from spindlemark.core.lossless import LEAST_ERROR
from spindlemark.core.outcome import Failed, Unsupported
from spindlemark.core.process import programs
from spindlemark.core.record import Closed
from spindlemark.families.codec_quality import codec_curve, codec_live
from spindlemark.families.codec_quality.codec_curve import TRANSCODED_SECONDS
from spindlemark.families.codec_quality.codec_metrics import METRICS, REFERENCE
from spindlemark.families.codec_quality.codec_work import NO_VMAF, Work
from spindlemark.families.family import Family
from spindlemark.families.shared.choices import require_known
from spindlemark.families.shared.codecs import ffmpeg, fidelity, vmx
from spindlemark.families.shared.codecs.codecs import CODECS
from spindlemark.families.shared.codecs.ffmpeg import Bench, Shape
from spindlemark.families.shared.media import pictures
from spindlemark.harness.repetition import Repetition

METHOD = 2
TOOLS = {ffmpeg.PACKAGE: (ffmpeg.PROGRAM, "-version"), vmx.PACKAGE: programs.version_of("cyomtlib")}

FORMATS = {
    "720p50": Shape(1280, 720, 50),
    "1080p25": Shape(1920, 1080, 25),
    "1080p50": Shape(1920, 1080, 50),
    "2160p25": Shape(3840, 2160, 25),
}
RATES = {f"{rate}-mbit": rate * 10**6 for rate in (25, 50, 100, 200, 400, 800, 1600)}
CURVE = "curve"  # instead of a rate: the whole range of a codec's settings
LIVE = "live"  # instead of a rate: the setting of live video
# The anchor's settings in the range of live video's quality. They are close together because VMAF is close to 100 there, and
# between settings that are far apart its interpolation is too low by a quarter.
LIVE_REFERENCE = ["2", "3", "4", "6", "8", "11", "14"]
_WHERE = "config/experiments/codec_quality.yaml"
GENERATIONS = {"1-generation": 1, "2-generations": 2, "4-generations": 4, "7-generations": 7}

SETTLE = 12  # frames; tried: after 8 the rate of VMX stays


class Scale(Closed):
    """How much of a moving picture is looked at."""

    frames: int = Field(ge=2, le=1000, description="that are compared")
    timed_frames: int = Field(
        ge=2, le=100_000, description="that are encoded, and decoded, to be timed: the same ones over and over"
    )


def factors(chosen: dict[str, str], scale: Scale, size: int) -> dict[str, Any]:
    """Codec, content, rate, generations and format; raises UserError naming what is not known or does not fit."""
    known: dict[str, Any] = {
        "codec": CODECS,
        "content": pictures.CONTENTS,
        "rate": {CURVE: None, LIVE: None, **RATES},
        "generations": GENERATIONS,
        "format": FORMATS,
    }
    require_known(chosen, known, "codec_quality")
    rate = chosen["rate"]
    if rate in (CURVE, LIVE) and GENERATIONS[chosen["generations"]] > 1:
        raise UserError(
            f"{_WHERE}: generations: {chosen['generations']} does not go with rate: {rate}", "write 1-generation there"
        )
    shape = FORMATS[chosen["format"]]
    needed = 4 * (scale.frames + SETTLE) * shape.frame_bytes
    if needed > size:
        raise ProfileError(
            f"families.codec_quality.scale: frames: {scale.frames} of {chosen['format']} take up to "
            f"{needed} bytes, and image_size is {size}",
            "lower it, or raise image_size in config/testbeds/",
        )
    return {
        "codec": {"name": chosen["codec"], "settings": list(CODECS[chosen["codec"]].settings)},
        "content": {"name": chosen["content"], "seed": 1},
        "rate": _rate(rate, chosen["codec"]),
        "generations": GENERATIONS[chosen["generations"]],
        "format": {"name": chosen["format"], **shape._asdict()},
        "frames": scale.frames,
        "settle": SETTLE,
        "loops": max(1, round(scale.timed_frames / scale.frames)),
    }


def _rate(name: str, codec: str) -> dict[str, Any]:
    """A rate, or what is compared instead with the curve of the anchor."""
    compared = {"name": name, "reference": REFERENCE}
    if name == CURVE:
        return {**compared, "reference_settings": CODECS[REFERENCE].curve, "settings": CODECS[codec].curve}
    if name != LIVE:
        return {"name": name, "bits_per_second": RATES[name]}
    if not CODECS[codec].live:
        able = ", ".join(known for known, each in CODECS.items() if each.live)
        raise UserError(f"{_WHERE}: rate: {LIVE}: live video does not send {codec}", f"it sends: {able}")
    return {**compared, "reference_settings": LIVE_REFERENCE, "setting": CODECS[codec].live}


def expected(factors: dict[str, Any], size: int) -> tuple[float, float]:
    """Seconds at any speed, and bytes moved on a device: none. A guess for one megapixel: 20 ms each way."""
    pixels = factors["format"]["width"] * factors["format"]["height"] / 1e6
    coded = factors["frames"] * (6 + factors["loops"] + factors["generations"])
    if "reference_settings" in (rate := factors["rate"]):  # encoded, decoded and compared
        points = len(rate.get("settings", [LIVE])) + len(rate["reference_settings"])
        transcoded = TRANSCODED_SECONDS * factors["format"]["rate"] if rate["name"] == CURVE else 0
        coded = factors["frames"] * 4 * points + transcoded
    return 1.0 + 0.04 * pixels * coded, 0.0


def recipe(settings: Mapping[str, str]) -> list[str]:
    """The command that encodes with a codec and the setting found for the rate; without one, SETTING and its values."""
    codec, found = CODECS.get(settings.get("codec.name", "")), settings.get("codec.setting", "")
    if codec is None:
        return []
    if not codec.words:
        return vmx.sending(found, settings.get("format.rate", "FRAME_RATE"))
    if found in codec.settings:
        return [f"ffmpeg -i INPUT {' '.join(codec.ffmpeg_words(found))} OUTPUT.{codec.container}"]
    return [
        f"# SETTING: {', '.join(codec.settings.values())}",
        f"ffmpeg -i INPUT {' '.join(codec.words).replace('{}', 'SETTING').replace('{one}', '')} OUTPUT.{codec.container}",
    ]


def steps(repetition: Repetition) -> None:
    """Find the setting, code the picture as often as required, compare it, and time both ways."""
    work = Work(repetition)
    if not work.codec.here:
        raise Unsupported(f"{work.codec.title} is not installed: the Python package {work.codec.package} brings it")
    if not programs.find(ffmpeg.PROGRAM):
        raise Unsupported(f"pictures are compared by ffmpeg: the Python package {ffmpeg.PACKAGE} brings it")
    work.draw()
    if own := {CURVE: codec_curve.measure, LIVE: codec_live.measure}.get(repetition.factors["rate"]["name"]):
        own(work)
        return
    with repetition.step("search", cold=False):
        setting = _fitting(work)
    with repetition.step("code", cold=False):
        _generations(work, setting)
    with repetition.step("compare", cold=False):
        _compare(work)
    with repetition.step("encode", cold=False):
        _time(
            work, "encode", work.codec.encode(work.shape, setting, work.original, work.timed, work.settle, work.loops)
        )
    with repetition.step("decode", cold=False):
        _time(work, "decode", work.codec.decode(work.shape, work.timed))


def _fitting(work: Work) -> str:
    """The setting with the most bits that are within the rate; it is found by halving, since fewer bits follow one another.

    Raises Failed when even the last one needs more. The coded file is that of the setting.
    """
    settings, rate = work.repetition.factors["codec"]["settings"], work.repetition.factors["rate"]["bits_per_second"]
    low, high, found = 0, len(settings), {}
    while low < high:  # settings before `low` are too large, those from `high` on fit
        middle = (low + high) // 2
        found[middle] = work.rate_of(settings[middle])
        low, high = (low, middle) if found[middle] <= rate else (middle + 1, high)
    if low == len(settings):
        raise Failed(
            f"no setting is within {rate / 1e6:g} Mbit/s: {settings[-1]} takes {found[low - 1] / 1e6:.1f} Mbit/s "
            "of this content"
        )
    work.repetition.note({"codec.setting": settings[low]})
    work.repetition.measure("stream_bits_per_second", found[low])
    return settings[low]


def _generations(work: Work, setting: str) -> None:
    """Encode and decode again and again, each time one row and two columns further; the last picture is shifted back."""
    count = work.repetition.factors["generations"]
    if work.coded_with != setting:
        work.encode(setting, work.original)
    work.decode()
    for _ in range(1, count):
        fidelity.shift(work.shape, work.decoded, work.timed, 1)
        work.encode(setting, work.timed)
        work.decode()
    fidelity.shift(work.shape, work.decoded, work.decoded, 1 - count)


def _compare(work: Work) -> None:
    repetition, shape = work.repetition, work.shape
    found, ssim, vmaf = work.quality()
    repetition.measure("error_levels", max(LEAST_ERROR, found.error))
    repetition.measure("psnr_db", found.psnr)
    repetition.measure("ssim_ratio", ssim)
    if vmaf is not None:
        repetition.measure("vmaf_score", vmaf)
    else:
        repetition.note({"absent.vmaf_score": NO_VMAF})
    if repetition.number == 1:  # the same in all of them
        repetition.attachments["crop"] = {
            "frame": found.frame,
            "row": found.row,
            "column": found.column,
            "png": {
                name: fidelity.crop(shape, file, found)
                for name, file in (("original", work.original), ("decoded", work.decoded))
            },
        }


def _time(work: Work, way: str, command: list[str]) -> None:
    done, frames = work.run(command), work.frames * work.loops
    found: Bench = ffmpeg.bench(done.stderr)
    work.repetition.measure(f"{way}_frames_per_second", frames / found.seconds)
    work.repetition.measure(f"{way}_cpu_seconds", found.cpu_seconds / frames)


FAMILY = Family(
    method=METHOD,
    metrics=METRICS,
    steps=steps,
    expected=expected,
    scale=Scale,
    factors=factors,
    tools=TOOLS,
    recipe=recipe,
    noted=("codec.setting",),
    sometimes=("rate.settings", "rate.setting"),  # of a curve, and of live video
)
