"""The edits of an AAF file, read without the library that wrote it: olefile opens the container, and this module its objects.

Written from the AAF Object Specification and the AAF Low-Level Container Specification, both version 1.1. An object is a storage. Its
stream `properties` has a head of 4 bytes (byte order, version, number), for each property its number, form and length,
and then the values. A strong reference is the name of a storage below it; a collection is a name too, whose stream
`<name> index` lists the keys of its elements.
"""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import olefile

COMPOSITION = "0D010101-0101-3500-060E-2B3402060101"
# Numbers of properties, by the specification's names.
HEADER, CONTENT, MOBS, MOB_ID, NAME, SLOTS, SLOT_ID, SEGMENT = (
    0x02,
    0x3B03,
    0x1901,
    0x4401,
    0x4402,
    0x4403,
    0x4801,
    0x4803,
)
COMPONENTS, INPUTS, LENGTH, SOURCE_ID, SOURCE_SLOT, START, TIMECODE = (
    0x1001,
    0x0B02,
    0x0202,
    0x1101,
    0x1102,
    0x1201,
    0x1501,
)
_VECTOR, _SET = 0x32, 0x3A
_LONGEST_CHAIN = 20  # of references from an edit to its tape

Edit = tuple[str, int, int]


class Thing:
    """An object of the file: its storage, and the values of its properties."""

    def __init__(self, file: Any, path: str) -> None:
        self.file, self.path, self.values = file, path, {}
        content = file.openstream(f"{path}/properties" if path else "properties").read()
        _, _, count = struct.unpack_from("<BBH", content)
        at = 4 + 6 * count
        for number in range(count):
            key, form, length = struct.unpack_from("<HHH", content, 4 + 6 * number)
            self.values[key] = form, content[at : at + length]
            at += length

    def number(self, key: int, form: str) -> int:
        """The value of a property as an integer of the struct format `form`."""
        return struct.unpack(f"<{form}", self.values[key][1])[0]

    def text(self, key: int) -> str:
        """The value of a property as a text."""
        return self.values[key][1].decode("utf-16-le").rstrip("\0") if key in self.values else ""

    def one(self, key: int) -> "Thing":
        """The object that a property refers to."""
        return self._below(self.text(key))

    def all(self, key: int) -> Iterator["Thing"]:
        """The objects of a collection, in its order."""
        if key not in self.values:
            return
        form, name = self.values[key][0], self.text(key)
        index = self.file.openstream(self._path(f"{name} index")).read()
        (count,) = struct.unpack_from("<I", index)
        if form == _VECTOR:
            keys = struct.unpack_from(f"<{count}I", index, 12)
        elif form == _SET:
            size = 8 + index[14]
            keys = tuple(struct.unpack_from("<I", index, 15 + size * n)[0] for n in range(count))
        else:
            raise ValueError(f"{self.path}: property {key:#x} does not hold a collection of objects")
        for each in keys:
            yield self._below(f"{name}{{{each:x}}}")

    @property
    def kind(self) -> str:
        """The identifier of its class."""
        return self.file.getclsid(self.path)

    def _below(self, name: str) -> "Thing":
        return Thing(self.file, self._path(name))

    def _path(self, name: str) -> str:
        return f"{self.path}/{name}" if self.path else name


def edits(path: Path) -> Iterator[Edit]:
    """The clips of the programme: name, first frame by the time code of the tape, frames in the programme.

    Raises ValueError, KeyError, OSError or struct.error where the file is not as the specification says.
    """
    with olefile.OleFileIO(path) as file:
        mobs = {bytes(mob.values[MOB_ID][1]): mob for mob in Thing(file, "").one(HEADER).one(CONTENT).all(MOBS)}
        for mob in mobs.values():
            if mob.kind == COMPOSITION:
                for slot in mob.all(SLOTS):
                    for clip in _clips(slot.one(SEGMENT)):
                        yield _edit(clip, mobs)


def _clips(segment: Thing) -> Iterator[Thing]:
    """The source clips of a segment, however deep they are."""
    if SOURCE_ID in segment.values:
        yield segment
    for key in (COMPONENTS, INPUTS):
        for part in segment.all(key):
            yield from _clips(part)


def _edit(clip: Thing, mobs: dict[bytes, Thing]) -> Edit:
    """Follow the references from the clip to the tape, whose time code says where its frame 0 is."""
    length, start, name, at = clip.number(LENGTH, "q"), 0, "", clip
    for _ in range(_LONGEST_CHAIN):
        start += at.number(START, "q")
        mob = mobs[bytes(at.values[SOURCE_ID][1])]
        name = name or mob.text(NAME)
        slots = {slot.number(SLOT_ID, "I"): slot.one(SEGMENT) for slot in mob.all(SLOTS)}
        if codes := [each for each in slots.values() if TIMECODE in each.values]:
            return name, start + codes[0].number(TIMECODE, "q"), length
        at = next(_clips(slots[at.number(SOURCE_SLOT, "I")]))
    raise ValueError(f"{clip.path}: the references do not end at a tape")
