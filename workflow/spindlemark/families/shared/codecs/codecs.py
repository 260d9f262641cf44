"""The codecs: title, settings from the most bits to the least, and commands.

All code each frame by itself. What a user chooses is what is varied: the quantiser where there is one, else the
profiles that the format has.
"""

from dataclasses import dataclass
from pathlib import Path

from spindlemark.core.process import programs
from spindlemark.families.shared.codecs import ffmpeg, vmx
from spindlemark.families.shared.codecs.ffmpeg import Shape

# Each takes its own form of pictures and no other: without it a picture of a screen, or one of 10 bits, would be refused.
_YUV = ("-pix_fmt", "yuv422p")
QUANTISERS = {str(q): str(q) for q in range(2, 32)}


@dataclass(frozen=True)
class Codec:
    """`settings`: name -> the value that its tool is given. `words` are ffmpeg's, with that value for {}; none for what
    another library codes.
    """

    title: str
    settings: dict[str, str]
    words: tuple[str, ...] = ()

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
            return ffmpeg.encode(shape, self.ffmpeg_words(setting), source, target, loops)
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

    def ffmpeg_words(self, setting: str) -> list[str]:
        """Ffmpeg's arguments for a setting."""
        return [word.replace("{}", self.settings[setting]) for word in self.words]


def _vmx(way: str, shape: Shape) -> list[str]:
    return [*programs.PYTHON, "-m", vmx.__name__, way, f"--width={shape.width}", f"--height={shape.height}"]


CODECS = {
    "vmx": Codec("VMX (Open Media Transport)", {name: str(number) for name, number in vmx.PROFILES.items()}),
    "speedhq": Codec(
        "SpeedHQ (the codec family that NDI came from)", QUANTISERS, ("-c:v", "speedhq", *_YUV, "-q:v", "{}")
    ),
    # Without the range it would be converted to that of computers, and compared as if nothing had happened.
    "mjpeg": Codec(
        "Motion JPEG", QUANTISERS, ("-c:v", "mjpeg", *_YUV, "-color_range", "tv", "-strict", "unofficial", "-q:v", "{}")
    ),
    "prores": Codec(
        "ProRes 422",
        {"hq": "3", "standard": "2", "lt": "1", "proxy": "0"},
        ("-c:v", "prores_aw", "-pix_fmt", "yuv422p10le", "-profile:v", "{}"),
    ),
    "dnxhr": Codec(
        "DNxHR", {name: f"dnxhr_{name}" for name in ("hq", "sq", "lb")}, ("-c:v", "dnxhd", *_YUV, "-profile:v", "{}")
    ),
    "hap": Codec("HAP", {"hap_q": "hap_q", "hap": "hap"}, ("-c:v", "hap", "-pix_fmt", "rgba", "-format", "{}")),
}
