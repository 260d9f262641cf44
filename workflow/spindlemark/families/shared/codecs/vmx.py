"""VMX, the codec of Open Media Transport, by the library in the package cyomtlib; runs as a program of its own.

`python -m spindlemark.families.shared.codecs.vmx encode|decode ...`: a crash of the library ends this program alone. It prints its times as
ffmpeg does. A stream is one frame after the other, each behind its length in 4 bytes.

The codec holds its rate by itself, over several frames: those of `--settle` go through it first and are not kept.
"""

import argparse
import ctypes
import struct
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np

PACKAGE = "cyomtlib"
PROFILES = {"hq": 199, "sq": 166, "lq": 133}  # those of Open Media Transport: high, medium and low quality
QUALITIES = {"hq": "HIGH", "sq": "MEDIUM", "lq": "LOW"}  # as the package calls them
LIVE = "sq"  # of live video: what it takes when nothing is chosen
_BT709 = 709
_LENGTH = struct.Struct("<I")


class _Size(ctypes.Structure):
    _fields_ = (("width", ctypes.c_int), ("height", ctypes.c_int))


def library() -> Path | None:
    """The codec's library, looked for without loading the package; None where it is not installed."""
    spec = find_spec("cyomtlib")
    found = Path(spec.origin).parent / "_native" / "libvmx.so" if spec and spec.origin else None
    return found if found and found.exists() else None


def sending(profile: str, rate: str) -> list[str]:
    """Lines of Python that send pictures by Open Media Transport, so coded, `rate` a second; any word stands for an open choice."""
    return [
        "# pip install cyomtlib; PICTURES: arrays of 8 bits, height x width x 2, as UYVY",
        "import cyomtlib",
        f"sender = cyomtlib.Sender('CAMERA', cyomtlib.Quality.{QUALITIES.get(profile, 'QUALITY')})",
        "for picture in PICTURES:",
        f"    sender.send_video(picture, cyomtlib.Codec.UYVY, frame_rate={rate})",
    ]


class _Codec:
    """One instance, in one thread; raises RuntimeError when the library says that something went wrong."""

    def __init__(self, width: int, height: int, profile: int) -> None:
        found = library()
        if found is None:
            raise RuntimeError(f"{PACKAGE} is not installed")
        pointer, number = ctypes.c_void_p, ctypes.c_int
        self.vmx = ctypes.CDLL(str(found))
        self.vmx.VMX_Create.restype, self.vmx.VMX_Create.argtypes = pointer, [_Size, number, number]
        for name, types in (
            ("SetThreads", [pointer, number]),
            ("SaveTo", [pointer, pointer, number]),
            ("LoadFrom", [pointer, pointer, number]),
            ("DecodeUYVY", [pointer, pointer, number]),
            ("EncodeUYVY", [pointer, pointer, number, number]),
        ):
            getattr(self.vmx, f"VMX_{name}").argtypes = types
        self.stride, self.instance = 2 * width, self.vmx.VMX_Create(_Size(width, height), profile, _BT709)
        if not self.instance:
            raise RuntimeError(f"VMX takes no picture of {width} x {height}")
        self.vmx.VMX_SetThreads(self.instance, 1)
        self.room = np.empty(4 * width * height, np.uint8)

    def encode(self, frame: np.ndarray) -> bytes:
        """One frame as UYVY."""
        self._require(self.vmx.VMX_EncodeUYVY(self.instance, frame.ctypes.data, self.stride, 0), "encode")
        length = self.vmx.VMX_SaveTo(self.instance, self.room.ctypes.data, self.room.size)
        if length <= 0:
            raise RuntimeError("VMX saved nothing")
        return self.room[:length].tobytes()

    def decode(self, data: bytes, frame: np.ndarray) -> None:
        """Into a frame as UYVY."""
        held = np.frombuffer(data, np.uint8).copy()
        self._require(self.vmx.VMX_LoadFrom(self.instance, held.ctypes.data, held.size), "load")
        self._require(self.vmx.VMX_DecodeUYVY(self.instance, frame.ctypes.data, self.stride), "decode")

    def _require(self, error: int, what: str) -> None:
        if error:
            raise RuntimeError(f"VMX could not {what}: error {error}")


def _packed(path: Path, width: int, height: int) -> list[np.ndarray]:
    """Raw frames as UYVY, made before any clock runs: a live source delivers them so."""
    planes = np.fromfile(path, np.uint8).reshape(-1, 2 * width * height)
    luma, colour = width * height, width * height // 2
    found = np.empty((len(planes), height, 2 * width), np.uint8)
    found[:, :, 1::2] = planes[:, :luma].reshape(-1, height, width)
    found[:, :, 0::4] = planes[:, luma : luma + colour].reshape(-1, height, width // 2)
    found[:, :, 2::4] = planes[:, luma + colour :].reshape(-1, height, width // 2)
    return list(found)


def _planar(frames: list[np.ndarray]) -> bytes:
    return b"".join(plane.tobytes() for f in frames for plane in (f[:, 1::2], f[:, 0::4], f[:, 2::4]))


def _stream(data: bytes) -> Iterator[bytes]:
    """Its frames; raises RuntimeError for a stream that ends inside one."""
    at = 0
    while at < len(data):
        length = _LENGTH.unpack_from(data, at)[0] if at + _LENGTH.size <= len(data) else len(data)
        if at + _LENGTH.size + length > len(data):
            raise RuntimeError("the stream ends inside a frame")
        yield data[at + _LENGTH.size : at + _LENGTH.size + length]
        at += _LENGTH.size + length


def encode(given: argparse.Namespace) -> None:
    """Encode the raw file so many times over."""
    codec = _Codec(given.width, given.height, PROFILES[given.profile])
    for frame in _packed(given.settle, given.width, given.height):
        codec.encode(frame)
    frames = _packed(given.source, given.width, given.height)
    kept: list[bytes] = []
    begun = _clocks()
    for frame in frames * given.loops:
        data = codec.encode(frame)
        kept += (_LENGTH.pack(len(data)), data)
    given.target.write_bytes(b"".join(kept))
    _say(begun)


def decode(given: argparse.Namespace) -> None:
    """Decode the stream, into a raw file where one is named."""
    codec = _Codec(given.width, given.height, 0)
    begun, frames = _clocks(), []
    frame = np.zeros((given.height, 2 * given.width), np.uint8)
    for data in _stream(given.source.read_bytes()):
        codec.decode(data, frame)
        if given.target:
            frames.append(frame.copy())
    _say(begun)
    if given.target:
        given.target.write_bytes(_planar(frames))


def _clocks() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def _say(begun: tuple[float, float]) -> None:
    real, used = (now - then for now, then in zip(_clocks(), begun, strict=True))
    print(f"bench: utime={used:.6f}s stime=0.000s rtime={real:.6f}s", file=sys.stderr)


def main() -> int:
    """Parse the words and do it; exit code 1 with one line when the codec fails."""
    parser = argparse.ArgumentParser(prog="spindlemark.families.shared.codecs.vmx", description=__doc__)
    parser.add_argument("way", choices=("encode", "decode"))
    parser.add_argument("--width", type=int, required=True)
    parser.add_argument("--height", type=int, required=True)
    parser.add_argument("--profile", choices=PROFILES, default="sq")
    parser.add_argument("--settle", type=Path, help="raw frames that come first and are not kept")
    parser.add_argument("--loops", type=int, default=1)
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path, nargs="?")
    given = parser.parse_args()
    try:
        (encode if given.way == "encode" else decode)(given)
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
