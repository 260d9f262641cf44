"""The pictures of one experiment, and their way through its codec and back: files in the testbed's folder."""

from copy import copy
from pathlib import Path

from spindlemark.core.outcome import Broken, Failed
from spindlemark.core.process.command import Finished
from spindlemark.core.process.interrupts import interruptible
from spindlemark.families.shared.codecs import ffmpeg, fidelity
from spindlemark.families.shared.codecs.codecs import CODECS
from spindlemark.families.shared.codecs.ffmpeg import Shape
from spindlemark.families.shared.media import pictures
from spindlemark.harness.repetition import Repetition

FULL = "No space left on device"
NO_VMAF = "unsupported: this ffmpeg has no libvmaf"
SLOWEST = 5.0  # seconds a frame: a hung tool is what it must find
START_SECONDS = 60.0


class Work:
    """One experiment on its files."""

    def __init__(self, repetition: Repetition) -> None:
        f = repetition.factors
        self.repetition, self.codec = repetition, CODECS[f["codec"]["name"]]
        self.shape = Shape(*(f["format"][key] for key in Shape._fields))
        self.frames, self.loops = f["frames"], f["loops"]
        self.limit = START_SECONDS + SLOWEST * f["frames"] * f["loops"]
        self.coded_with = ""  # setting of the coded file, while it is the original's
        self.original, self.settle, self.coded, self.decoded, self.timed = (
            repetition.testbed.folder / name for name in ("original", "settle", "coded", "decoded", "timed")
        )

    def with_codec(self, name: str) -> "Work":
        """The same pictures and files for another codec."""
        other = copy(self)
        other.codec, other.coded_with = CODECS[name], ""
        return other

    def draw(self) -> None:
        """The frames that settle a rate, and those that are compared after them."""
        content = self.repetition.factors["content"]
        clip = pictures.clip(content["name"], self.shape.width, self.shape.height, content["seed"])
        first = self.repetition.factors["settle"]
        for path, numbers in ((self.settle, range(first)), (self.original, range(first, first + self.frames))):
            with path.open("wb") as file, interruptible():
                file.writelines(clip.frame(number).planar() for number in numbers)

    def rate_of(self, setting: str) -> float:
        """Bits per second of the original with a setting; the coded file is left."""
        self.encode(setting, self.original)
        self.coded_with = setting
        return 8 * self.coded.stat().st_size / self.frames * self.shape.rate

    def run(self, command: list[str]) -> Finished:
        """Raises Broken where memory was full, which the codec did not cause."""
        try:
            return self.repetition.run(command, self.limit)
        except Failed as failed:
            if FULL in str(failed.reason):
                raise Broken(f"{self.repetition.testbed.folder} is full: {failed.reason}") from None
            raise

    def encode(self, setting: str, source: Path) -> None:
        """Encode a raw file."""
        self.run(self.codec.encode(self.shape, setting, source, self.coded, self.settle))

    def quality(self) -> tuple[fidelity.Kept, float, float | None]:
        """What was kept of the decoded pictures, their SSIM, and their VMAF where ffmpeg has it."""
        found = fidelity.compare(self.shape, self.decoded, self.original)
        filters = self.run(ffmpeg.has_filter("libvmaf"))
        vmaf = "Unknown filter" not in filters.stdout + filters.stderr
        report = self.run(ffmpeg.compare(self.shape, self.decoded, self.original, vmaf)).stderr
        return found, ffmpeg.ssim(report), ffmpeg.vmaf(report) if vmaf else None

    def decode(self) -> None:
        """Raises Failed when not every frame comes back."""
        self.decoded.unlink(missing_ok=True)
        self.run(self.codec.decode(self.shape, self.coded, self.decoded))
        back = self.decoded.stat().st_size / self.shape.frame_bytes if self.decoded.exists() else 0
        if back != self.frames:
            raise Failed(f"decode: {back:g} of {self.frames} frames came back")
