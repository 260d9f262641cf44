"""Faults: one flipped bit, or a block of 4096 bytes with other content, at places that a seed chooses."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from spindlemark.families.integrity.places import Place
from spindlemark.families.integrity.tree import BLOCK

BIT, SECTOR = KINDS = ("bit", "sector")
_BITS = 8 * BLOCK


@dataclass(frozen=True)
class Fault:
    """A fault: its place, and the bit of the block that is flipped, None where the whole block is replaced."""

    place: Place
    bit: int | None
    seed: int

    def damaged(self, data: bytes) -> bytes:
        """The block with the fault."""
        if self.bit is None:
            return random.Random(self.seed).randbytes(len(data))
        byte, bit = divmod(self.bit, 8)
        return data[:byte] + bytes([data[byte] ^ 1 << bit]) + data[byte + 1 :]

    def read(self, files: Sequence[Path]) -> bytes:
        """The present content of the block."""
        with files[self.place.image].open("rb") as opened:
            opened.seek(self.place.block * BLOCK)
            return opened.read(BLOCK)

    def inject(self, files: Sequence[Path]) -> bool:
        """Damage the block in the image; return whether its content changed."""
        before = self.read(files)
        with files[self.place.image].open("r+b") as opened:
            opened.seek(self.place.block * BLOCK)
            opened.write(self.damaged(before))
        return self.read(files) != before


def choose(places: Sequence[Place], kind: str, count: int, seed: str) -> list[Fault]:
    """Choose faults of one kind: in data each in another file, so that none hides another; in metadata any places.

    There are fewer than `count` where there are fewer files.
    """
    chance = random.Random(seed)
    mixed = chance.sample(places, len(places))
    if mixed and mixed[0].file is not None:
        mixed = list({place.file: place for place in mixed}.values())
    elif mixed:
        mixed = [chance.choice(mixed) for _ in range(count)]
    return [
        Fault(place, chance.randrange(_BITS) if kind == BIT else None, chance.getrandbits(32))
        for place in mixed[:count]
    ]
