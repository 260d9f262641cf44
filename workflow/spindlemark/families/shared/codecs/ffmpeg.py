"""The static ffmpeg of the package imageio-ffmpeg: its commands, and what it prints.

Pictures go in and out as raw planes of 4:2:2 with 8 bits and are compared as such: inside a filter graph ffmpeg 7 and
later converts between colour matrices without a word.
"""

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from spindlemark.core.process import programs

PACKAGE = "imageio-ffmpeg"
_BENCH = re.compile(r"bench: utime=([\d.]+)s stime=([\d.]+)s rtime=([\d.]+)s")
_SSIM = re.compile(r"SSIM .*All:([\d.]+|inf)")
_VMAF = re.compile(r"VMAF score: ([\d.]+)")


def _found() -> str:
    """The package's program, looked for without loading the package; its name alone where it is not installed."""
    spec = find_spec("imageio_ffmpeg")
    folder = Path(spec.origin).parent / "binaries" if spec and spec.origin else None
    return str(next(iter(sorted(folder.glob("ffmpeg-*"))), "imageio-ffmpeg")) if folder else "imageio-ffmpeg"


PROGRAM = _found()
programs.declare([PROGRAM], PACKAGE)


class Shape(NamedTuple):
    """Width and height in pixels, frames per second."""

    width: int
    height: int
    rate: int

    @property
    def frame_bytes(self) -> int:
        """Of a raw frame."""
        return 2 * self.width * self.height


class Bench(NamedTuple):
    """Seconds from the first frame to the last, without start and end of the program; CPU seconds in the same time."""

    seconds: float
    cpu_seconds: float


def encode(shape: Shape, words: list[str], source: Path, target: Path, loops: int = 1) -> list[str]:
    """The command that encodes a raw file `loops` times over, in one thread."""
    return [
        *_begin(),
        "-threads",
        "1",
        "-filter_threads",
        "1",
        *_raw(shape),
        "-stream_loop",
        str(loops - 1),
        "-i",
        str(source),
        *words,
        "-threads",
        "1",
        "-f",
        "nut",
        str(target),
    ]


def transcode(words: list[str], source: Path, loops: int) -> list[str]:
    """The command that decodes a file `loops` times over and encodes it into nothing, with as many threads as ffmpeg chooses."""
    return [*_begin(), "-stream_loop", str(loops - 1), "-i", str(source), *words, "-f", "null", "-"]


def decode(source: Path, target: Path | None) -> list[str]:
    """The command that decodes a file in one thread, into a raw file or, to be timed, into nothing."""
    into = ["-f", "null", "-"] if target is None else ["-f", "rawvideo", "-pix_fmt", "yuv422p", str(target)]
    return [*_begin(), "-threads", "1", "-filter_threads", "1", "-i", str(source), *into]


def compare(shape: Shape, decoded: Path, original: Path, vmaf: bool) -> list[str]:
    """The command that prints SSIM and, where asked for, VMAF of a raw file against the original."""
    graph = "[0:v]split[a][b];[1:v]split[c][d];[a][c]ssim[x];[b][d]libvmaf[y]" if vmaf else "[0:v][1:v]ssim[x]"
    return [
        *_begin(),
        *_raw(shape),
        "-i",
        str(decoded),
        *_raw(shape),
        "-i",
        str(original),
        "-filter_complex",
        graph,
        "-map",
        "[x]",
        *(["-map", "[y]"] if vmaf else []),
        "-f",
        "null",
        "-",
    ]


def has_filter(name: str) -> list[str]:
    """The command that describes a filter; without it, it says `Unknown filter`."""
    return [PROGRAM, "-hide_banner", "-h", f"filter={name}"]


def bench(text: str) -> Bench:
    """What `-benchmark` printed; raises ValueError where it did not."""
    found = _BENCH.search(text)
    if not found:
        raise ValueError(f"no line of times in {text[-200:]!r}")
    user, system, real = map(float, found.groups())
    return Bench(real, user + system)


def ssim(text: str) -> float:
    """Mean structural similarity of all planes (Wang et al. 2004), 1 for equal pictures; ValueError where there is none."""
    return _one(_SSIM, text)


def vmaf(text: str) -> float:
    """Netflix's VMAF, its default model, up to 100; ValueError where there is none."""
    return _one(_VMAF, text)


def _one(pattern: re.Pattern[str], text: str) -> float:
    found: Any = pattern.search(text)
    if not found:
        raise ValueError(f"nothing like {pattern.pattern!r} in {text[-200:]!r}")
    return float(found[1])


def _begin() -> list[str]:
    return [PROGRAM, "-hide_banner", "-nostdin", "-nostats", "-benchmark", "-y"]


def _raw(shape: Shape) -> list[str]:
    return ["-f", "rawvideo", "-pix_fmt", "yuv422p", "-s", f"{shape.width}x{shape.height}", "-r", str(shape.rate)]
