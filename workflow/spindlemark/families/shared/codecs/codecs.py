"""The codecs: title, settings from the most bits to the least, and commands.

All but those called `-long-gop` code each frame by itself. What a user chooses is what is varied: the quantiser where there
is one, else the profiles that the format has.
"""

from dataclasses import dataclass
from pathlib import Path

from spindlemark.core.process import programs
from spindlemark.families.shared.codecs import ffmpeg, vmx
from spindlemark.families.shared.codecs.ffmpeg import Shape

# Each takes its own form of pictures and no other: without it a picture of a screen, or one of 10 bits, would be refused.
_YUV = ("-pix_fmt", "yuv422p")
QUANTISERS = {str(q): str(q) for q in range(2, 32)}
LIVE_QUANTISER = "4"  # of live video: fixed, so the rate follows from the content, as it does with NDI and OMT
_HEVC = {str(crf): str(crf) for crf in range(4, 45, 2)}
_AV1 = {str(crf): str(crf) for crf in range(7, 64, 4)}
_RATIOS = {str(ratio): str(ratio) for ratio in (3, 4, 6, 8, 12, 16, 24, 32, 48, 64)}
CURVE_POINTS = 6
GOP = 12  # frames from one that is coded by itself to the next, about as cameras record; clips of 12 or 24 frames have whole groups
_ONE = "{one}"  # in words: what holds the encoder to one thread, or nothing


def _hevc(gop: int) -> tuple[str, ...]:
    options = f"keyint={gop}:log-level=error{_ONE}"
    return ("-c:v", "libx265", *_YUV, "-preset", "medium", "-crf", "{}", "-x265-params", options)


def _av1(gop: int) -> tuple[str, ...]:
    # SVT-AV1 knows no 4:2:2, so what 4:2:0 loses is its loss.
    options = f"fast-decode=0{_ONE}"
    return (
        "-c:v",
        "libsvtav1",
        "-pix_fmt",
        "yuv420p",
        "-preset",
        "8",
        "-g",
        str(gop),
        "-crf",
        "{}",
        "-svtav1-params",
        options,
    )


@dataclass(frozen=True)
class Codec:
    """`settings`: name -> the value that its tool is given. `words` are ffmpeg's, with that value for {}; none for what
    another library codes. `one` are the options of its encoder for one thread, `container` is what files of it are, and `live` is
    the setting that live video sends with; empty: it sends without this codec.
    """

    title: str
    settings: dict[str, str]
    words: tuple[str, ...] = ()
    one: str = ""
    container: str = "mov"
    live: str = ""

    @property
    def curve(self) -> list[str]:
        """The settings of a curve of quality: CURVE_POINTS of them, the first to the last, or all where there are fewer."""
        names = list(self.settings)
        if len(names) <= CURVE_POINTS:
            return names
        return [names[round(n * (len(names) - 1) / (CURVE_POINTS - 1))] for n in range(CURVE_POINTS)]

    @property
    def package(self) -> str:
        """The Python package that brings it."""
        return ffmpeg.PACKAGE if self.words else vmx.PACKAGE

    @property
    def here(self) -> bool:
        """Whether it is installed."""
        return bool(programs.find(ffmpeg.PROGRAM)) if self.words else vmx.library() is not None

    def encode(self, shape: Shape, setting: str, source: Path, target: Path, settle: Path, loops: int = 1) -> list[str]:
        """The command that encodes a raw file; the frames in `settle` go first where the codec adapts itself."""
        if self.words:
            return ffmpeg.encode(shape, self.ffmpeg_words(setting, one=True), source, target, loops)
        return [
            *_vmx("encode", shape),
            f"--profile={setting}",
            f"--settle={settle}",
            f"--loops={loops}",
            str(source),
            str(target),
        ]

    def decode(self, shape: Shape, source: Path, target: Path | None = None) -> list[str]:
        """The command that decodes a file, into a raw one or into nothing."""
        if self.words:
            return ffmpeg.decode(source, target)
        return [*_vmx("decode", shape), str(source), *([str(target)] if target else [])]

    def ffmpeg_words(self, setting: str, one: bool = False) -> list[str]:
        """Ffmpeg's arguments for a setting, with those that hold the encoder to one thread."""
        threads = self.one if one else ""
        return [word.replace("{}", self.settings[setting]).replace(_ONE, threads) for word in self.words]

    def transcode(self, setting: str, source: Path, loops: int) -> list[str] | None:
        """The command that decodes a file, as often as asked, and encodes it with all processors; None without ffmpeg's words."""
        return ffmpeg.transcode(self.ffmpeg_words(setting), source, loops) if self.words else None


def _vmx(way: str, shape: Shape) -> list[str]:
    return [*programs.PYTHON, "-m", vmx.__name__, way, f"--width={shape.width}", f"--height={shape.height}"]


CODECS = {
    "vmx": Codec(
        "VMX (Open Media Transport)", {name: str(number) for name, number in vmx.PROFILES.items()}, live=vmx.LIVE
    ),
    "speedhq": Codec(
        "SpeedHQ (the codec family that NDI came from)",
        QUANTISERS,
        ("-c:v", "speedhq", *_YUV, "-q:v", "{}"),
        live=LIVE_QUANTISER,
    ),
    # Without the range it would be converted to that of computers, and compared as if nothing had happened.
    "mjpeg": Codec(
        "Motion JPEG",
        QUANTISERS,
        ("-c:v", "mjpeg", *_YUV, "-color_range", "tv", "-strict", "unofficial", "-q:v", "{}"),
        live=LIVE_QUANTISER,
    ),
    "prores": Codec(
        "ProRes 422",
        {"hq": "3", "standard": "2", "lt": "1", "proxy": "0"},
        ("-c:v", "prores_aw", "-pix_fmt", "yuv422p10le", "-profile:v", "{}"),
        live="standard",
    ),
    "dnxhr": Codec(
        "DNxHR",
        {name: f"dnxhr_{name}" for name in ("hq", "sq", "lb")},
        ("-c:v", "dnxhd", *_YUV, "-profile:v", "{}"),
        live="sq",
    ),
    "hap": Codec("HAP", {"hap_q": "hap_q", "hap": "hap"}, ("-c:v", "hap", "-pix_fmt", "rgba", "-format", "{}")),
    "ffv1": Codec("FFV1", {"lossless": ""}, ("-c:v", "ffv1", *_YUV, "-level", "3", "-g", "1"), container="mkv"),
    "jpeg2000": Codec("JPEG 2000", _RATIOS, ("-c:v", "libopenjpeg", *_YUV, "-compression_level", "{}")),
    "hevc-intra": Codec("HEVC, intra only", _HEVC, _hevc(1), ":pools=none:frame-threads=1"),
    "hevc-long-gop": Codec("HEVC, long GOP", _HEVC, _hevc(GOP), ":pools=none:frame-threads=1"),
    "av1-intra": Codec("AV1, intra only", _AV1, _av1(1), ":lp=1", "mkv"),
    "av1-long-gop": Codec("AV1, long GOP", _AV1, _av1(GOP), ":lp=1", "mkv"),
}
