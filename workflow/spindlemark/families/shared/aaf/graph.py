"""The graph of objects that study 000's ScaleTest wrote into AAF files, written and read by pyaaf2.

For each source one master mob and three file source mobs (a picture, two sounds), each of which leads to the one tape; one
composition plays all sources one after the other. So N sources are 4 N + 2 mobs, where the source counts 4 N. Names, times
and lengths come from a seed; so does the embedded essence, which nothing can shrink.
"""

import io
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from hashlib import shake_128
from pathlib import Path
from types import SimpleNamespace
from typing import BinaryIO

import aaf2.file
from aaf2.components import SourceClip
from aaf2.core import AAFObject
from aaf2.file import AAFFile
from aaf2.mobs import Mob, SourceMob

from spindlemark.families.shared.aaf.deterministic import changed, seeded

FRAMES_PER_SECOND = 25
FRAMES = 250  # of each source
TRACKS = ("picture", "sound", "sound")


@dataclass(frozen=True)
class Shape:
    """What is written: sources, bytes of a sector (512 or 4096), bytes of essence embedded for each file source mob."""

    sources: int
    sector_bytes: int = 4096
    essence_bytes: int = 0
    seed: int = 1

    @property
    def mobs(self) -> int:
        """All of the file: of each source a master mob and its files, and the tape and the composition."""
        return (1 + len(TRACKS)) * self.sources + 2

    @property
    def clips(self) -> int:
        """Source clips: of file source mobs, master mobs and the composition, and that of the tape, which leads nowhere."""
        return 3 * len(TRACKS) * self.sources + 1

    @property
    def embedded_bytes(self) -> int:
        """Essence in the file, in bytes."""
        return len(TRACKS) * self.sources * self.essence_bytes


@dataclass(frozen=True)
class Seen:
    """What a reader found: mobs, objects in all, source clips, those whose mob is in the file, and bytes of essence."""

    mobs: int
    objects: int
    clips: int
    resolved: int
    embedded_bytes: int

    def complaint(self, shape: Shape) -> str | None:
        """What differs from what was written; None when nothing does."""
        expected = {
            "mobs": shape.mobs,
            "clips": shape.clips,
            "resolved": shape.clips - 1,
            "embedded_bytes": shape.embedded_bytes,
        }
        wrong = [
            f"{getattr(self, name)} of {number} {name}"
            for name, number in expected.items()
            if getattr(self, name) != number
        ]
        return ", ".join(wrong) or None


def write(target: Path | BinaryIO, shape: Shape) -> None:
    """Write the graph into a new file, or into an opened one that is empty; that is closed then. The same bytes each time."""
    with seeded(shape.seed), opened(target, "w", shape.sector_bytes) as file:
        tape = file.create.SourceMob()
        tape.create_tape_slots(
            "tape", FRAMES_PER_SECOND, FRAMES_PER_SECOND, media_kind="picture", length=FRAMES * shape.sources
        )
        file.content.mobs.append(tape)
        masters = [_master(file, shape, number, tape) for number in range(shape.sources)]
        _composition(file, masters)


def read(source: Path | BinaryIO) -> Seen:
    """Visit every object of the file, look up the mob of every clip and read every byte of essence.

    Raises whatever pyaaf2 raises for a file that it does not understand.
    """
    with opened(source, "r") as file:
        mobs = list(file.content.mobs)
        known = {mob.mob_id for mob in mobs}
        objects = [each for each, _ in file.content.walk_references()]
        clips = [each for each in objects if isinstance(each, SourceClip)]
        embedded = sum(len(data.open().read()) for data in file.content.essencedata)
        return Seen(len(mobs), len(objects), len(clips), sum(clip.mob_id in known for clip in clips), embedded)


@contextmanager
def opened(place: Path | BinaryIO, mode: str, sector_bytes: int = 4096) -> Iterator[AAFFile]:
    """pyaaf2's file at a path, or on an opened file."""
    with (
        nullcontext() if isinstance(place, Path) else standing_in(place),
        AAFFile(str(place), mode, sector_size=sector_bytes) as file,
    ):
        yield file


@contextmanager
def standing_in(opened_file: BinaryIO) -> Iterator[None]:
    """Whatever path pyaaf2 opens meanwhile, it gets this opened file, which it takes in no other way, and closes it."""
    with changed(aaf2.file, {"io": SimpleNamespace(open=lambda *_, **__: opened_file, BytesIO=io.BytesIO)}):
        yield


def _master(file: AAFFile, shape: Shape, number: int, tape: SourceMob) -> Mob:
    """A source: its three files, which follow on the tape those of the sources before, and the mob that joins them."""
    master = file.create.MasterMob(f"source {number}")
    for track, kind in enumerate(TRACKS):
        held = _file(
            file,
            shape,
            f"source {number}, track {track}",
            kind,
            tape.create_source_clip(1, FRAMES * number, FRAMES, media_kind=kind),
        )
        slot = master.create_timeline_slot(FRAMES_PER_SECOND)
        slot.segment = held.create_source_clip(1, 0, FRAMES, media_kind=kind)
    file.content.mobs.append(master)
    return master


def _file(file: AAFFile, shape: Shape, name: str, kind: str, on_tape: SourceClip) -> SourceMob:
    mob = file.create.SourceMob(name)
    mob.descriptor = _picture(file) if kind == "picture" else _sound(file)
    mob.descriptor["Length"].value = FRAMES
    mob.descriptor["SampleRate"].value = FRAMES_PER_SECOND
    mob.create_timeline_slot(FRAMES_PER_SECOND).segment = on_tape
    file.content.mobs.append(mob)
    if shape.essence_bytes:
        data = file.create.EssenceData()
        data.mob_id = mob.mob_id
        file.content.essencedata.append(data)
        data.open("w").write(shake_128(f"{shape.seed}/{name}".encode()).digest(shape.essence_bytes))
    return mob


def _picture(file: AAFFile) -> AAFObject:
    found = file.create.CDCIDescriptor()
    for name, value in {
        "StoredWidth": 1920,
        "StoredHeight": 1080,
        "ComponentWidth": 8,
        "HorizontalSubsampling": 2,
        "FrameLayout": "FullFrame",
        "ImageAspectRatio": "16/9",
        "VideoLineMap": [42, 0],
    }.items():
        found[name].value = value
    return found


def _sound(file: AAFFile) -> AAFObject:
    found = file.create.PCMDescriptor()
    for name, value in {
        "Channels": 1,
        "BlockAlign": 2,
        "AverageBPS": 96000,
        "QuantizationBits": 16,
        "AudioSamplingRate": 48000,
    }.items():
        found[name].value = value
    return found


def _composition(file: AAFFile, masters: list[Mob]) -> None:
    mob = file.create.CompositionMob("composition")
    mob.usage = "Usage_TopLevel"
    for track, kind in enumerate(TRACKS, 1):
        sequence = mob.create_empty_sequence_slot(FRAMES_PER_SECOND, media_kind=kind).segment
        sequence["Length"].value = FRAMES * len(masters)
        sequence.components.extend([master.create_source_clip(track, 0, FRAMES, media_kind=kind) for master in masters])
    file.content.mobs.append(mob)
