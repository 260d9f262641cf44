"""Ways of storing frames: loose files, or one HDF5 file by layout and filters, in the words of h5py and of h5repack."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

DATASET = "frames"
PLUGINS = '$(python3 -c "import hdf5plugin; print(hdf5plugin.PLUGIN_PATH)")'


@dataclass(frozen=True)
class Store:
    """`cut`: into how many parts a frame's height and width are cut, each a chunk; 0 is contiguous.

    `filters` are HDF5's numbers of them, in their order; `python` and `repack` are the words that ask for them.
    """

    title: str
    cut: int = 0
    filters: tuple[int, ...] = ()
    python: Mapping[str, Any] = field(default_factory=dict)
    repack: tuple[str, ...] = ("NONE",)

    def chunk(self, shape: tuple[int, int, int]) -> tuple[int, int, int, int] | None:
        """The chunk for frames of rows x columns x colours; None is contiguous."""
        return (1, shape[0] // self.cut, shape[1] // self.cut, shape[2]) if self.cut else None

    def repacking(self, shape: tuple[int, int, int]) -> list[str]:
        """h5repack's words for frames of rows x columns x colours."""
        chunk = self.chunk(shape)
        layout = f"CHUNK={'x'.join(map(str, chunk))}" if chunk else "CONTI"
        return ["-l", f"{DATASET}:{layout}", *(word for each in self.repack for word in ("-f", f"{DATASET}:{each}"))]


LOOSE = "loose"
_BITSHUFFLE: dict[str, Any] = {
    "filters": (32008,),
    "python": {"compression": 32008, "compression_opts": (0, 2)},
    "repack": ("UD=32008,0,2,0,2",),
}
STORES = {
    LOOSE: Store("one file for each frame, its samples alone"),
    "contiguous": Store("HDF5, one frame after the other"),
    "chunks": Store("HDF5, a chunk for each frame", 1),
    "tiles": Store("HDF5, 36 chunks for each frame", 6),
    "gzip": Store(
        "HDF5, a chunk for each frame, shuffled, gzip 1",
        1,
        (2, 1),
        {"shuffle": True, "compression": "gzip", "compression_opts": 1},
        ("SHUF", "GZIP=1"),
    ),
    "szip": Store(
        "HDF5, a chunk for each frame, szip",
        1,
        (4,),
        {"compression": "szip", "compression_opts": ("nn", 32)},
        ("SZIP=32,NN",),
    ),
    "zstd": Store(
        "HDF5, a chunk for each frame, shuffled, Zstandard 3",
        1,
        (2, 32015),
        {"shuffle": True, "compression": 32015, "compression_opts": (3,)},
        ("SHUF", "UD=32015,0,1,3"),
    ),
    "bitshuffle-lz4": Store("HDF5, a chunk for each frame, bitshuffle and LZ4", 1, **_BITSHUFFLE),
    "tiles-bitshuffle-lz4": Store("HDF5, 36 chunks for each frame, bitshuffle and LZ4", 6, **_BITSHUFFLE),
}
